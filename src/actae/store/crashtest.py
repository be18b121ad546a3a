"""What a crash test does to its own database, and to no other."""

from collections.abc import Sequence

from actae.store.database import Session
from actae.store.queries import query

_END_LEASES = query("end_leases")
_COUNT_UNSETTLED = query("count_unsettled")


async def end_leases(session: Session, channel_ids: Sequence[str]) -> None:
    """Have the leases on these channels lapse now, as they would by themselves later."""
    await session.fetch(_END_LEASES, channel_ids=channel_ids)


async def count_unsettled(session: Session, channel_ids: Sequence[str]) -> int:
    """How many operations of these channels are running or in doubt."""
    row = await session.fetch_one(_COUNT_UNSETTLED, channel_ids=channel_ids)
    assert row is not None, "a count is a row"
    return int(row["unsettled"])
