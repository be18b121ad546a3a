"""Retention: what goes when its time is over, what stays, and what a dry run says of both."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta

import asyncpg
import pytest

from actae.domain.access import EVERYTHING, Caller
from actae.domain.errors import ChannelDeletedError
from actae.domain.executions import Claimed
from actae.domain.retention_errors import RetentionPolicyNotFoundError
from actae.observations import ChannelRemoved, RemovalFailed, RetentionSwept
from actae.operations import channels, consumer_groups, execution_groups, member_leases, retention
from actae.operations.consumer_groups import Member
from actae.operations.execution_groups import AddMember
from actae.operations.removal import PAGE, Search, remove
from actae.operations.writer import Writer
from actae.store.database import Database
from tests.support import asks
from tests.support.damage import damage
from tests.support.due import scheduled
from tests.support.ending import DAY, end, end_many, everything, fork, keep, left, removes, run
from tests.support.everything import fill
from tests.support.postgres import Clock
from tests.support.rival import Rival, rival_of
from tests.support.verified import assert_whole
from tests.support.waiting import until_true
from tests.support.writers import Facts, writing


@pytest.fixture
async def writer(database_url: str) -> AsyncIterator[Writer]:
    """Makes what the channels hold."""
    async with writing(database_url) as (started, _):
        yield started


async def test_a_channel_goes_when_its_time_is_over(db: Database, writer: Writer, clock: Clock) -> None:
    """Not earlier, and its tombstone stays: its id is not used again, and its keys are never handed out."""
    await fill(writer, "ended")
    await channels.close(db, "ended")
    await writer.submit(asks.record(channel_id="goes-on"))
    await keep(db, "*", 30 * DAY)
    clock.advance(30 * DAY - 60)
    assert await removes(db) == []
    clock.advance(120)
    assert await removes(db) == ["ended"]
    assert await left(db) == {"goes-on"}
    assert (await channels.get_metadata(db, "ended")).deleted_at is not None
    refused = await writer.submit(asks.claim("done", channel_id="ended"))
    assert isinstance(refused.error, ChannelDeletedError)
    assert await removes(db) == []


async def test_nothing_goes_without_a_policy(db: Database, writer: Writer, clock: Clock) -> None:
    """However long ago it ended; nor under the pattern of others, nor after the policy was removed."""
    await end(db, writer, "run-1")
    clock.advance(1000 * DAY)
    assert await removes(db) == []
    await keep(db, "run", DAY)
    await keep(db, "runs*", DAY)
    assert await removes(db) == []
    await keep(db, "run-*", DAY)
    await retention.remove_policy(db, "run-*")
    assert await removes(db) == []
    with pytest.raises(RetentionPolicyNotFoundError):
        await retention.remove_policy(db, "run-*")


async def test_the_narrowest_pattern_counts(db: Database, writer: Writer, clock: Clock) -> None:
    """Its own, then the longest beginning; `%` and `_` are nothing special, and for ever is a policy."""
    await end(db, writer, "a", "ab", "abc", "abcd", "aXc", "z", "audit-1")
    for pattern, days in (("*", 1), ("ab*", 20), ("abc", 30), ("abcd*", 10), ("audit-*", None), ("a_c", 1)):
        await keep(db, pattern, None if days is None else days * DAY)
    clock.advance(2 * DAY)
    assert await removes(db) == ["a", "aXc", "z"]
    clock.advance(9 * DAY)
    assert await removes(db) == ["abcd"]
    clock.advance(10 * DAY)
    assert await removes(db) == ["ab"]
    clock.advance(10 * DAY)
    assert await removes(db) == ["abc"]
    clock.advance(3000 * DAY)
    assert await removes(db) == []


async def test_an_outcome_ends_a_channel_too(db: Database, writer: Writer, clock: Clock) -> None:
    """From the moment when it is recorded; whoever writes afterwards begins the time anew."""
    await keep(db, "*", DAY)
    for each in ("judged", "resumed"):
        await writer.submit(asks.record(channel_id=each))
    clock.advance(100 * DAY)
    assert await removes(db) == []
    for each in ("judged", "resumed"):
        await channels.set_outcome(db, each, "crashed", None)
    assert await removes(db) == []
    clock.advance(DAY / 2)
    await writer.submit(asks.record(channel_id="resumed", operation_id="again"))
    clock.advance(DAY / 2 + 60)
    assert await removes(db) == ["judged"]
    clock.advance(DAY / 2)
    assert await removes(db) == ["resumed"]


async def test_a_clock_that_is_put_back_removes_nothing(db: Database, writer: Writer, clock: Clock) -> None:
    """Then nothing has ended yet."""
    await end(db, writer, "run-1")
    await keep(db, "*", 1)
    clock.advance(-100 * DAY)
    assert await removes(db) == []
    clock.advance(101 * DAY)
    assert await removes(db) == ["run-1"]


async def an_operation_under_way(db: Database, writer: Writer) -> None:
    """Its lease is longer than the policy."""
    await writer.submit(asks.claim(channel_id="run-1", lease_seconds=86_400))
    await channels.close(db, "run-1")


async def an_ambiguous_operation(db: Database, writer: Writer) -> None:
    """Nobody has said what happened."""
    await writer.submit(asks.claim(channel_id="run-1", on_lapse="ambiguous"))
    await channels.close(db, "run-1")


async def a_wakeup(db: Database, writer: Writer) -> None:
    """It will go on then."""
    await scheduled(db, run_at=asks.NOON + timedelta(days=10_000))
    await channels.set_outcome(db, "run-1", "crashed", None)


async def a_question(db: Database, writer: Writer) -> None:
    """Somebody may still say yes."""
    await writer.submit(asks.request())
    await channels.set_outcome(db, "run-1", "inconclusive", None)


async def a_consumer(db: Database, writer: Writer) -> None:
    """It is still reading."""
    await end(db, writer, "run-1")
    await consumer_groups.create(db, "g", "run-1", None)
    await consumer_groups.join(db, Member("run-1", "g", "worker"), 86_400)


async def a_member(db: Database, writer: Writer) -> None:
    """It holds the lease on its place in a group."""
    caller = Caller(EVERYTHING, "api_key")
    await execution_groups.create(db, "crew", b"{}", caller=caller)
    ask = AddMember(group_id="crew", member_id="ada", channel_id="run-1", role=None, metadata=b"{}")
    await execution_groups.add_member(db, ask, caller=caller)
    await member_leases.claim(db, "crew", "ada", "me", 86_400, caller=caller)
    await end(db, writer, "run-1")


@pytest.mark.parametrize(
    ("prepare", "hold"),
    [
        (an_operation_under_way, "operation"),
        (an_ambiguous_operation, "operation"),
        (a_wakeup, "wakeup"),
        (a_question, "question"),
        (a_consumer, "owner"),
        (a_member, "owner"),
    ],
)
async def test_what_somebody_may_come_back_for_is_kept(
    db: Database,
    writer: Writer,
    clock: Clock,
    prepare: Callable[[Database, Writer], Awaitable[None]],
    hold: str,
) -> None:
    """And the run says why."""
    await writer.submit(asks.record(channel_id="run-1"))
    await prepare(db, writer)
    await keep(db, "*", 3600)
    clock.advance(7200)
    kept = await run(db)
    assert (kept.removed, kept.kept) == ([], {hold: 1})


async def test_a_lapsed_operation_is_no_reason_to_keep(db: Database, writer: Writer, clock: Clock) -> None:
    """Its worker is dead, and whoever closed the channel wanted no other."""
    await writer.submit(asks.claim(channel_id="run-1", lease_seconds=60))
    await channels.close(db, "run-1")
    await keep(db, "*", 3600)
    clock.advance(3700)
    assert await removes(db) == ["run-1"]


async def test_a_fork_that_lives_keeps_its_ancestors(
    db: Database, writer: Writer, clock: Clock, database_url: str
) -> None:
    """With all that it inherits; when the last one may go, all go, forks first."""
    done: Claimed = await writer.submit(asks.claim(channel_id="root"))
    await writer.submit(asks.complete(done.claim_token, channel_id="root"))
    for source, child in (("root", "middle"), ("middle", "leaf"), ("root", "other")):
        await fork(db, source, child)
    for each in ("root", "other", "middle"):
        await channels.close(db, each)
    await keep(db, "*", DAY)
    clock.advance(2 * DAY)
    dry = await run(db, is_dry=True)
    assert ([each.channel_id for each in dry.removed], dry.kept) == (["other"], {"fork": 2})
    assert await removes(db) == ["other"]
    replayed = await writer.submit(asks.claim(channel_id="leaf"))
    assert bytes(replayed.result) == b'"ok"'
    await channels.close(db, "leaf")
    clock.advance(2 * DAY)
    assert await removes(db) == ["leaf", "middle", "root"]
    await assert_whole(database_url)


async def test_a_fork_that_ended_first_goes_first_in_whatever_order_they_are_found(
    db: Database, writer: Writer, clock: Clock
) -> None:
    """Some before their parents, some after; each is named once."""
    await writer.submit(asks.record(channel_id="a"))
    for child in ("ab", "abc", "abcd", "ax", "axy"):
        await fork(db, child[:-1], child)
    for each in ("abc", "axy", "a", "ax", "abcd", "ab"):
        await channels.close(db, each)
        clock.advance(1)
    await keep(db, "*", DAY)
    clock.advance(2 * DAY)
    gone = await removes(db)
    assert sorted(gone) == ["a", "ab", "abc", "abcd", "ax", "axy"]
    assert all(gone.index(each) > gone.index(child) for child in gone for each in [child[:-1]] if each)


async def test_a_run_removes_up_to_a_number(db: Database, writer: Writer, clock: Clock) -> None:
    """And says that there is more; the next one goes on."""
    names = [f"run-{number}" for number in range(5)]
    await end(db, writer, *names)
    await keep(db, "*", DAY)
    clock.advance(2 * DAY)
    assert (await run(db, is_dry=True, most=2)).has_more
    assert [await removes(db, most=2) for _ in range(4)] == [names[:2], names[2:4], names[4:], []]
    assert not (await run(db, most=1)).has_more


async def test_what_stays_keeps_nothing_behind_it_from_going(
    db: Database, writer: Writer, clock: Clock
) -> None:
    """However many come first, in a list that is read by the page."""
    count = PAGE + 10
    await end_many(db, writer, (f"kept-{number}" for number in range(count)))
    await end(db, writer, "behind")
    await keep(db, "*", DAY)
    await keep(db, "kept-*", 100 * DAY)
    clock.advance(2 * DAY)
    assert await removes(db) == ["behind"]


async def test_a_caller_decides_about_its_own_channels(db: Database, writer: Writer, clock: Clock) -> None:
    """Those of others are not counted either, and as forks they keep what is the caller's."""
    await end(db, writer, "mine-1", "other-1", "mine-2")
    await fork(db, "mine-2", "other-2")
    await channels.close(db, "other-2")
    await keep(db, "*", DAY)
    clock.advance(2 * DAY)
    mine = await retention.run(
        db, is_dry=False, most=10, may=lambda name: name.startswith("mine"), observe=lambda _fact: None
    )
    assert ([each.channel_id for each in mine.removed], mine.kept) == (["mine-1"], {"fork": 1})
    assert await left(db) == {"other-1", "mine-2", "other-2"}


