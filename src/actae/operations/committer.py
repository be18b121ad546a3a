"""Commits one batch: read, decide, write; and what to do when that fails."""

import asyncio
import random
from collections.abc import Mapping, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any

import asyncpg

from actae.crash_points import CrashPoint, reach
from actae.domain.errors import ActaeError, InternalError, UnavailableError
from actae.domain.view import View
from actae.observations import (
    AskPoisoned,
    BatchCommitted,
    BatchIsolated,
    DatabaseFull,
    DatabaseLost,
    Observer,
    RaceLost,
)
from actae.store.batch import is_lost_race, lock_heads, write_changes
from actae.store.database import (
    CONNECT_SECONDS,
    WRITE_TIMEOUT_SECONDS,
    connect_writer,
    is_connection_lost,
    is_out_of_room,
)
from actae.store.guarding import GuardMemory
from actae.store.silence import ended_by_silence
from actae.store.whole_view import read_whole_view

if TYPE_CHECKING:
    from actae.operations.writer import Decide, Tell, Waiting

# Lost races before the heads are locked first, and batches that go on locking afterwards: a rival that
# won once is likely to be there still, and optimism then costs a whole read for nothing.
_OPTIMISTIC_ATTEMPTS = 2
_LOCKING_BATCHES = 50
_ATTEMPTS = 20

# Longer than PostgreSQL gives a statement: who has heard nothing by then will not hear anything.
SILENCE_SECONDS = WRITE_TIMEOUT_SECONDS + 5

_RECONNECT_ATTEMPTS = 8
_RECONNECT_BACKOFF_SECONDS = 0.05
_RECONNECT_BACKOFF_SECONDS_MAX = 1.0


