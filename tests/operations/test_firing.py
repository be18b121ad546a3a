"""Sweeps: what is due fires, and what cannot fire keeps nobody waiting."""

import asyncio
from datetime import timedelta

import asyncpg
import pytest

from actae.domain.errors import UnavailableError
from actae.domain.wakeups import RETRY_DELAYS, DueWakeup
from actae.observations import WakeupFailed, WakeupFired, WakeupPutOff, WakeupsDeferred
from actae.operations import channels
from actae.operations.firing import DEFERRAL_SECONDS, PAGE, in_turn, sweep
from actae.store.database import Database
from actae.store.queries import query
from tests.support import asks
from tests.support.damage import damage
from tests.support.due import LONG_AGO, now_of, of_channel, scheduled, statuses
from tests.support.postgres import Clock
from tests.support.proxy import Proxy, target_of, through
from tests.support.verified import assert_whole
from tests.support.writers import Facts, writing


@pytest.fixture
def facts() -> Facts:
    """What is observed."""
    return Facts()


async def sweep_all(db: Database, facts: Facts) -> None:
    """Until a page is not full."""
    while await sweep(db, lag_seconds=0, observe=facts.append):
        pass


async def test_a_sweep_fires_what_is_due_and_nothing_else(db: Database, facts: Facts, clock: Clock) -> None:
    """And tells of each."""
    due = await scheduled(db)
    ahead = await scheduled(db, run_at=clock.now() + timedelta(hours=1))
    assert not await sweep(db, lag_seconds=0, observe=facts.append)
    assert ((await now_of(db, due)).status, (await now_of(db, ahead)).status) == ("done", "pending")
    assert facts == [WakeupFired(due.id, 1)]


async def test_what_is_due_stays_pending_for_the_lag(db: Database, facts: Facts, clock: Clock) -> None:
    """So that somebody who waits for the same moment can cancel it."""
    made = await scheduled(db, run_at=clock.now() + timedelta(seconds=100))
    clock.advance(105)
    await sweep(db, lag_seconds=50, observe=facts.append)
    assert (await now_of(db, made)).status == "pending"
    clock.advance(50)
    await sweep(db, lag_seconds=50, observe=facts.append)
    assert (await now_of(db, made)).status == "done"


async def test_a_full_page_says_that_there_may_be_more(db: Database, facts: Facts) -> None:
    """The longest due go first; those of one channel in the order of their times."""
    made = [
        await scheduled(db, channel_id=f"run-{place % 3}", run_at=LONG_AGO + timedelta(minutes=place))
        for place in range(PAGE + 10)
    ]
    assert await sweep(db, lag_seconds=0, observe=facts.append)
    assert {(await now_of(db, each)).status for each in made[:PAGE]} == {"done"}
    assert {(await now_of(db, each)).status for each in made[PAGE:]} == {"pending"}
    assert not await sweep(db, lag_seconds=0, observe=facts.append)
    for place in range(3):
        told = [
            fact.wakeup_id for fact in facts.of(WakeupFired) if fact.wakeup_id.startswith(f"run-{place}~")
        ]
        assert told == [each.id for each in made[place::3]]


async def test_two_servers_share_the_work(db: Database, database_url: str) -> None:
    """Each wake-up fires once, whoever fires it."""
    for place in range(60):
        await scheduled(db, channel_id=f"run-{place % 7}")
    other = await Database.connect(database_url, connections_max=4, read_timeout_seconds=15)
    one, two = Facts(), Facts()
    await asyncio.gather(sweep_all(db, one), sweep_all(other, two))
    await other.close()
    assert len(one) + len(two) == len({*one, *two}) == 60
    assert await statuses(db) == {"done": 60}
    assert sum([len(await of_channel(db, f"run-{place}")) for place in range(7)]) == 60
    await assert_whole(database_url)


