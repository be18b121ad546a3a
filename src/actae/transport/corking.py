"""One packet per reply: the server writes head and body separately, which would be two system calls."""

import asyncio
from asyncio.transports import BaseTransport
from typing import Any, Final, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

TRANSPORT_STATE: Final = "actae.transport"  # where an application finds it in the `state` of its scope


class CorkedTransport:
    """Holds what is written until the event loop's next turn, then sends it as one piece.

    Measured at 64 callers, the second call cost a tenth of the server's time.
    """

    __slots__ = ("_held", "_loop", "uncorked")

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self.uncorked = transport
        self._loop = loop
        self._held: list[bytes] = []

    def write(self, data: bytes) -> None:
        """Send soon, together with whatever else is written meanwhile."""
        if not self._held:
            self._loop.call_soon(self._flush)
        self._held.append(data)

    def _flush(self) -> None:
        held, self._held = self._held, []
        if held and not self.uncorked.is_closing():  # between then and now the client may have gone
            self.uncorked.write(held[0] if len(held) == 1 else b"".join(held))

    def close(self) -> None:
        """Close after everything was sent."""
        self._flush()
        self.uncorked.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.uncorked, name)


def uncorked(transport: BaseTransport) -> BaseTransport:
    """The transport itself, for connections that change their protocol."""
    itself: BaseTransport = getattr(transport, "uncorked", transport)
    return itself


class CorkedHttp(HttpToolsProtocol):
    """uvicorn's HTTP protocol on a corked transport."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A connection begins. A response that goes on needs the transport, to end it though nobody reads."""
        self.app_state = {TRANSPORT_STATE: transport}
        super().connection_made(cast(asyncio.Transport, CorkedTransport(transport, self.loop)))