async def test_two_runs_at_once_remove_each_channel_once(
    db: Database, writer: Writer, clock: Clock, database_url: str
) -> None:
    """Whoever comes second leaves it."""
    names = [f"run-{number}" for number in range(30)]
    await end_many(db, writer, names)
    await keep(db, "*", DAY)
    clock.advance(2 * DAY)
    runs = await asyncio.gather(*(run(db) for _ in range(3)))
    assert sorted(each.channel_id for ran in runs for each in ran.removed) == sorted(names)
    assert await left(db) == set()
    await assert_whole(database_url)


async def test_a_channel_that_is_written_meanwhile_stays(
    db: Database, writer: Writer, clock: Clock, database_url: str
) -> None:
    """A run that found it idle waits for whoever writes there, looks again, and leaves it."""
    await end(db, writer, "run-1")
    await keep(db, "*", DAY)
    clock.advance(2 * DAY)
    other = await asyncpg.connect(database_url)
    async with rival_of(database_url) as rival, other.transaction():
        await other.execute("update channel_heads set active_at = actae_now(), revision = revision + 1")
        running = asyncio.create_task(run(db))
        await until_true(lambda: is_waited_for(rival, other))
    await other.close()
    ran = await running
    assert (ran.removed, ran.kept) == ([], {"busy": 1})
    assert await left(db) == {"run-1"}


