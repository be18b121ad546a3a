"""How many there are of something: rows to numbers."""

from typing import NamedTuple

from actae.store.database import Session
from actae.store.queries import query

_COUNT_OPEN_EXECUTIONS = query("count_open_executions")
_COUNT_PENDING_WAKEUPS = query("count_pending_wakeups")


class OpenExecutions(NamedTuple):
    """Operations that were claimed and have not ended; of some the lease has lapsed."""

    open: int
    lapsed: int


async def count_open_executions(session: Session) -> OpenExecutions:
    """Reads the whole ledger, and takes its time."""
    row = await session.fetch_one(_COUNT_OPEN_EXECUTIONS)
    assert row is not None, "a count has a row"
    return OpenExecutions(*row)


class PendingWakeups(NamedTuple):
    """Wake-ups that have not fired: whose time is still to come, whose time has come, and how long ago."""

    waiting: int
    due: int
    oldest_due_seconds: float


async def count_pending_wakeups(session: Session) -> PendingWakeups:
    """Reads all that are pending."""
    row = await session.fetch_one(_COUNT_PENDING_WAKEUPS)
    assert row is not None, "a count has a row"
    return PendingWakeups(*row)
