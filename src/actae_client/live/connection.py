"""One WebSocket, from the handshake to its end."""

from __future__ import annotations

import asyncio
import logging
import ssl
from dataclasses import dataclass
from typing import Final

import aiohttp

from actae_client.errors import ActaeConnectionError, ActaeError, AuthError
from actae_client.live import messages
from actae_client.live.backoff import may_pass
from actae_client.live.frames import Authenticated, Complaint, Frame, read_frame

logger: logging.Logger = logging.getLogger("actae_client")

# A peer that answers no ping for half of this is gone. It has nothing to do with how long a call may take:
# a quiet connection of an impatient client is as good as any.
HEARTBEAT_SECONDS: Final = 15.0

_CONNECT_SECONDS_MAX: Final = 10.0
_CLOSE_SECONDS_MAX: Final = 2.0
_FRAME_BYTES_MAX: Final = 32 * 2**20  # Actae keeps its frames below 1 MiB; other servers may not.
_BAD_KEY: Final = 1008


@dataclass(frozen=True, slots=True)
class Address:
    """Where the WebSocket is, and who asks."""

    url: str
    api_key: str
    timeout_seconds: float
    ssl_context: ssl.SSLContext | None = None

    def __repr__(self) -> str:
        return f"<Address {self.url}>"


class Connection:
    """An authenticated WebSocket."""

    def __init__(
        self, url: str, session: aiohttp.ClientSession, socket: aiohttp.ClientWebSocketResponse
    ) -> None:
        self._url = url
        self._session = session
        self._socket = socket
        self._given_up: str | None = None

    @classmethod
    async def open(cls, address: Address) -> Connection:
        """Connect and authenticate.

        Raises AuthError for a key that is not good, and ActaeConnectionError or the server's own
        error where another try may fare better.
        """
        session = aiohttp.ClientSession(
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(
                total=None, sock_connect=min(address.timeout_seconds, _CONNECT_SECONDS_MAX)
            ),
        )
        try:
            async with asyncio.timeout(address.timeout_seconds):
                connection = cls(address.url, session, await _shake_hands(session, address))
                await connection._authenticate_or_close(address.api_key)
                return connection
        except BaseException as error:
            await session.close()
            if isinstance(error, TimeoutError):
                silent = f"{address.url} was silent for {address.timeout_seconds} s"
                raise ActaeConnectionError(silent, is_outcome_known=True) from None
            raise

    async def send(self, text: str) -> None:
        """Send one frame. Raises ActaeConnectionError when the connection is lost."""
        try:
            await self._socket.send_str(text)
        except (aiohttp.ClientError, OSError) as error:
            raise self.loss() from error

    async def hear(self) -> tuple[Frame, int] | None:
        """The next frame and its size, None when the connection is lost."""
        async for message in self._socket:
            if message.type is not aiohttp.WSMsgType.TEXT:
                continue
            try:
                frame = read_frame(message.data)
            except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
                # If an event was in it, its cursor will be missed, and it is read by that.
                logger.warning("a frame that cannot be read: %s: %s", type(error).__name__, error)
                continue
            if frame is not None:
                return frame, len(message.data)
        return None

    def loss(self) -> ActaeConnectionError:
        """What has become of it."""
        code, reason = self._socket.close_code, self._given_up or self._socket.exception()
        how = (
            "cut off" if code is None or code == aiohttp.WSCloseCode.ABNORMAL_CLOSURE else f"closed ({code})"
        )
        return ActaeConnectionError(
            f"the connection to {self._url} was {how}{f': {reason}' if reason else ''}"
        )

    async def give_up(self, reason: str) -> None:
        """End it because it is no good."""
        self._given_up = reason
        await self._socket.close()

    async def close(self) -> None:
        """End it."""
        await self._socket.close()
        await self._session.close()

    async def _authenticate_or_close(self, api_key: str) -> None:
        try:
            await self._authenticate(api_key)
        except BaseException:
            await self._socket.close()
            raise

    async def _authenticate(self, api_key: str) -> None:
        await self.send(messages.auth(api_key))
        while (heard := await self.hear()) is not None:
            match heard:
                case Authenticated(), _:
                    return
                case Complaint(error), _:
                    raise _refusal(error)
        if self._socket.close_code == _BAD_KEY:
            raise AuthError(f"{self._url} refused the API key")
        raise self.loss()


async def _shake_hands(session: aiohttp.ClientSession, address: Address) -> aiohttp.ClientWebSocketResponse:
    try:
        return await session.ws_connect(
            address.url,
            heartbeat=HEARTBEAT_SECONDS,
            max_msg_size=_FRAME_BYTES_MAX,
            timeout=aiohttp.ClientWSTimeout(ws_close=_CLOSE_SECONDS_MAX),
            ssl=address.ssl_context if address.ssl_context is not None else True,
        )
    except (aiohttp.ClientError, OSError, ValueError) as error:
        lost = ActaeConnectionError(
            f"no WebSocket at {address.url}: {str(error) or type(error).__name__}", is_outcome_known=True
        )
        if isinstance(error, aiohttp.ClientSSLError | aiohttp.ClientConnectorCertificateError):
            lost.retryable = False
            lost.hint = (
                "A server that asks for a client certificate finds it in client_cert and client_key, or as "
                "ca.crt, client.crt and client.key in ~/.actae."
            )
            lost.add_note(lost.hint)
        raise lost from error


def _refusal(error: ActaeError) -> ActaeError:
    """Before authentication, whatever may not pass is about the key."""
    if isinstance(error, AuthError) or (error.code is not None and may_pass(error)):
        return error
    return AuthError(str(error))
