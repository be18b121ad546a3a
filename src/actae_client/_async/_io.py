"""What differs between the two clients: waiting, what runs beside, and what carries a request.

aiohttp carries it here.
"""

from __future__ import annotations

import asyncio
import io
import ssl
import threading
from asyncio import AbstractEventLoop, sleep
from asyncio import timeout as at_most
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import suppress
from typing import Any

import aiohttp
from yarl import URL

from actae_client.errors import ActaeConnectionError
from actae_client.transport import AsyncTransport as Transport
from actae_client.transport import Reply, Request

__all__ = ["AiohttpTransport", "Ticker", "Transport", "at_most", "sleep"]

# Below the 5 seconds after which common servers close an idle connection: a request that meets
# the closing has an unknown outcome.
_KEEPALIVE_SECONDS = 4.0
_CONNECT_SECONDS_MAX = 10.0
_CONNECTIONS_MAX = 256
_CLOSE_SECONDS_MAX = 5.0
_PIECE_BYTES = 2**18

_NOT_SENT = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError, aiohttp.InvalidURL)


class AiohttpTransport:
    """Sends requests with aiohttp.

    Sessions are opened when they are first needed, one for each event loop, so one client serves
    several loops. A session closes with its loop at the latest.
    """

    def __init__(self, endpoint: str, *, timeout_seconds: float, ssl_context: ssl.SSLContext | None) -> None:
        self._endpoint = endpoint
        self._timeout_seconds = timeout_seconds
        self._timeout = self._timeout_with(0.0)
        self._ssl_context = ssl_context
        self._sessions: dict[AbstractEventLoop, aiohttp.ClientSession] = {}
        self._lifetimes: dict[AbstractEventLoop, AsyncGenerator[aiohttp.ClientSession, None]] = {}
        self._lock = threading.Lock()

    def _timeout_with(self, waits_seconds: float) -> aiohttp.ClientTimeout:
        return aiohttp.ClientTimeout(
            total=self._timeout_seconds + waits_seconds,
            sock_connect=min(self._timeout_seconds, _CONNECT_SECONDS_MAX),
        )

    async def send(self, request: Request) -> Reply:
        """Send one request; see `AsyncTransport`."""
        waits = request.waits_seconds
        session = self._sessions.get(asyncio.get_running_loop()) or await self._open_session()
        try:
            async with session.request(
                request.method,
                URL(self._endpoint + request.target, encoded=True),
                headers=request.headers,
                data=_in_pieces(request.body),
                allow_redirects=False,
                timeout=self._timeout_with(waits) if waits else self._timeout,
            ) as response:
                body = await response.read()
                headers = response.headers
                return Reply(
                    response.status, headers.get("content-type", ""), body, headers.get("retry-after")
                )
        except _NOT_SENT as error:
            raise self._lost(error, is_outcome_known=True) from error
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise self._lost(error, is_outcome_known=False) from error

    async def close(self) -> None:
        """Close the sessions of all loops, each on its own."""
        with self._lock:
            lifetimes = list(self._lifetimes.items())
        here = asyncio.get_running_loop()
        for loop, lifetime in lifetimes:
            if loop is here:
                await lifetime.aclose()
            elif loop.is_running():
                closing = asyncio.run_coroutine_threadsafe(_close(lifetime), loop)
                with suppress(TimeoutError):  # That loop may be blocked, even by who called this.
                    await asyncio.wait_for(asyncio.wrap_future(closing), _CLOSE_SECONDS_MAX)

    async def _open_session(self) -> aiohttp.ClientSession:
        loop = asyncio.get_running_loop()
        lifetime = self._lifetime(loop)
        with self._lock:
            for ended in [known for known in self._lifetimes if known.is_closed()]:
                self._sessions.pop(ended, None)
                del self._lifetimes[ended]
            self._lifetimes[loop] = lifetime
        return await anext(lifetime)

    async def _lifetime(self, loop: AbstractEventLoop) -> AsyncGenerator[aiohttp.ClientSession, None]:
        """Hold a session. asyncio closes the generators of a loop that ends, and so the session."""
        session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=_CONNECTIONS_MAX,
                keepalive_timeout=_KEEPALIVE_SECONDS,
                ssl=self._ssl_context if self._ssl_context is not None else True,
            ),
            timeout=self._timeout,
            cookie_jar=aiohttp.DummyCookieJar(),
        )
        # aiohttp would send GET, PUT and DELETE a second time when the reply is lost; what may be
        # repeated is decided by the call, not by its verb.
        session._retry_connection = False
        self._sessions[loop] = session
        try:
            yield session
        finally:
            with self._lock:
                self._sessions.pop(loop, None)
                self._lifetimes.pop(loop, None)
            await session.close()

    def _lost(self, error: BaseException, *, is_outcome_known: bool) -> ActaeConnectionError:
        silent = isinstance(error, TimeoutError) and not is_outcome_known
        reason = f"silent for {self._timeout_seconds} s" if silent else _reason(error)
        lost = ActaeConnectionError(
            f"no answer from {self._endpoint}: {reason}", is_outcome_known=is_outcome_known
        )
        if isinstance(error, aiohttp.ClientSSLError | aiohttp.ClientConnectorCertificateError):
            lost.retryable = False
        return lost


def _reason(error: BaseException) -> str:
    """What has happened, without what aiohttp says of TLS where there is none."""
    told = error.os_error if type(error) is aiohttp.ClientConnectorError else error
    return str(told) or type(error).__name__


def _in_pieces(body: bytes | None) -> bytes | io.BytesIO | None:
    """aiohttp writes bytes at once, which holds up the loop when they are many, and a file bit by bit."""
    return body if body is None or len(body) < _PIECE_BYTES else io.BytesIO(body)


async def _close(lifetime: AsyncGenerator[aiohttp.ClientSession, None]) -> None:
    await lifetime.aclose()


class Ticker:
    """Calls a function again and again, until it answers False or the ticker is stopped."""

    def __init__(self, seconds: float, beat: Callable[[], Coroutine[Any, Any, bool]]) -> None:
        self._seconds = seconds
        self._beat = beat
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin; the first call comes after the first interval."""
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """End, and wait until a call that is under way has ended."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _run(self) -> None:
        while True:
            await sleep(self._seconds)
            if not await self._beat():
                return
