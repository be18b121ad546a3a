"""A reader of one channel's server-sent events, for as long as there are none."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import cast


class StreamReader(asyncio.Protocol):
    """Opens a stream and keeps it.

    `is_ready` is done when the server has opened it too, and fails when it does not. After that, an event or
    the end of the stream is told to `give_up`.
    """

    def __init__(self, host: str, api_key: str, channel: str, *, give_up: Callable[[str], None]) -> None:
        self.is_ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._give_up = give_up
        self._request = (
            f"GET /api/v1/events/stream/{channel} HTTP/1.1\r\nhost: {host}\r\nx-api-key: {api_key}\r\n\r\n"
        ).encode("ascii")

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        if b"data: " in data or not (self.is_ready.done() or data.startswith(b"HTTP/1.1 200")):
            self._end(data.decode(errors="replace"))
        elif b": connected" in data:
            self.is_ready.set_result(None)

    def connection_lost(self, exc: Exception | None) -> None:
        self._end(f"the server closed the connection ({exc})")

    def _end(self, why: str) -> None:
        if self.is_ready.done():
            self._give_up(why)
        else:
            self.is_ready.set_exception(LookupError(why))
        self._transport.abort()