class Committer:
    """Owns one writer connection, and decides batches on it one at a time."""

    def __init__(
        self,
        dsn: str,
        decisions: "Mapping[type, Decide]",
        observe: Observer,
        tell: "Tell",
        *,
        silence_seconds: float,
    ) -> None:
        self._dsn = dsn
        self._silence_seconds = silence_seconds
        self._decisions = decisions
        self._observe = observe
        self._tell = tell
        self._connection: asyncpg.Connection | None = None
        self._locking_batches = 0
        self._guards = GuardMemory()

    async def connect(self) -> asyncpg.Connection:
        """The connection; a new one if there is none, or if it was lost.

        Raises:
            UnavailableError: the database stayed out of reach.
        """
        if self._connection is not None and not self._connection.is_closed():
            return self._connection
        started = monotonic()
        for attempt in range(_RECONNECT_ATTEMPTS):
            try:
                self._connection = await connect_writer(self._dsn)
            except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
                last = error
                if monotonic() - started > CONNECT_SECONDS:  # the line is silent, or nearly so
                    break
                pause = min(_RECONNECT_BACKOFF_SECONDS_MAX, _RECONNECT_BACKOFF_SECONDS * 2**attempt)
                await asyncio.sleep(random.uniform(pause / 2, pause))  # noqa: S311
            else:
                return self._connection
        raise UnavailableError(f"The database cannot be reached: {last or type(last).__name__}.") from last

    async def close(self) -> None:
        """Let the connection go."""
        if self._connection is not None and not self._connection.is_closed():
            await self._connection.close(timeout=2)

    def cut(self) -> None:
        """End the connection, whatever is under way on it."""
        if self._connection is not None:
            self._connection.terminate()

    async def commit(self, batch: "Sequence[Waiting]", waiting: int) -> None:
        """Answer every ask of the batch. Never raises: whatever goes wrong is somebody's answer."""
        reach(CrashPoint.BATCH_TAKEN)
        started = monotonic()
        try:
            view, answers = await self._decide_and_write(batch)
        except ActaeError as error:
            _fail_all(batch, error)
        except asyncio.CancelledError:
            _fail_all(
                batch, UnavailableError("The server was stopped on the way, so the outcome is unknown.")
            )
            raise
        except asyncpg.QueryCanceledError:
            _fail_all(batch, UnavailableError("The database did not take the write within its time limit."))
        except Exception as error:  # whatever it is, it must not stop the lane
            if is_out_of_room(error):
                self._observe(DatabaseFull(str(error)))
                _fail_all(batch, UnavailableError(f"The database has no room for this write: {error}."))
            else:
                await self._isolate(batch, error)
        else:
            reach(CrashPoint.BATCH_COMMITTED_NOT_ANSWERED)
            for each, answer in zip(batch, answers, strict=True):
                if not each.answer.done():
                    each.answer.set_result(answer)
            if view.changes.events:
                self._tell(view.changes.events, view.now)
            seconds = monotonic() - started
            self._observe(BatchCommitted(len(batch), len(view.changes.events), seconds, waiting))

    async def _decide_and_write(self, batch: "Sequence[Waiting]") -> tuple[View, list[Any]]:
        """Until no rival comes in between: optimistically first, then behind locks.

        Raises:
            UnavailableError: the database was lost; if the write was under way, its outcome is unknown.
        """
        for losses in range(_ATTEMPTS):
            if losses >= _OPTIMISTIC_ATTEMPTS:
                self._locking_batches = _LOCKING_BATCHES
            try:
                if self._locking_batches > 0:
                    self._locking_batches -= 1
                    return await self._attempt_locked(batch)
                return await self._attempt(batch)
            except asyncpg.PostgresError as error:
                # Losing again and again behind locks is no race any more: somebody in the batch cannot win.
                if not is_lost_race(error) or (losses == _ATTEMPTS - 1 and len(batch) > 1):
                    raise
                self._observe(RaceLost(len(batch), losses + 1))
        raise UnavailableError("Other servers kept writing to the same channels.")

    async def _attempt_locked(self, batch: "Sequence[Waiting]") -> tuple[View, list[Any]]:
        connection = await self.connect()
        try:
            with ended_by_silence(connection, 2 * self._silence_seconds):
                async with connection.transaction():
                    await lock_heads(connection, (each.ask.channel_id for each in batch))
                    return await self._attempt(batch, is_locked=True)
        except Exception as error:
            # Here the commit is a message of its own, so even a loss after the write leaves the outcome open.
            if is_connection_lost(error):
                raise self._lost(error, write_was_under_way=True) from error
            raise

    async def _attempt(
        self, batch: "Sequence[Waiting]", *, is_locked: bool = False
    ) -> tuple[View, list[Any]]:
        view = await self._read(batch, is_locked=is_locked)
        reach(CrashPoint.BATCH_READ)
        decisions = self._decisions
        answers = [decisions[type(each.ask)](view, each.ask) for each in batch]
        reach(CrashPoint.BATCH_DECIDED)
        if view.changes:
            connection = await self.connect()
            try:
                with ended_by_silence(connection, self._silence_seconds):
                    await write_changes(connection, view.changes, view.now)
            except Exception as error:
                if is_connection_lost(error):
                    raise self._lost(error, write_was_under_way=True) from error
                raise
        return view, answers

    async def _read(self, batch: "Sequence[Waiting]", *, is_locked: bool) -> View:
        """Nothing has been written yet, so a connection that died in the meantime is simply replaced.

        Not one that holds locks: the transaction has died with it.
        """
        connection = await self.connect()
        asks = [each.ask for each in batch]
        try:
            with ended_by_silence(connection, self._silence_seconds):
                return await read_whole_view(connection, asks, self._guards)
        except Exception as error:
            if is_locked or not is_connection_lost(error):
                raise
            self._lost(error, write_was_under_way=False)
        connection = await self.connect()
        try:
            with ended_by_silence(connection, self._silence_seconds):
                return await read_whole_view(connection, asks, self._guards)
        except Exception as error:
            if is_connection_lost(error):
                raise self._lost(error, write_was_under_way=False) from error
            raise

    def _lost(self, error: BaseException, *, write_was_under_way: bool) -> UnavailableError:
        if self._connection is not None:
            self._connection.terminate()
            self._connection = None
            self._guards = GuardMemory()  # the next database may be one that was brought back from a backup
        self._observe(DatabaseLost(str(error), write_was_under_way))
        sentence = "The database was lost"
        if write_was_under_way:
            sentence += (
                " while the write was under way, so its outcome is unknown; send the same request again"
            )
        return UnavailableError(f"{sentence}.")

    async def _isolate(self, batch: "Sequence[Waiting]", error: Exception) -> None:
        """An unexpected error: each ask alone, so that a poisonous one harms only itself."""
        if len(batch) == 1:
            ask = batch[0].ask
            self._observe(AskPoisoned(type(ask).__name__, ask.channel_id, f"{type(error).__name__}: {error}"))
            _fail_all(batch, InternalError("The server failed on this write; nothing of it was stored."))
            return
        self._observe(BatchIsolated(len(batch), f"{type(error).__name__}: {error}"))
        for each in batch:
            await self.commit([each], 0)


def _fail_all(batch: "Sequence[Waiting]", error: ActaeError) -> None:
    for each in batch:
        if not each.answer.done():
            each.answer.set_exception(error)
