"""`verify` on wake-ups: each that has fired is the event that it names."""

import pytest

from actae.operations.firing import fire
from actae.operations.verification import verify
from actae.store.database import Database
from tests.support.damage import damage, invariants
from tests.support.due import due_again, scheduled

DAMAGES = {
    "it names another's event": "update wakeups set event_cursor = 2 where event_cursor = 1",
    "it names no event": "update wakeups set event_cursor = 9 where event_cursor = 1",
    "its event has become another": "update events set event_type = 'note' where cursor = 1",
    "its event names another": "update events set metadata = '{}' where cursor = 1",
}


@pytest.fixture(autouse=True)
async def _wakeups(db: Database) -> None:
    """Two that have fired, and two that have not, one of them on a channel that is not there yet."""
    for _ in range(2):
        await fire(db, due_again(await scheduled(db)))
    await scheduled(db)
    await scheduled(db, channel_id="ahead")


async def test_what_has_fired_is_whole(db: Database) -> None:
    """Those that have not are nobody's fault."""
    report = await verify(db)
    assert report.is_whole, report.broken
    assert report.looked_at.wakeups == 2


@pytest.mark.parametrize("what", DAMAGES)
async def test_damage_is_found(db: Database, database_url: str, what: str) -> None:
    """By name."""
    await damage(database_url, DAMAGES[what])
    assert "wakeups_are_the_events_that_they_name" in invariants(await verify(db))


async def test_a_fired_one_needs_a_channel(db: Database, database_url: str) -> None:
    """Somebody must have told of it."""
    await damage(database_url, "update wakeups set channel_id = 'nowhere' where event_cursor = 1")
    assert "rows_belong_to_a_channel" in invariants(await verify(db))
