"""From calls to requests: what the client adds to each of them."""

from __future__ import annotations

from typing import Any

from actae_client._calls.call import Call
from actae_client._endpoint import check_api_key
from actae_client.transport import Request

CLIENT_NAME = "actae-client-python/0.1"


class Requests:
    """Turns calls into requests of one caller. The headers are made once."""

    def __init__(self, api_key: str) -> None:
        self._bare = {"x-api-key": check_api_key(api_key), "user-agent": CLIENT_NAME, "accept": "*/*"}
        self._with_body = {**self._bare, "content-type": "application/json"}

    def request(self, call: Call[Any]) -> Request:
        """The request that makes the call."""
        headers = self._bare if call.body is None else self._with_body
        if call.bearer_token is not None:
            headers = {**headers, "authorization": f"Bearer {call.bearer_token}"}
        return Request(call.method, call.target, headers, call.body, call.waits_seconds)