async def test_what_can_never_fire_keeps_nobody_waiting(
    db: Database, database_url: str, facts: Facts
) -> None:
    """More than a page of them, on a closed channel: each fails at once, and says why."""
    count = PAGE + 50
    async with writing(database_url) as (writer, _):
        await writer.submit(asks.record(channel_id="closed"))
    poisoned = [await scheduled(db, channel_id="closed") for _ in range(count)]
    behind = await scheduled(db, run_at=LONG_AGO + timedelta(days=1))
    await channels.close(db, "closed")
    assert await sweep(db, lag_seconds=0, observe=facts.append)
    assert not await sweep(db, lag_seconds=0, observe=facts.append)
    assert (await now_of(db, behind)).status == "done"
    assert await statuses(db, "closed") == {"failed": count}
    failed = await now_of(db, poisoned[0])
    assert (failed.attempts, failed.error) == (1, "channel_closed: Channel 'closed' is closed.")
    assert len(facts.of(WakeupFailed)) == count
    assert len(await of_channel(db, "closed")) == 1


@pytest.fixture
async def damaged(db: Database, database_url: str) -> str:
    """A channel whose next event cannot be written: something is in its place."""
    async with writing(database_url) as (writer, _):
        await writer.submit(asks.record(channel_id="damaged"))
    await damage(
        database_url,
        """insert into events select channel_id, 2, gen_random_uuid(), event_type, actor, agent_id, user_id,
                  payload, metadata, depends_on, dependencies, chain_hash, recorded_at from events""",
    )
    return "damaged"


async def test_a_try_that_fails_is_made_again_later_and_later(
    db: Database, facts: Facts, clock: Clock, damaged: str
) -> None:
    """Until it is given up; the reason names no more than the kind of error."""
    made = await scheduled(db, channel_id=damaged)
    for attempts, delay in enumerate(RETRY_DELAYS, 1):
        await sweep_all(db, facts)
        stands = await now_of(db, made)
        assert (stands.status, stands.attempts) == ("pending", attempts)
        clock.advance(-60)
        await sweep_all(db, facts)
        assert (await now_of(db, made)).attempts == attempts, "it is not tried before its time"
        clock.advance(60 + delay)
    await sweep_all(db, facts)
    given_up = await now_of(db, made)
    assert (given_up.status, given_up.attempts) == ("failed", len(RETRY_DELAYS) + 1)
    assert given_up.error == "internal: the event could not be appended (UniqueViolationError)"
    assert [fact.delay_seconds for fact in facts.of(WakeupPutOff)] == list(RETRY_DELAYS)
    assert facts.of(WakeupFailed) == [WakeupFailed(made.id, 5, given_up.error)]
    assert given_up.run_at == made.run_at


async def test_what_failed_at_first_may_fire_in_the_end(
    db: Database, database_url: str, facts: Facts, clock: Clock, damaged: str
) -> None:
    """Its tries are counted, and the error is forgotten."""
    made = await scheduled(db, channel_id=damaged)
    await sweep_all(db, facts)
    assert (await now_of(db, made)).error is not None
    await damage(database_url, "delete from events where cursor = 2")
    clock.advance(RETRY_DELAYS[0])
    await sweep_all(db, facts)
    done = await now_of(db, made)
    assert (done.status, done.attempts, done.error) == ("done", 2, None)
    await assert_whole(database_url)


async def test_a_channel_that_somebody_holds_keeps_nobody_waiting(
    db: Database, database_url: str, facts: Facts, clock: Clock
) -> None:
    """All that it has due is put off at once, and none of it is counted as tried."""
    async with writing(database_url) as (writer, _):
        await writer.submit(asks.record(channel_id="held"))
    for _ in range(PAGE + 50):
        await scheduled(db, channel_id="held")
    behind = await scheduled(db, run_at=LONG_AGO + timedelta(days=1))
    holder = await asyncpg.connect(database_url)
    async with holder.transaction():
        await holder.execute("select 1 from channel_heads for update")
        await sweep_all(db, facts)
        assert (await now_of(db, behind)).status == "done"
        assert await statuses(db, "held") == {"pending": PAGE + 50}
        assert [fact.channel_id for fact in facts.of(WakeupsDeferred)] == ["held"]
    clock.advance(-60)
    await sweep_all(db, facts)
    assert await statuses(db, "held") == {"pending": PAGE + 50}, "none is tried before its time"
    latest, second = await holder.fetch("select due_at from wakeups order by due_at desc limit 2")
    await holder.close()
    assert (latest[0] - second[0]).total_seconds() > DEFERRAL_SECONDS / 2, "who was tried goes last"
    clock.advance(60 + 2 * DEFERRAL_SECONDS)
    await sweep_all(db, facts)
    assert await statuses(db, "held") == {"done": PAGE + 50}
    assert {fact.attempts for fact in facts.of(WakeupFired)} == {1}


