"""One WebSocket connection: messages in, frames out, both counted."""

import asyncio
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Raw

from actae.domain.errors import ActaeError, InvalidJsonError
from actae.operations.tail import ReaderGone, Run
from actae.transport.asgi import Receive, Send
from actae.transport.bodies import decode_body
from actae.transport.endpoint import ASIDE_BYTES
from actae.transport.fields import Cursor, OperationId
from actae.transport.live.frames import broadcast_frame, encode
from actae.transport.live.patience import Patience
from actae.transport.surrogates import without_halves
from actae.transport.tally import Tally
from actae.transport.web_socket import TOO_SLOW, PoliteWebSocket

_NOTHING = Raw(b"")


class Message(msgspec.Struct, frozen=True):
    """What a client sends; which fields count depends on the type."""

    type: Annotated[str, Meta(max_length=64)]
    api_key: str = ""
    token: str = ""
    event: str | None = None
    topic: str | None = None
    cursor: Cursor | None = None
    payload: Raw = msgspec.field(default_factory=lambda: _NOTHING)
    operation_id: OperationId | None = None
    request_id: Annotated[str, Meta(max_length=256)] | None = None

    @property
    def has_payload(self) -> bool:
        """Whether there is one; null is one."""
        return self.payload != _NOTHING


_decoder = msgspec.json.Decoder(Message)


class Named(msgspec.Struct, frozen=True):
    """As much of a bad message as it takes to tell its sender which one it was."""

    type: str = ""
    topic: str | None = None
    request_id: str | None = None


class BadMessage(Exception):  # noqa: N818  # carries the refusal to whoever answers
    """A message that cannot be read, with what can be read of it."""

    def __init__(self, refusal: ActaeError, named: Named) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal
        self.named = named


class LineClosed(Exception):  # noqa: N818  # how every conversation ends
    """Either side has closed the connection."""


class Line:
    """One connection. Also the sink of its subscriptions: it holds no events, only what one write carries."""

    def __init__(
        self,
        socket: PoliteWebSocket,
        receive: Receive,
        send: Send,
        tally: Tally,
        *,
        depth_max: int,
        stall_seconds: float,
    ) -> None:
        self._socket = socket
        self._receive = receive
        self._send = send
        self._tally = tally
        self._numbers, self._sent = tally.numbers, tally.place("websocket_messages_sent")
        self._depth_max = depth_max
        self._patience = Patience(tally, stall_seconds)

    async def open(self) -> None:
        """Accept the connection."""
        await self._receive()
        await self._pass({"type": "websocket.accept"})

    async def hear(self) -> Message:
        """The next message.

        Raises:
            BadMessage: it is none. The connection is as good as before.
            LineClosed
        """
        event = await self._receive()
        if event["type"] == "websocket.disconnect":
            raise LineClosed
        self._tally.add("websocket_messages_received")
        text: str | None = event.get("text")
        if text is None:
            refusal = InvalidJsonError("Send text frames, each one JSON object; this one is binary.")
            raise BadMessage(refusal, Named())
        raw = text.encode()
        try:
            if len(raw) < ASIDE_BYTES:
                return decode_body(raw, _decoder, depth_max=self._depth_max)
            return await asyncio.to_thread(decode_body, raw, _decoder, depth_max=self._depth_max)
        except ActaeError as refusal:
            raise BadMessage(refusal, _name(raw)) from None

    async def say(self, tag: str, **fields: object) -> None:
        """Send one frame.

        Raises:
            LineClosed
        """
        await self._pass({"type": "websocket.send", "text": encode({tag: fields}).decode()})
        self._tally.add("websocket_messages_sent")

    async def close(self, code: int) -> None:
        """End the connection.

        Raises:
            LineClosed
        """
        await self._pass({"type": "websocket.close", "code": code})

    def is_ready(self) -> bool:
        """Whether it takes events now."""
        return self._socket.is_writable

    def write(self, run: Run) -> None:
        """Send events, as frames that all readers share."""
        self._socket.write_frames(run.encoded(broadcast_frame))
        self._numbers[self._sent] += len(run.told)

    async def drained(self) -> None:
        """Return when it takes events; drop a reader that takes none for long.

        Raises:
            ReaderGone
        """
        writable = self._socket.writable
        if not writable.is_set() and not await self._patience.wait(writable):
            self.drop(TOO_SLOW)
        if self._socket.has_ended:
            raise ReaderGone

    def fail(self, _error: Exception) -> None:
        """What it follows cannot be read now: the reader comes back with its cursor, then it goes on."""
        self.drop(TOO_SLOW)

    def drop(self, code: int) -> None:
        """End the connection though its reader takes nothing; the close code goes behind what waits."""
        self._socket.drop(code)

    async def _pass(self, event: dict[str, Any]) -> None:
        try:
            await self.drained()
            await self._send(event)
        except (ReaderGone, OSError):  # OSError is what ASGI raises when the client is gone
            raise LineClosed from None


def _name(raw: bytes) -> Named:
    try:
        return msgspec.json.decode(without_halves(raw), type=Named)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return Named()
