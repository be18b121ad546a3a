"""A WebSocket that is opened again whenever it is lost."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

from actae_client.errors import ActaeConnectionError, ActaeError
from actae_client.live.backoff import FAILURES_MAX, may_pass, pause
from actae_client.live.callbacks import Callbacks
from actae_client.live.connection import Address, Connection
from actae_client.live.frames import Acknowledged, Complaint, Frame, PublicationRefused
from actae_client.live.publication import Publication
from actae_client.live.subscriptions import Subscriptions
from actae_client.live.topics import Topics

logger: logging.Logger = logging.getLogger("actae_client")


class Link:
    """The WebSocket of one event loop. It is there from `connect` until `close`, or until it gives up.

    A task of its own keeps it: it reads what comes, and opens the next connection when one is lost.
    """

    def __init__(
        self, address: Address, topics: Topics, callbacks: Callbacks, *, auto_reconnect: bool
    ) -> None:
        self.topics = topics
        self.subscriptions: Subscriptions = Subscriptions(topics, callbacks)
        self._address = address
        self._callbacks = callbacks
        self._auto_reconnect = auto_reconnect
        self._opening = asyncio.Lock()
        self._keeper: asyncio.Task[None] | None = None
        self._connection: Connection | None = None
        self._is_settled = asyncio.Event()  # There is a connection, or there will be none.
        self._end: ActaeError = _disconnected()
        self._is_closed = False
        self._failures = 0
        self._publishing: dict[str, asyncio.Future[Acknowledged | None]] = {}

    async def connect(self) -> None:
        """Return when there is an authenticated connection. Raises what the first attempt met."""
        async with self._opening:
            if self._keeper is None:
                self._check_open()
                connection = await Connection.open(self._address)
                try:
                    self._check_open()  # It may have been closed meanwhile.
                except ActaeConnectionError:
                    await connection.close()
                    raise
                self._is_settled.clear()
                self._keeper = asyncio.create_task(self._keep(connection), name="actae link")
        await self._usable()

    async def close(self) -> None:
        """End the connection and all that depends on it, for good."""
        self._is_closed = True
        self.topics.end(None, _disconnected())  # Who waits for a confirmation is told so.
        self.subscriptions.end_all()
        if (keeper := self._keeper) is not None:
            keeper.cancel()
            await asyncio.wait([keeper])

    async def publish(self, publication: Publication) -> Acknowledged:
        """Send it, again after a cut, until it is acknowledged.

        Raises what the server refuses it with, and ActaeConnectionError when there is no connection left.
        """
        while True:
            connection = await self._usable()
            answer: asyncio.Future[Acknowledged | None] = asyncio.get_running_loop().create_future()
            self._publishing[publication.request_id] = answer
            try:
                with suppress(ActaeConnectionError):  # Then no answer comes either.
                    await connection.send(publication.frame)
                if (acknowledged := await answer) is not None:
                    return acknowledged
            finally:
                del self._publishing[publication.request_id]

    def _check_open(self) -> None:
        if self._is_closed:
            raise _disconnected()

    async def _usable(self) -> Connection:
        """The connection, once there is one. Raises why there will be none."""
        while self._connection is None:
            if self._keeper is None:
                raise self._end
            await self._is_settled.wait()
        return self._connection

    async def _keep(self, connection: Connection) -> None:
        error: ActaeError | None = None
        try:
            await self._keep_open(connection)
        except ActaeError as caught:
            error = caught
        except Exception as defect:
            logger.exception("the reader of %s failed", self._address.url)
            error = ActaeConnectionError(f"the reader of {self._address.url} failed: {defect!r}")
        finally:
            self._keeper = None
            self._end = error or _disconnected()
            self.topics.end(error, self._end)
            self._is_settled.set()
            if error is not None:
                self._callbacks.error(str(error))

    async def _keep_open(self, connection: Connection) -> None:
        """Until it is cancelled. Raises why there is no connection any more."""
        is_first, self._failures = True, 0
        while True:
            lost = await self._serve(connection, is_first=is_first)
            is_first = False
            self._callbacks.disconnected()
            if not self._auto_reconnect:
                raise lost
            logger.warning("%s; it is opened again", lost)
            connection = await self._open_again(lost)

    async def _open_again(self, lost: ActaeError) -> Connection:
        while self._failures < FAILURES_MAX:
            await asyncio.sleep(pause(self._failures))
            try:
                return await Connection.open(self._address)
            except ActaeError as error:
                if not may_pass(error):
                    raise
                lost = error
                self._failures += 1
        raise ActaeConnectionError(f"gave up after {self._failures} attempts in a row: {lost}") from lost

    async def _serve(self, connection: Connection, *, is_first: bool) -> ActaeConnectionError:
        """Read what comes, and say how the connection was lost."""
        self._connection = connection
        self._is_settled.set()
        asked = self.topics.connected(connection)
        resuming = asyncio.create_task(self._resume(asked, is_first=is_first), name="actae resuming")
        try:
            while (heard := await connection.hear()) is not None:
                self._take_in(*heard)
            return connection.loss()
        finally:
            self._connection = None
            self._is_settled.clear()
            self.topics.disconnected()
            resuming.cancel()
            for answer in self._publishing.values():
                if not answer.done():
                    answer.set_result(None)
            await connection.close()

    async def _resume(self, asked: list[asyncio.Task[None]], *, is_first: bool) -> None:
        """Until then the connection counts as one more failure in a row."""
        self._failures += 1
        if asked:
            await asyncio.wait(asked)
        self._failures = 0
        if not is_first:
            self._callbacks.reconnected()

    def _take_in(self, frame: Frame, size: int) -> None:
        self.topics.take_in(frame, size)
        match frame:
            case Acknowledged(request_id) if answer := self._waiting_for(request_id):
                answer.set_result(frame)
            case PublicationRefused(request_id, error) if answer := self._waiting_for(request_id):
                answer.set_exception(error)
            case PublicationRefused(_, error) | Complaint(error):
                self._callbacks.error(str(error))
            case _:
                pass

    def _waiting_for(self, request_id: str) -> asyncio.Future[Acknowledged | None] | None:
        answer = self._publishing.get(request_id)
        return None if answer is None or answer.done() else answer


def _disconnected() -> ActaeConnectionError:
    error = ActaeConnectionError("the client was disconnected")
    error.retryable = False
    return error
