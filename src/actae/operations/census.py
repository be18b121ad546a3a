"""Counts what is open in the ledger, without ever taking more than a small share of the database's time."""

import asyncio
from time import monotonic
from typing import Final

import asyncpg

from actae.domain.errors import ActaeError
from actae.store.census import OpenExecutions, count_open_executions
from actae.store.database import Database

PATIENCE_SECONDS: Final = 1.0
REMEMBERED_SECONDS: Final = 10.0
REST: Final = 20  # after a count that took a second, nobody counts for twenty


class Census:
    """Remembers the last count, the longer the more it cost."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._counting = asyncio.Lock()
        self._last: OpenExecutions | None = None
        self._good_until = 0.0

    async def open_executions(self) -> OpenExecutions | None:
        """The count, up to some seconds old; None where the database could not tell in time."""
        async with self._counting:
            started = monotonic()
            if started >= self._good_until:
                self._last = await self._count()
                finished = monotonic()
                self._good_until = finished + max(REMEMBERED_SECONDS, REST * (finished - started))
            return self._last

    async def _count(self) -> OpenExecutions | None:
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                return await count_open_executions(self._db)
        except (TimeoutError, ActaeError, asyncpg.PostgresError, asyncpg.InterfaceError):
            return None
