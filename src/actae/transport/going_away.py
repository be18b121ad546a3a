"""Takes leave of WebSocket clients with 1001, going away; the server below would say 1012, coming back."""

from typing import Final

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

GOING_AWAY: Final = 1001


class PoliteWebSocket(WebSocketsSansIOProtocol):
    """uvicorn's WebSocket protocol, with the close code that fits a server that stops."""

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
