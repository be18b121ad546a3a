"""Consumer groups under contention: who comes at the same time, and whose connection is cut."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from actae.domain.access import EVERYTHING
from actae.domain.errors import ActaeError, ChannelDeletedError, UnavailableError
from actae.domain.group_errors import GroupConflictError
from actae.operations import consumer_groups as groups
from actae.operations import deletion
from actae.operations.consumer_groups import Member
from actae.operations.verification import verify
from actae.operations.writer import Writer
from actae.store import channels
from actae.store.database import Database
from tests.support import asks
from tests.support.postgres import Clock
from tests.support.proxy import Proxy, target_of, through
from tests.support.rival import rival_of
from tests.support.waiting import until_true
from tests.support.writers import writing


@pytest.fixture
async def writer(database_url: str) -> AsyncIterator[Writer]:
    """Makes the events."""
    async with writing(database_url) as (started, _):
        yield started


async def fill(db: Database, writer: Writer, count: int, *names: str) -> list[Member]:
    """A group on so many events, and consumers that have joined."""
    await asyncio.gather(*(writer.submit(asks.record()) for _ in range(count)))
    await groups.create(db, "g", "run-1", None)
    members = [Member("run-1", "g", name) for name in names]
    for each in members:
        await groups.join(db, each, 60)
    return members


async def take(db: Database, member: Member, most: int) -> list[int]:
    """Be handed events; their cursors."""
    return [event.cursor for event in (await groups.claim_work(db, member, most)).events]


async def test_of_many_who_ask_at_once_each_gets_others(db: Database, writer: Writer) -> None:
    """And acknowledging all at once moves the watermark to the end."""
    members = await fill(db, writer, 60, *(f"w{number}" for number in range(12)))
    handed = await asyncio.gather(*(take(db, each, 5) for each in members))
    assert sorted(cursor for cursors in handed for cursor in cursors) == list(range(1, 61))
    acks = (groups.ack(db, each, cursors[-1]) for each, cursors in zip(members, handed, strict=True))
    assert sum(acked.acked_count for acked in await asyncio.gather(*acks)) == 60
    [group], _ = await groups.list_by_name(db, channel_id=None, readable=None, after="", most=10)
    assert group.watermark == 60
    assert (await verify(db)).is_whole


async def test_one_consumer_that_asks_twice_at_once_gets_the_same(db: Database, writer: Writer) -> None:
    """A repetition that overtakes the first request reserves nothing more."""
    [member] = await fill(db, writer, 20, "a")
    handed = await asyncio.gather(*(take(db, member, 5) for _ in range(8)))
    assert handed == [[1, 2, 3, 4, 5]] * 8


async def test_what_lapsed_is_taken_over_by_one(db: Database, writer: Writer, clock: Clock) -> None:
    """Of many who come when the lease has ended."""
    [gone, *others] = await fill(db, writer, 6, "gone", *(f"w{number}" for number in range(6)))
    assert await take(db, gone, 6) == [1, 2, 3, 4, 5, 6]
    clock.advance(61)
    await asyncio.gather(*(groups.join(db, each, 60) for each in others))
    handed = await asyncio.gather(*(take(db, each, 2) for each in others))
    assert sorted(cursor for cursors in handed for cursor in cursors) == [1, 2, 3, 4, 5, 6]


async def test_racing_creations_make_one_group(db: Database) -> None:
    """On one channel; on two, one of them wins."""
    made = await asyncio.gather(*(groups.create(db, "g", "run-1", None) for _ in range(8)))
    assert len({each.created_at for each in made}) == 1
    calls = (groups.create(db, "h", channel_id, None) for channel_id in ["a", "b"] * 4)
    answers = await asyncio.gather(*calls, return_exceptions=True)
    refused = [each for each in answers if isinstance(each, GroupConflictError)]
    assert len(refused) == 4
    assert len({each.channel_id for each in answers if not isinstance(each, BaseException)}) == 1


async def test_a_channel_is_deleted_under_its_consumers(db: Database, writer: Writer) -> None:
    """Whoever comes first; nothing is left behind, and nobody waits for anybody else for ever."""
    members = await fill(db, writer, 40, *(f"w{number}" for number in range(6)))

    async def consume(member: Member) -> None:
        while cursors := await take(db, member, 2):
            await groups.ack(db, member, cursors[-1])

    async def create_again() -> None:
        for _ in range(5):
            await groups.create(db, "g", "run-1", None)

    working = [
        *map(consume, members),
        create_again(),
        deletion.delete(db, "run-1", recursive=False, permissions=EVERYTHING),
    ]
    ended = await asyncio.gather(*working, return_exceptions=True)
    troubles = [each for each in ended if isinstance(each, BaseException)]
    assert all(isinstance(each, ActaeError) for each in troubles), troubles
    assert {each.code for each in troubles if isinstance(each, ActaeError)} <= {
        "consumer_not_found",
        "channel_deleted",
    }
    with pytest.raises(ChannelDeletedError):
        await groups.create(db, "g", "run-1", None)
    assert await groups.find_channel(db, "g") is None
    report = await verify(db)
    assert (report.broken, report.looked_at.consumer_groups) == ([], 0)


async def test_no_group_is_made_behind_the_back_of_a_deletion(
    db: Database, writer: Writer, database_url: str
) -> None:
    """Who comes in the middle of one waits for its end, and is refused."""
    await writer.submit(asks.record())
    waiting = "select count(*) > 0 from pg_stat_activity where $1 = any(pg_blocking_pids(pid))"
    async with rival_of(database_url) as rival:
        async with db.transaction() as tx:
            await channels.lock_heads(tx, "run-1")
            creating = asyncio.create_task(groups.create(db, "g", "run-1", None))
            holder_pid = tx.connection.get_server_pid()
            await until_true(lambda: rival.value(waiting, holder_pid))
            await channels.delete_channel(tx, "run-1")
        with pytest.raises(ChannelDeletedError):
            await creating
    assert await groups.find_channel(db, "g") is None


async def test_work_whose_commit_was_not_heard_of_comes_again(
    db: Database, writer: Writer, database_url: str
) -> None:
    """Nobody knows whether it is reserved; asking again tells, either way."""
    [member] = await fill(db, writer, 10, "a")
    with Proxy(target_of(database_url)) as proxy:
        far = await Database.connect(through(proxy, database_url), connections_max=2, read_timeout_seconds=15)
        for lost in ("request", "reply"):
            proxy.lose(lost, b"COMMIT", then="cut")
            with pytest.raises(UnavailableError, match="outcome is unknown"):
                await groups.claim_work(far, member, 3)
            assert await take(far, member, 3) == [1, 2, 3]
        proxy.lose("reply", b"COMMIT", then="cut")
        with pytest.raises(UnavailableError, match="outcome is unknown"):
            await groups.ack(far, member, 3)
        assert (await groups.ack(far, member, 3)).acked_count == 0
        assert await take(far, member, 3) == [4, 5, 6]
        await far.close()
