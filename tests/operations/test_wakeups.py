"""Wake-ups under contention: one call is one wake-up, and what is over stays over."""

import asyncio
from contextlib import suppress

import asyncpg
import pytest

from actae.domain.access import EVERYTHING
from actae.domain.errors import ActaeError, IdempotencyConflictError, WakeupNotPendingError
from actae.domain.wakeups import Wakeup
from actae.operations import channels, deletion, firing, wakeups
from actae.operations.firing import fire
from actae.store.database import Database
from tests.support import asks
from tests.support.due import due_again, of_channel, scheduled, statuses
from tests.support.verified import assert_whole
from tests.support.waiting import until_true
from tests.support.writers import writing


async def test_racing_repetitions_schedule_one(db: Database) -> None:
    """Whoever loses the race gets the winner's."""
    made = await asyncio.gather(*(scheduled(db, operation_id="o") for _ in range(8)))
    assert len({each.id for each in made}) == 1
    assert await statuses(db) == {"pending": 1}


async def test_of_racing_calls_with_other_content_one_wins(db: Database) -> None:
    """The others are refused."""
    calls = (scheduled(db, operation_id="o", payload=b'{"n":%d}' % number) for number in range(4))
    made = await asyncio.gather(*calls, return_exceptions=True)
    assert len([each for each in made if isinstance(each, Wakeup)]) == 1
    assert len([each for each in made if isinstance(each, IdempotencyConflictError)]) == 3


async def test_many_who_fire_one_append_one_event(db: Database, database_url: str) -> None:
    """On a channel that all of them want to make."""
    for number in range(5):
        made = await scheduled(db, channel_id=f"run-{number}")
        fired = await asyncio.gather(*(fire(db, due_again(made)) for _ in range(8)))
        assert sorted(fired) == [False] * 7 + [True]
    assert await statuses(db) == {"done": 5}
    await assert_whole(database_url)


async def test_firing_and_writing_make_one_log(db: Database, database_url: str) -> None:
    """Whoever makes the channel, every event has its own cursor, and each of them is there."""
    made = await asyncio.gather(*(scheduled(db) for _ in range(20)))
    async with writing(database_url) as (writer, _):
        await asyncio.gather(
            *(fire(db, due_again(each)) for each in made),
            *(writer.submit(asks.record()) for _ in range(20)),
        )
    events = await of_channel(db)
    assert [event.cursor for event in events] == list(range(1, 41))
    assert len({bytes(event.payload) for event in events if event.type == "scheduler.wakeup"}) == 20
    await assert_whole(database_url)


async def test_a_wakeup_is_cancelled_or_fires(db: Database) -> None:
    """Never both, whoever is faster."""
    made = await asyncio.gather(*(scheduled(db) for _ in range(20)))

    async def cancel(wakeup: Wakeup) -> bool:
        with suppress(WakeupNotPendingError):
            await wakeups.cancel(db, "run-1", due_again(wakeup).wakeup_id)
            return True
        return False

    calls = [call for each in made for call in (fire(db, due_again(each)), cancel(each))]
    outcomes = await asyncio.gather(*calls)
    assert all(fired != cancelled for fired, cancelled in zip(outcomes[::2], outcomes[1::2], strict=True))
    assert len(await of_channel(db)) == sum(outcomes[::2])
    left = {"done": sum(outcomes[::2]), "cancelled": sum(outcomes[1::2])}
    assert await statuses(db) == {status: count for status, count in left.items() if count}


@pytest.mark.parametrize("end", ["close", "delete"])
async def test_no_timer_is_set_on_a_channel_that_ends_meanwhile(
    db: Database, database_url: str, end: str
) -> None:
    """A call that was accepted came first; what it left is gone with the channel, or fails when it is due."""
    async with writing(database_url) as (writer, _):
        await writer.submit(asks.record())
    calls = [scheduled(db) for _ in range(6)]
    ending = (
        channels.close(db, "run-1")
        if end == "close"
        else deletion.delete(db, "run-1", recursive=False, permissions=EVERYTHING)
    )
    made = await asyncio.gather(*calls[:3], ending, *calls[3:], return_exceptions=True)
    refused = [each for each in made if isinstance(each, BaseException)]
    assert all(isinstance(each, ActaeError) and each.code.startswith("channel_") for each in refused)
    accepted = len([each for each in made if isinstance(each, Wakeup)])
    assert await statuses(db) == ({"pending": accepted} if end == "close" and accepted else {})


async def test_a_deletion_and_a_firing_do_not_wait_for_each_other(db: Database, database_url: str) -> None:
    """Both lock the channel first, so one waits and none is turned back."""
    async with writing(database_url) as (writer, _):
        for number in range(10):
            name = f"run-{number}"
            await writer.submit(asks.record(channel_id=name))
            made = await asyncio.gather(*(scheduled(db, channel_id=name) for _ in range(3)))
            await asyncio.gather(
                *(fire(db, due_again(each)) for each in made),
                deletion.delete(db, name, recursive=False, permissions=EVERYTHING),
            )
            assert await of_channel(db, name) == []
    assert await statuses(db) == {}
    await assert_whole(database_url)


async def test_who_waits_for_a_channel_holds_nothing_in_it(
    db: Database, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A deletion, which comes the same way, would wait for a firing that waits for the deletion."""
    monkeypatch.setattr(firing, "LOCK_WAIT_MILLISECONDS", 60_000)
    async with writing(database_url) as (writer, _):
        await writer.submit(asks.record())
    made = await scheduled(db)
    holder = await asyncpg.connect(database_url)
    async with holder.transaction():
        await holder.execute("select 1 from channel_heads for update")
        waiting = asyncio.create_task(fire(db, due_again(made)))

        async def is_waiting() -> bool:
            blocked = "select exists (select from pg_stat_activity where wait_event_type = 'Lock')"
            return bool(await holder.fetchval(blocked))

        await until_true(is_waiting)
        await holder.execute("select 1 from wakeups for update nowait")
    await holder.close()
    assert await waiting


async def test_a_refused_call_does_not_use_up_its_id(db: Database, database_url: str) -> None:
    """Nothing of it stays."""
    async with writing(database_url) as (writer, _):
        await writer.submit(asks.record())
    await channels.close(db, "run-1")
    for _ in range(2):
        with pytest.raises(ActaeError, match="closed"):
            await scheduled(db, operation_id="o")
    assert await statuses(db) == {}
