"""The WebSocket at /ws: a client connects, proves its key, and is kept for as long as the key is good."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final, NamedTuple
from uuid import uuid4

from actae.domain.access import Caller
from actae.domain.errors import ActaeError, UnauthorizedError
from actae.observations import RequestFailed
from actae.transport.endpoint import Receive, Scope, Send, new_request_id
from actae.transport.live.conversation import Conversation
from actae.transport.live.line import BadMessage, Line, LineClosed
from actae.transport.services import Services
from actae.transport.web_socket import SOCKET_EXTENSION

SOCKET_PATH: Final = "/ws"
AUTH_SECONDS: Final = 10.0

_POLICY, _DEFECT, _LATER = 1008, 1011, 1013  # close codes
_CHECKED_AGAIN_SECONDS: Final = 15.0

Headers = tuple[tuple[bytes, bytes]]


class Admitted(NamedTuple):
    """A connection, and the credential that it is kept by."""

    conversation: Conversation
    credential: Headers


class SocketEndpoint:
    """Takes WebSocket connections. Never raises into the server."""

    def __init__(self, services: Services, *, auth_seconds: float = AUTH_SECONDS) -> None:
        self._services = services
        self._auth_seconds = auth_seconds
        self._admitted: set[Admitted] = set()

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hold one connection until either side ends it."""
        settings = self._services.settings
        tally = self._services.monitor.tally
        line = Line(
            scope["extensions"][SOCKET_EXTENSION],
            receive,
            send,
            tally,
            depth_max=settings.body_depth_max,
            stall_seconds=settings.stream_stall_seconds,
        )
        with self._services.readers.one_more("websocket_connections"):
            try:
                await self._converse(line)
            except LineClosed:
                pass
            except Exception as error:  # a defect is seen in the log, and ends this connection only
                self._services.observe(RequestFailed(new_request_id(), "GET", SOCKET_PATH, error))
                with suppress(LineClosed):
                    await line.close(_DEFECT)

    async def _converse(self, line: Line) -> None:
        await line.open()
        connection_id = str(uuid4())
        connection = {"connection_id": connection_id}
        await line.say("Connection", event="connected", payload=connection)
        try:
            self._services.readers.check()
            credential, caller = await self._authenticate(line)
        except ActaeError as error:
            await line.say("Error", status=error.code, message=error.message)
            await line.close(_LATER if error.retryable else _POLICY)
            return
        await line.say("Connection", event="authenticated", payload=connection)
        conversation = Conversation(line, self._services, caller, connection_id)
        admitted = Admitted(conversation, credential)
        self._admitted.add(admitted)
        try:
            await conversation.go_on()
        finally:
            self._admitted.discard(admitted)

    async def _authenticate(self, line: Line) -> tuple[Headers, Caller]:
        """The credential that a client has sent, once it is found good.

        Raises:
            UnauthorizedError: none in time, something else instead of it, or a bad one.
        """
        try:
            async with asyncio.timeout(self._auth_seconds):
                message = await line.hear()
        except TimeoutError:
            raise UnauthorizedError(f"No auth message came within {self._auth_seconds:g} s.") from None
        except BadMessage as bad:
            raise bad.refusal from None
        if message.type != "auth":
            raise UnauthorizedError(f"Send an auth message with an api_key before {message.type!r}.")
        if message.token:
            credential = ((b"authorization", b"Bearer " + message.token.encode(errors="replace")),)
        else:
            credential = ((b"x-api-key", message.api_key.encode(errors="replace")),)
        return credential, await self._services.authenticator.identify(credential)

    async def check_access(self) -> None:
        """Look every credential up again: a key that was revoked keeps no connection."""
        for conversation, credential in tuple(self._admitted):
            try:
                caller = await self._services.authenticator.identify(credential)
                await conversation.check_access(caller)
            except UnauthorizedError as error:
                with suppress(LineClosed):
                    await conversation.line.say("Error", status=error.code, message=error.message)
                conversation.line.drop(_POLICY)
            except (ActaeError, LineClosed):
                pass  # the database is away, or the client has gone: the next round sees


@asynccontextmanager
async def keep_checking(endpoint: SocketEndpoint) -> AsyncIterator[None]:
    """While the block runs, connections end soon after their key does."""

    async def check() -> None:
        while True:
            await asyncio.sleep(_CHECKED_AGAIN_SECONDS)
            await endpoint.check_access()

    checking = asyncio.create_task(check(), name="actae socket access")
    try:
        yield
    finally:
        checking.cancel()
        with suppress(asyncio.CancelledError):
            await checking
