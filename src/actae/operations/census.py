"""Counts what is open, without ever taking more than a small share of the database's time."""

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Final, Generic, TypeVar

import asyncpg

from actae.domain.errors import ActaeError
from actae.store.census import (
    OpenExecutions,
    PendingWakeups,
    count_open_executions,
    count_pending_wakeups,
)
from actae.store.database import Database

T = TypeVar("T")

PATIENCE_SECONDS: Final = 1.0
REMEMBERED_SECONDS: Final = 10.0
REST: Final = 20  # after a count that took a second, nobody counts for twenty


class Census:
    """What is open in the ledger, and which wake-ups are pending."""

    def __init__(self, db: Database) -> None:
        self._executions = _Count(lambda: count_open_executions(db))
        self._wakeups = _Count(lambda: count_pending_wakeups(db))

    async def open_executions(self) -> OpenExecutions | None:
        """The count, up to some seconds old; None where the database could not tell in time."""
        return await self._executions.read()

    async def pending_wakeups(self) -> PendingWakeups | None:
        """The count, up to some seconds old; None where the database could not tell in time."""
        return await self._wakeups.read()


class _Count(Generic[T]):
    """Remembers the last count, the longer the more it cost."""

    def __init__(self, count: Callable[[], Awaitable[T]]) -> None:
        self._count = count
        self._counting = asyncio.Lock()
        self._last: T | None = None
        self._good_until = 0.0

    async def read(self) -> T | None:
        """The last count, or a new one."""
        async with self._counting:
            started = monotonic()
            if started >= self._good_until:
                self._last = await self._ask()
                finished = monotonic()
                self._good_until = finished + max(REMEMBERED_SECONDS, REST * (finished - started))
            return self._last

    async def _ask(self) -> T | None:
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                return await self._count()
        except (TimeoutError, ActaeError, asyncpg.PostgresError, asyncpg.InterfaceError):
            return None