async def is_waited_for(rival: Rival, holder: asyncpg.Connection) -> bool:
    """Whether somebody waits for what this connection holds."""
    blocked = "select exists (select from pg_stat_activity where $1 = any(pg_blocking_pids(pid)))"
    return bool(await rival.value(blocked, holder.get_server_pid()))


async def test_a_channel_that_somebody_holds_is_passed_by(
    db: Database, writer: Writer, clock: Clock, database_url: str
) -> None:
    """For as long as it lasts; the others go."""
    await end(db, writer, "held", "free")
    await keep(db, "*", DAY)
    clock.advance(2 * DAY)
    async with rival_of(database_url) as rival, rival.holding("held"):
        ran = await run(db)
    assert ([each.channel_id for each in ran.removed], ran.kept) == (["free"], {"busy": 1})
    assert await removes(db) == ["held"]


async def test_a_policy_that_is_widened_meanwhile_is_heeded(
    db: Database, writer: Writer, clock: Clock
) -> None:
    """What was found already is looked at again before it goes."""
    await end(db, writer, "first", "second")
    await keep(db, "*", DAY)
    clock.advance(2 * DAY)
    found = [each.channel_id async for each in Search(db, everything).find()]
    await keep(db, "second", None)
    assert [await remove(db, each) is not None for each in found] == [True, False]
    assert await left(db) == {"second"}


