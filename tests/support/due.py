"""Wake-ups that are due already, for tests of the operations."""

from collections import Counter
from datetime import UTC, datetime

from actae.domain.events import Event
from actae.domain.fingerprint import content_digest
from actae.domain.identity import identify
from actae.domain.wakeups import WAKEUP_NAMESPACE, DueWakeup, Wakeup
from actae.operations import wakeups
from actae.operations.events import replay
from actae.operations.wakeups import ScheduleWakeup
from actae.store.database import Database

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


async def scheduled(
    db: Database,
    *,
    channel_id: str = "run-1",
    run_at: datetime = LONG_AGO,
    payload: bytes | None = None,
    operation_id: str | None = None,
) -> Wakeup:
    """A new wake-up."""
    identity = None
    if operation_id is not None:
        content = content_digest(run_at.isoformat(), payload)
        identity = identify(WAKEUP_NAMESPACE, operation_id, content)
    return await wakeups.schedule(db, ScheduleWakeup(channel_id, run_at, payload, identity))


def due_again(wakeup: Wakeup) -> DueWakeup:
    """As a sweep finds it."""
    return DueWakeup(wakeup.channel_id, wakeup.id.rpartition("~")[2], wakeup.attempts)


async def now_of(db: Database, wakeup: Wakeup) -> Wakeup:
    """As it stands now."""
    return await wakeups.get(db, wakeup.channel_id, due_again(wakeup).wakeup_id)


async def statuses(db: Database, channel_id: str | None = None) -> dict[str, int]:
    """How many there are of each status."""
    found, has_more = await wakeups.list_by_time(
        db, channel_id, readable=None, status=None, after=None, most=10_000
    )
    assert not has_more
    return dict(Counter(each.status for each in found))


async def of_channel(db: Database, channel_id: str = "run-1") -> list[Event]:
    """The whole log."""
    return await replay(db, channel_id, after=0, most=10_000, event_type=None)
