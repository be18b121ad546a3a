"""WebSocket connections of ours: readied frames written at once, nothing held for who does not read, and a
polite leave.
"""

from asyncio import TimerHandle
from asyncio.transports import BaseTransport
from typing import Any, Final

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame, Opcode

from actae.transport.corking import uncorked
from actae.transport.signals import Inbox, Signal
from actae.transport.unsent import keep_unsent_short

GOING_AWAY: Final = 1001
DEFECT: Final = 1011
TOO_SLOW: Final = 1013  # try again later

SOCKET_EXTENSION: Final = "actae.socket"  # where an application finds the connection in its scope

_LEAVING_SECONDS: Final = 2.0  # what a client that reads nothing may delay the server's end


def to_frame(text: bytes) -> bytes:
    """A text message as it travels: not masked (RFC 6455, 5.1), so all readers can share it."""
    return Frame(Opcode.TEXT, text).serialize(mask=False)


class PoliteWebSocket(WebSocketsSansIOProtocol):
    """uvicorn's WebSocket protocol, made for readers that may be slow, dead or hostile.

    `is_writable` tells the truth at once, so that nobody writes more than the connection takes. Whatever ends
    a connection, its transport ends soon after, though the client may never read what was written to it. And
    when the server stops it says 1001, going away, instead of 1012.
    """

    queue: Inbox  # type: ignore[assignment]
    writable: Signal  # type: ignore[assignment]

    _end: TimerHandle | None = None
    _pong: bytes = b""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.queue = Inbox()
        self.writable = Signal()
        self.writable.set()

    def connection_made(self, transport: BaseTransport) -> None:
        """A connection begins. Corked, it would seem to take everything."""
        super().connection_made(uncorked(transport))
        keep_unsent_short(self.transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """A connection has ended."""
        super().connection_lost(exc)
        if self._end is not None:
            self._end.cancel()

    async def run_asgi(self) -> None:
        """The application gets hold of the connection itself, for what many readers share."""
        extensions = self.scope["extensions"]
        assert extensions is not None, "uvicorn sets the extensions"
        extensions[SOCKET_EXTENSION] = self  # type: ignore[assignment]
        try:
            await super().run_asgi()
        finally:
            self._end_within(self.close_timeout)

    @property
    def is_writable(self) -> bool:
        """Whether more may be written; a connection that has ended takes nothing."""
        ended = self.disconnected or self.close_sent or self.transport.is_closing()
        return self.writable.is_set() and not ended

    @property
    def has_ended(self) -> bool:
        """Whether nothing can be written any more."""
        return self.disconnected or self.close_sent or self.transport.is_closing()

    def write_frames(self, frames: bytes) -> None:
        """Send whole frames that were made with `to_frame`."""
        self.transport.write(frames)

    def drop(self, code: int) -> None:
        """Close though the client may not be reading: what it has not taken within seconds is lost to it."""
        if self.has_ended or not self.handshake_complete:
            return
        self._say_close(code)
        self.close_sent = True
        self.writable.set()
        if self.read_paused:  # or the client's answer would not be heard
            self.read_paused = False
            self.transport.resume_reading()
        self.close_timer = self.loop.call_later(self.close_timeout, self.transport.abort)

    def start_keepalive(self) -> None:
        """The handshake is answered; what it consisted of would be a fifth of an idle connection."""
        super().start_keepalive()
        self.scope["headers"] = []
        self.request.headers.clear()
        self.response.headers.clear()

    def keepalive_timeout(self) -> None:
        """A ping was not answered: the client is gone, or does not read."""
        self.drop(DEFECT if self.writable.is_set() else TOO_SLOW)

    def shutdown(self) -> None:
        """The server stops."""
        if self.close_sent or not self.handshake_complete or self.transport.is_closing():
            super().shutdown()
        else:
            self._say_close(GOING_AWAY)
            self.transport.close()
        self._end_within(_LEAVING_SECONDS)

    def handle_ping(self) -> None:
        """Answer. For a client that reads nothing only the last answer is held (RFC 6455, 5.5.3)."""
        pong = b"".join(self.conn.data_to_send())
        if self.writable.is_set():
            self.transport.write(pong)
        else:
            self._pong = pong or self._pong

    def resume_writing(self) -> None:
        """The client reads again."""
        super().resume_writing()
        if self._pong and not self.has_ended:
            self.transport.write(self._pong)
        self._pong = b""

    def _say_close(self, code: int) -> None:
        self.stop_keepalive()
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code})
        self.conn.send_close(code)
        self.transport.write(b"".join(self.conn.data_to_send()))

    def _end_within(self, seconds: float) -> None:
        when = self.loop.time() + seconds
        if self.disconnected or (self._end is not None and self._end.when() <= when):
            return
        if self._end is not None:
            self._end.cancel()
        self._end = self.loop.call_at(when, self.transport.abort)
