"""WebSocket connections of ours: readied frames written at once, and a polite leave."""

from typing import Final

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame, Opcode

GOING_AWAY: Final = 1001

SOCKET_EXTENSION: Final = "actae.socket"  # where an application finds the connection in its scope


def to_frame(text: bytes) -> bytes:
    """A text message as it travels: not masked (RFC 6455, 5.1), so all readers can share it."""
    return Frame(Opcode.TEXT, text).serialize(mask=False)


class PoliteWebSocket(WebSocketsSansIOProtocol):
    """uvicorn's WebSocket protocol; it says 1001, going away, when the server stops, instead of 1012."""

    async def run_asgi(self) -> None:
        """The application gets hold of the connection itself, for what many readers share."""
        extensions = self.scope["extensions"]
        assert extensions is not None, "uvicorn sets the extensions"
        extensions[SOCKET_EXTENSION] = self  # type: ignore[assignment]
        await super().run_asgi()

    @property
    def is_writable(self) -> bool:
        """Whether more may be written; a connection that has ended takes nothing."""
        return self.writable.is_set() and not self.has_ended

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
        self.stop_keepalive()
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code})
        self.conn.send_close(code)
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        self.writable.set()
        self.close_timer = self.loop.call_later(self.close_timeout, self.transport.abort)

    def shutdown(self) -> None:
        """The server stops."""
        if self.close_sent or not self.handshake_complete or self.transport.is_closing():
            super().shutdown()
            return
        self.stop_keepalive()
        self.queue.put_nowait({"type": "websocket.disconnect", "code": GOING_AWAY})
        self.conn.send_close(GOING_AWAY)
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.transport.close()
