"""How many there are of something: rows to numbers."""

from typing import NamedTuple

from actae.store.database import Session
from actae.store.queries import query

_COUNT_OPEN_EXECUTIONS = query("count_open_executions")


class OpenExecutions(NamedTuple):
    """Operations that were claimed and have not ended; of some the lease has lapsed.

    `oldest_seconds` is the time since the first claim of the oldest one, sessions' own left out; 0 of none.
    """

    open: int
    lapsed: int
    oldest_seconds: float


async def count_open_executions(session: Session) -> OpenExecutions:
    """Reads the whole ledger, and takes its time."""
    row = await session.fetch_one(_COUNT_OPEN_EXECUTIONS)
    assert row is not None, "a count has a row"
    return OpenExecutions(*row)
