"""The WebSocket at /ws: a client connects, proves its key, and is kept for as long as the key is good."""

import asyncio
import random
from contextlib import suppress
from typing import Final
from uuid import uuid4

from actae.domain.errors import ActaeError, UnauthorizedError, UnavailableError
from actae.observations import RequestFailed
from actae.transport.asgi import Receive, Scope, Send
from actae.transport.auth import wait_for_news
from actae.transport.endpoint import new_request_id
from actae.transport.live.conversation import SOCKET_PATH, Conversation
from actae.transport.live.frames import refusal_fields
from actae.transport.live.line import BadMessage, Line, LineClosed
from actae.transport.live.readers import WEB_SOCKETS
from actae.transport.services import Services
from actae.transport.web_socket import DEFECT, SOCKET_EXTENSION

__all__ = ["AUTH_SECONDS", "SOCKET_PATH", "SocketEndpoint"]

AUTH_SECONDS: Final = 10.0

_POLICY, _LATER = 1008, 1013  # close codes: you may not; not now

Headers = tuple[tuple[bytes, bytes]]


class SocketEndpoint:
    """Takes WebSocket connections. Never raises into the server."""

    def __init__(self, services: Services, *, auth_seconds: float = AUTH_SECONDS) -> None:
        self._services = services
        self._auth_seconds = auth_seconds

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hold one connection until either side ends it."""
        settings = self._services.settings
        line = Line(
            scope["extensions"][SOCKET_EXTENSION],
            receive,
            send,
            self._services.monitor.tally,
            depth_max=settings.body_depth_max,
            stall_seconds=settings.stream_stall_seconds,
        )
        with suppress(LineClosed):
            try:
                await self._converse(line)
            except LineClosed:
                raise
            except ActaeError as refusal:
                await line.say("Error", **refusal_fields(refusal))
                await line.close(_LATER if refusal.retryable else _POLICY)
            except Exception as error:  # a defect is seen in the log, and ends this connection only
                self._fail(error)
                await line.close(DEFECT)

    async def _converse(self, line: Line) -> None:
        """Let a client in, and talk with it.

        Raises:
            UnauthorizedError, UnavailableError, TooManyReadersError: it is not let in.
            LineClosed
        """
        connection_id = str(uuid4())
        connection = {"connection_id": connection_id}
        await line.open()
        await line.say("Connection", event="connected", payload=connection)
        with self._services.readers.one_more(WEB_SOCKETS):
            credential = await self._hear_credential(line)
            caller = await self._services.authenticator.identify(credential)
            await line.say("Connection", event="authenticated", payload=connection)
            conversation = Conversation(line, self._services, caller, connection_id)
            checking = asyncio.create_task(self._check(conversation, credential), name="actae socket access")
            try:
                await conversation.go_on()
            finally:
                checking.cancel()

    async def _hear_credential(self, line: Line) -> Headers:
        """What the client says who it is.

        Raises:
            UnauthorizedError: nothing in time, or something else instead.
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
            return ((b"authorization", b"Bearer " + message.token.encode(errors="replace")),)
        return ((b"x-api-key", message.api_key.encode(errors="replace")),)

    async def _check(self, conversation: Conversation, credential: Headers) -> None:
        """Look the credential up when there is news, and now and then: the connection ends with it."""
        line = conversation.line
        try:
            while True:
                authenticator = self._services.authenticator
                news = authenticator.news
                with suppress(UnavailableError):  # The next round sees.
                    await conversation.check_access(await authenticator.identify(credential))
                await wait_for_news(news, self._seconds_between_checks())
        except LineClosed:
            pass
        except ActaeError as refusal:
            conversation.expel()
            with suppress(LineClosed):
                await line.say("Error", **refusal_fields(refusal))
            line.drop(_POLICY)
        except Exception as error:  # a defect, and no reason to trust the key from now on
            self._fail(error)
            line.drop(DEFECT)

    def _seconds_between_checks(self) -> float:
        return random.uniform(0.8, 1.0) * self._services.settings.stream_access_seconds  # noqa: S311

    def _fail(self, error: Exception) -> None:
        self._services.observe(RequestFailed(new_request_id(), "GET", SOCKET_PATH, error))
