"""Counts what is open, without ever taking more than a small share of the database's time."""

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Final, Generic, TypeVar

import asyncpg

from actae.domain.errors import ActaeError
from actae.operations.asking import Asking
from actae.store.census import (
    Counts,
    count_ambiguous_executions,
    count_open_executions,
    count_pending_approvals,
    count_pending_wakeups,
    count_unconsumed_events,
)
from actae.store.database import Database
from actae.store.retention import get_last_sweep

C = TypeVar("C")

PATIENCE_SECONDS: Final = 1.0
REMEMBERED_SECONDS: Final = 10.0
REST: Final = 20  # after a count that took a second, nobody counts for twenty


class Census:
    """Everything that is counted, each up to some seconds old."""

    def __init__(self, db: Database) -> None:
        self._open_executions = Remembered(db, count_open_executions)
        self._ambiguous_executions = Remembered(db, count_ambiguous_executions)
        self._unconsumed_events = Remembered(db, count_unconsumed_events)
        self._pending_wakeups = Remembered(db, count_pending_wakeups)
        self._pending_approvals = Remembered(db, count_pending_approvals)
        self._last_retention_sweep = Remembered(db, get_last_sweep)

    async def take(self) -> Counts:
        """The counts; None for one that the database could not tell in time. All share one patience."""
        until = monotonic() + PATIENCE_SECONDS
        return Counts(
            await self._open_executions.get(until),
            await self._ambiguous_executions.get(until),
            await self._unconsumed_events.get(until),
            await self._pending_wakeups.get(until),
            await self._pending_approvals.get(until),
            await self._last_retention_sweep.get(until),
        )


class Remembered(Generic[C]):
    """The last count, remembered the longer the more it cost."""

    def __init__(self, db: Database, count: Callable[[Database], Awaitable[C]]) -> None:
        self._asking = Asking(lambda: count(db), name="actae census")
        self._counting = asyncio.Lock()
        self._last: C | None = None
        self._good_until = 0.0

    async def get(self, until: float | None = None) -> C | None:
        """What was counted last; None where the database could not tell in time, or until that moment."""
        async with self._counting:
            started = monotonic()
            if started >= self._good_until:
                patience = PATIENCE_SECONDS if until is None else max(0.0, until - started)
                self._last = await self._count(patience)
                finished = monotonic()
                self._good_until = finished + max(REMEMBERED_SECONDS, REST * (finished - started))
            return self._last

    async def _count(self, within_seconds: float) -> C | None:
        try:
            return await self._asking.answer(within_seconds)
        except TimeoutError:
            self._asking.give_up()
            return None
        except (ActaeError, asyncpg.PostgresError, asyncpg.InterfaceError):
            return None
