"""Where the server is."""

from __future__ import annotations

import os
from typing import Any
from urllib.parse import urlsplit


def http_endpoint(endpoint: str, ws_endpoint: str = "") -> str:
    """The base URL of HTTP calls, without a trailing slash.

    Where only the address of the live stream is given, the calls go to the same server. Raises
    ValueError when neither is given, or when it is not an http or https URL.
    """
    if not endpoint and not ws_endpoint:
        raise ValueError("endpoint is missing; give the URL of the server, such as http://localhost:8002")
    url = endpoint.rstrip("/") if endpoint else _beside(ws_endpoint)
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise ValueError(
            "endpoint must be an http or https URL without a query, such as http://localhost:8002"
        )
    if "@" in parts.netloc:
        # It would show up in errors and logs.
        raise ValueError("endpoint carries a user name; the only credential of this client is api_key")
    return url


def _beside(ws_endpoint: str) -> str:
    scheme, separator, rest = ws_endpoint.rstrip("/").partition("://")
    http = {"ws": "http", "wss": "https"}.get(scheme, scheme)
    return f"{http}{separator}{rest.removesuffix('/ws')}"


def socket_endpoint(endpoint: str, ws_endpoint: str = "") -> str:
    """The URL of the WebSocket: as given, or `/ws` of the server that answers the HTTP calls.

    Raises ValueError when what is given is not a ws or wss URL.
    """
    if not ws_endpoint:
        url = "ws" + endpoint.removeprefix("http")
        return url if url.endswith("/ws") else f"{url}/ws"
    url = ws_endpoint.rstrip("/")
    parts = urlsplit(url)
    if parts.scheme not in ("ws", "wss") or not parts.hostname or "@" in parts.netloc:
        raise ValueError("ws_endpoint must be a ws or wss URL, such as ws://localhost:8002/ws")
    return url


def from_environment(given: dict[str, Any]) -> dict[str, Any]:
    """Arguments from `ACTAE_URL` (or `ACTAE_ENDPOINT`), `ACTAE_WS_URL` and `ACTAE_API_KEY`.

    What is given wins. Raises ValueError when no key or no URL is found.
    """
    found = {
        "endpoint": os.environ.get("ACTAE_URL") or os.environ.get("ACTAE_ENDPOINT") or "",
        "ws_endpoint": os.environ.get("ACTAE_WS_URL", ""),
        "api_key": os.environ.get("ACTAE_API_KEY", ""),
    }
    arguments = {**{name: value for name, value in found.items() if value}, **given}
    if not arguments.get("api_key"):
        raise ValueError("ACTAE_API_KEY is not set, and no api_key is given")
    if not arguments.get("endpoint") and not arguments.get("ws_endpoint"):
        raise ValueError("ACTAE_URL is not set, and no endpoint is given")
    return arguments


def check_api_key(api_key: str) -> str:
    """The key, if it can travel in a header. Raises ValueError that does not show it."""
    if not api_key:
        raise ValueError("api_key is missing")
    if not api_key.isascii() or not api_key.isprintable() or " " in api_key:
        raise ValueError("api_key has characters that no key has, such as a space or a line break")
    return api_key