async def test_a_sweep_is_one_servers_turn(db: Database, writer: Writer, clock: Clock) -> None:
    """The next begins when the time between two is over, or when the clock was put back."""
    facts = Facts()

    async def sweep() -> int:
        before = len(facts.of(RetentionSwept))
        sweeps = (retention.sweep(db, every_seconds=600, observe=facts.append) for _ in range(4))
        await asyncio.gather(*sweeps)
        return len(facts.of(RetentionSwept)) - before

    assert await sweep() == 0  # without a policy there is nothing to do
    await keep(db, "*", 60)
    assert [await sweep(), await sweep()] == [1, 0]
    await end(db, writer, "run-1")
    clock.advance(601)
    assert await sweep() == 1
    assert facts.of(ChannelRemoved) == [ChannelRemoved("run-1", "*", 1)]
    clock.advance(-DAY)
    assert [await sweep(), await sweep()] == [1, 0]


async def test_a_channel_that_cannot_be_removed_keeps_no_other(
    db: Database, writer: Writer, clock: Clock, database_url: str
) -> None:
    """However many there are; each is told of, and the others go."""
    broken = [f"broken-{number}" for number in range(4)]
    await end(db, writer, *broken, "whole", "whole-2")
    await damage(
        database_url,
        "create function refuse() returns trigger language plpgsql as"
        " $$ begin raise exception 'no' ; end $$;"
        "create trigger refuse before delete on events for each row"
        " when (old.channel_id like 'broken%') execute function refuse()",
    )
    await keep(db, "*", DAY)
    clock.advance(2 * DAY)
    ran = await run(db, most=1)
    assert ([each.channel_id for each in ran.removed], ran.kept, ran.has_more) == (
        ["whole"],
        {"failed": 4},
        True,
    )
    facts = Facts()
    await retention.sweep(db, every_seconds=600, observe=facts.append)
    assert [fact.channel_id for fact in facts.of(RemovalFailed)] == broken
    assert isinstance(facts.of(RemovalFailed)[0].error, asyncpg.RaiseError)
    assert await left(db) == set(broken)


async def test_a_sweep_has_more_patience_than_a_caller(
    db: Database, writer: Writer, clock: Clock, database_url: str
) -> None:
    """What takes longer than a statement may is left by a run, and removed by a sweep."""
    await end(db, writer, "large")
    await damage(
        database_url,
        "create function linger() returns trigger language plpgsql as"
        " $$ begin perform pg_sleep(0.6); return old; end $$;"
        "create trigger linger before delete on events for each row execute function linger()",
    )
    await keep(db, "*", DAY)
    clock.advance(2 * DAY)
    hasty = await Database.connect(database_url, connections_max=2, read_timeout_seconds=0.3)
    try:
        ran = await run(hasty)
        assert (ran.removed, ran.kept) == ([], {"failed": 1})
        facts = Facts()
        await retention.sweep(hasty, every_seconds=600, observe=facts.append)
    finally:
        await hasty.close()
    assert facts.of(ChannelRemoved) == [ChannelRemoved("large", "*", 1)]