async def test_a_commit_that_was_not_heard_of_is_not_made_twice(
    db: Database, database_url: str, facts: Facts, clock: Clock
) -> None:
    """The sweep cannot know; the next one finds the wake-up done."""
    made = await scheduled(db)
    with Proxy(target_of(database_url)) as proxy:
        cut = await Database.connect(through(proxy, database_url), connections_max=4, read_timeout_seconds=15)
        proxy.lose("reply", b"COMMIT", then="cut")
        await sweep_all(cut, facts)
        await cut.close()
    clock.advance(2 * DEFERRAL_SECONDS)
    await sweep_all(db, facts)
    assert (await now_of(db, made)).status == "done"
    assert len(await of_channel(db)) == 1
    assert facts.of(WakeupFired) == []


async def test_a_try_that_was_lost_before_its_commit_is_made_again(
    db: Database, database_url: str, facts: Facts, clock: Clock
) -> None:
    """Nothing of it is there, and it does not count."""
    made = await scheduled(db)
    with Proxy(target_of(database_url)) as proxy:
        cut = await Database.connect(through(proxy, database_url), connections_max=4, read_timeout_seconds=15)
        proxy.lose("request", b"COMMIT", then="cut")
        await sweep_all(cut, facts)
        await cut.close()
    assert await of_channel(db) == []
    clock.advance(2 * DEFERRAL_SECONDS)
    await sweep_all(db, facts)
    assert facts.of(WakeupFired) == [WakeupFired(made.id, 1)]
    assert len(await of_channel(db)) == 1


async def test_a_sweep_without_a_database_says_so(db: Database, database_url: str, facts: Facts) -> None:
    """Nothing is counted, and everything fires afterwards."""
    made = [await scheduled(db, channel_id=f"run-{place}") for place in range(3)]
    proxy = Proxy(target_of(database_url))
    cut = await Database.connect(through(proxy, database_url), connections_max=4, read_timeout_seconds=15)
    proxy.close()
    with pytest.raises(UnavailableError):
        await sweep(cut, lag_seconds=0, observe=facts.append)
    await cut.close()
    assert facts == []
    await sweep_all(db, facts)
    assert sorted(fact.wakeup_id for fact in facts.of(WakeupFired)) == sorted(each.id for each in made)


def test_servers_take_the_channels_in_different_orders() -> None:
    """So that they seldom want the same one; within a channel nothing changes its place."""
    due = [DueWakeup(f"run-{place % 10}", f"{place:032}", 0) for place in range(100)]
    orders = {tuple(turn[0].channel_id for turn in in_turn(due)) for _ in range(20)}
    assert len(orders) > 1
    for turn in in_turn(due):
        assert turn == [each for each in due if each.channel_id == turn[0].channel_id]


async def test_a_sweep_reads_no_more_than_what_is_due(db: Database, database_url: str) -> None:
    """The index ends where the present begins, however many are still to come."""
    await scheduled(db)
    connection = await asyncpg.connect(database_url)
    await connection.execute(
        """insert into wakeups (channel_id, wakeup_id, run_at, due_at, status, attempts, created_at)
           select 'run-' || n, gen_random_uuid(), moment, moment, 'pending', 0, clock_timestamp()
             from (select n, clock_timestamp() + make_interval(hours => n) as moment
                     from generate_series(1, 5000) as n) as ahead"""
    )
    await connection.execute("analyze wakeups")
    statement = query("list_due_wakeups").sql
    rows = await connection.fetch(f"explain (analyze, costs off, timing off) {statement}", 1.0, 100)
    await connection.close()
    plan = "\n".join(row[0] for row in rows)
    assert "Index Scan using wakeups_due" in plan, plan
    assert "Index Cond: (due_at <=" in plan, plan
    assert "Rows Removed by Filter" not in plan, plan
