"""What is done to the test's own database: leases end, and what is unsettled is counted."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from actae.store import crashtest
from actae.store.database import Database

T = TypeVar("T")

_READ_SECONDS = 15.0


class LedgerUnderTest:
    """The database behind the test's server, reached past it. For any number of threads."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn

    def end_leases(self, channel_ids: Sequence[str]) -> None:
        """What waiting would do: the leases of a dead agent lapse."""
        if channel_ids:
            asyncio.run(self._with_database(lambda db: crashtest.end_leases(db, channel_ids)))

    def count_unsettled(self, channel_ids: Sequence[str]) -> int:
        """How many operations are running or in doubt."""
        if not channel_ids:
            return 0
        return asyncio.run(self._with_database(lambda db: crashtest.count_unsettled(db, channel_ids)))

    async def _with_database(self, work: Callable[[Database], Awaitable[T]]) -> T:
        db = await Database.connect(self._dsn, connections_max=1, read_timeout_seconds=_READ_SECONDS)
        try:
            return await work(db)
        finally:
            await db.close()
