"""How the small providers answer."""

import json
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import Any


def send_json(request: BaseHTTPRequestHandler, status: HTTPStatus, body: dict[str, Any]) -> None:
    """Answer a request in JSON."""
    payload = json.dumps(body).encode()
    request.send_response(status)
    request.send_header("Content-Type", "application/json")
    request.send_header("Content-Length", str(len(payload)))
    request.end_headers()
    request.wfile.write(payload)
