"""The WebSocket at /ws: a client connects, proves its key, and is kept.

Events do not travel here yet: whatever it asks for then is refused by name.
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated, Any, Final
from uuid import uuid4

import msgspec

from actae.domain.errors import ActaeError, InvalidJsonError, InvalidRequestError, UnauthorizedError
from actae.observations import Observations, RequestFailed
from actae.settings import Settings
from actae.transport.auth import Authenticator
from actae.transport.bodies import decode_body
from actae.transport.endpoint import Receive, Send, new_request_id
from actae.transport.tally import Tally

SOCKET_PATH: Final = "/ws"
FRAME_BYTES_MAX: Final = 2**20  # Clients take no more either.
AUTH_SECONDS: Final = 10.0

_POLICY, _DEFECT, _LATER = 1008, 1011, 1013  # close codes

_encode = msgspec.json.Encoder().encode


class Message(msgspec.Struct, frozen=True):
    """What a client sends; which fields count depends on the type."""

    type: Annotated[str, msgspec.Meta(max_length=64)]
    api_key: str = ""
    event: str | None = None
    topic: str | None = None
    request_id: str | None = None


class SocketEndpoint:
    """Takes WebSocket connections. Never raises into the server."""

    def __init__(
        self,
        settings: Settings,
        authenticator: Authenticator,
        tally: Tally,
        observe: Observations,
        *,
        auth_seconds: float = AUTH_SECONDS,
    ) -> None:
        self._depth_max = settings.body_depth_max
        self._authenticator = authenticator
        self._tally = tally
        self._observe = observe
        self._auth_seconds = auth_seconds
        self._open = 0

    async def serve(self, receive: Receive, send: Send) -> None:
        """Hold one connection until either side ends it."""
        line = _Line(receive, send, self._tally, self._depth_max)
        self._count(1)
        try:
            await self._converse(line)
        except _LineClosed:
            pass
        except Exception as error:  # a defect is seen in the log, and ends this connection only
            self._observe(RequestFailed(new_request_id(), "GET", SOCKET_PATH, error))
            with suppress(_LineClosed):
                await line.close(_DEFECT)
        finally:
            self._count(-1)

    def _count(self, change: int) -> None:
        self._open += change
        self._tally.put("websocket_connections", self._open)

    async def _converse(self, line: "_Line") -> None:
        await line.open()
        connection = {"connection_id": str(uuid4())}
        await line.say("Connection", event="connected", payload=connection)
        try:
            await self._authenticate(line)
        except ActaeError as error:
            await line.say("Error", status=error.code, message=error.message)
            await line.close(_LATER if error.retryable else _POLICY)
            return
        await line.say("Connection", event="authenticated", payload=connection)
        while True:
            try:
                await _answer(line, await line.hear(), connection)
            except ActaeError as error:
                await line.say("Error", status=error.code, message=error.message)

    async def _authenticate(self, line: "_Line") -> None:
        """Return once the client has sent a good key.

        Raises:
            UnauthorizedError: no key in time, something else instead of it, or a bad one.
        """
        try:
            async with asyncio.timeout(self._auth_seconds):
                message = await line.hear()
        except TimeoutError:
            raise UnauthorizedError(f"No auth message came within {self._auth_seconds:g} s.") from None
        if message.type != "auth":
            raise UnauthorizedError(f"Send an auth message with an api_key before {message.type!r}.")
        key = message.api_key.encode(errors="replace")
        await self._authenticator.identify([(b"x-api-key", key)])


async def _answer(line: "_Line", message: Message, connection: Mapping[str, str]) -> None:
    if message.type == "connection" and message.event == "ping":
        await line.say("Connection", event="pong", payload=connection)
        return
    refusal = InvalidRequestError(
        f"{message.type!r} is not supported yet; record and replay events over HTTP.", field="type"
    )
    if message.type == "broadcast":
        # Who waits for this one goes by the Nack; who does not know it is told by the Error that follows.
        await line.say(
            "Nack",
            request_id=message.request_id,
            topic=message.topic,
            status=refusal.code,
            message=refusal.message,
        )
    raise refusal


class _LineClosed(Exception):  # noqa: N818  # how every conversation ends
    """Either side has closed the connection."""


class _Line:
    """One connection: messages in, frames out, both counted."""

    def __init__(self, receive: Receive, send: Send, tally: Tally, depth_max: int) -> None:
        self._receive = receive
        self._send = send
        self._tally = tally
        self._depth_max = depth_max
        self._decoder = msgspec.json.Decoder(Message)

    async def open(self) -> None:
        """Accept the connection."""
        await self._receive()
        await self._pass({"type": "websocket.accept"})

    async def hear(self) -> Message:
        """The next message.

        Raises:
            InvalidJsonError, InvalidRequestError: it is none. The connection is as good as before.
        """
        event = await self._receive()
        if event["type"] == "websocket.disconnect":
            raise _LineClosed
        self._tally.add("websocket_messages_received")
        text: str | None = event.get("text")
        if text is None:
            raise InvalidJsonError("Send text frames, each one JSON object; this one is binary.")
        return decode_body(text.encode(), self._decoder, depth_max=self._depth_max)

    async def say(self, tag: str, **fields: object) -> None:
        """Send one frame."""
        await self._pass({"type": "websocket.send", "text": _encode({tag: fields}).decode()})
        self._tally.add("websocket_messages_sent")

    async def close(self, code: int) -> None:
        """End the connection."""
        await self._pass({"type": "websocket.close", "code": code})

    async def _pass(self, event: dict[str, Any]) -> None:
        try:
            await self._send(event)
        except OSError:  # what ASGI raises when the client is gone
            raise _LineClosed from None
