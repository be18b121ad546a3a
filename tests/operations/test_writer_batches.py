"""The group commit: what waits shares a transaction, within bounds, in order."""

import asyncio

import pytest

from actae.domain.errors import OverloadedError, UnavailableError
from actae.domain.events import AlreadyAppended, Appended
from actae.domain.executions import Claimed, InProgress, Settled
from tests.support.asks import claim, complete, record
from tests.support.rival import rival_of
from tests.support.waiting import until_true
from tests.support.writers import writing


async def test_a_batch_is_whatever_waited_while_the_last_one_committed(database_url: str) -> None:
    """No timer: one commits alone, the twenty that came meanwhile share the next transaction."""
    async with writing(database_url) as (writer, facts), rival_of(database_url) as rival:
        await writer.submit(record())
        async with rival.holding("run-1"):
            first = writer.submit(record())
            await rival.until_somebody_waits()
            others = [writer.submit(record()) for _ in range(20)]
            assert writer.waiting == 20
        answers = await asyncio.gather(first, *others)
        assert facts.batch_sizes == [1, 1, 20]
        assert [answer.event.cursor for answer in answers] == list(range(2, 23))


async def test_asks_of_one_batch_see_each_other_in_order(database_url: str) -> None:
    """As if each had its own transaction: one claim wins, one operation id appends."""
    async with writing(database_url) as (writer, facts), rival_of(database_url) as rival:
        await writer.submit(record())
        async with rival.holding("run-1"):
            first = writer.submit(record())
            await rival.until_somebody_waits()
            asks = (
                claim(attempt_id="first"),
                claim(attempt_id="second"),
                claim(attempt_id="first"),
                record(operation_id="op"),
                record(operation_id="op"),
            )
            waiting = [writer.submit(ask) for ask in asks]
        await first
        claimed, in_progress, repeated, appended, again = await asyncio.gather(*waiting)
        assert facts.batch_sizes[-1] == 5
        assert isinstance(claimed, Claimed)
        assert isinstance(in_progress, InProgress)
        assert repeated == claimed
        assert isinstance(appended, Appended)
        assert again == AlreadyAppended("run-1", appended.event.cursor, None)
        assert await rival.cursors("run-1") == [1, 2, 3, 4]


async def test_a_batch_of_many_channels_writes_each_of_them(database_url: str) -> None:
    """New channels and old ones, events and ledger rows, in one statement."""
    async with writing(database_url) as (writer, facts), rival_of(database_url) as rival:
        held = [await writer.submit(claim(channel_id=f"run-{number}")) for number in range(5)]
        async with rival.holding("run-0"):
            first = writer.submit(record(channel_id="run-0"))
            await rival.until_somebody_waits()
            settled = [
                writer.submit(complete(claimed.claim_token, channel_id=f"run-{number}"))
                for number, claimed in enumerate(held)
            ]
            born = [writer.submit(record(channel_id=f"new-{number}")) for number in range(5)]
        await first
        assert all(isinstance(answer, Settled) for answer in await asyncio.gather(*settled))
        assert [answer.event.cursor for answer in await asyncio.gather(*born)] == [1] * 5
        assert facts.batch_sizes[-1] == 10
        assert await rival.cursors("run-0") == [1, 2, 3]
        assert await rival.cursors("run-4") == [1, 2]


async def test_a_batch_is_bounded_in_number_and_in_bytes(database_url: str) -> None:
    """What is too large to share a transaction goes alone."""
    async with (
        writing(database_url, batch_asks=4, batch_bytes=1000) as (writer, facts),
        rival_of(database_url) as rival,
    ):
        await writer.submit(record())
        async with rival.holding("run-1"):
            first = writer.submit(record())
            await rival.until_somebody_waits()
            small = [writer.submit(record()) for _ in range(6)]
            large = [writer.submit(record(b'"%b"' % (b"x" * size))) for size in (600, 600, 5000)]
            last = writer.submit(record())
        await asyncio.gather(first, *small, *large, last)
        assert facts.batch_sizes == [1, 1, 4, 3, 1, 1, 1]
        assert await rival.cursors("run-1") == list(range(1, 13))


async def test_a_batch_can_be_cut_at_the_channel(database_url: str) -> None:
    """For engines that write one shard per statement; the order stays."""
    async with (
        writing(database_url, one_channel=True) as (writer, facts),
        rival_of(database_url) as rival,
    ):
        await writer.submit(record())
        async with rival.holding("run-1"):
            first = writer.submit(record())
            await rival.until_somebody_waits()
            waiting = [
                writer.submit(record(channel_id=channel))
                for channel in ("run-1", "run-1", "run-2", "run-1", "run-2", "run-2")
            ]
        await asyncio.gather(first, *waiting)
        assert facts.batch_sizes == [1, 1, 2, 1, 1, 2]
        assert await rival.cursors("run-1") == [1, 2, 3, 4, 5]
        assert await rival.cursors("run-2") == [1, 2, 3]


async def test_a_full_queue_refuses_and_forgets_nothing(database_url: str) -> None:
    """Past the bound callers are asked to come back; those who were accepted are answered."""
    async with writing(database_url, queue_asks=3) as (writer, _), rival_of(database_url) as rival:
        await writer.submit(record())
        async with rival.holding("run-1"):
            first = writer.submit(record())
            await rival.until_somebody_waits()
            accepted = [writer.submit(record()) for _ in range(3)]
            with pytest.raises(OverloadedError) as refused:
                writer.submit(record())
        assert refused.value.retryable
        assert refused.value.details["retry_after_seconds"] == 1
        await asyncio.gather(first, *accepted)
        assert await rival.cursors("run-1") == [1, 2, 3, 4, 5]
        await writer.submit(record())


async def test_a_queue_is_bounded_in_bytes_too(database_url: str) -> None:
    """One ask larger than the bound is still taken when nothing else waits."""
    large = record(b'"%b"' % (b"x" * 2000))
    async with writing(database_url, queue_bytes=1000) as (writer, _), rival_of(database_url) as rival:
        await writer.submit(record())
        async with rival.holding("run-1"):
            first = writer.submit(record())
            await rival.until_somebody_waits()
            accepted = writer.submit(large)
            with pytest.raises(OverloadedError):
                writer.submit(record())
        await asyncio.gather(first, accepted)
        await writer.submit(record())


async def test_a_shutdown_finishes_what_was_accepted(database_url: str) -> None:
    """Nothing that waits is lost, and nothing new is taken."""
    async with writing(database_url) as (writer, _), rival_of(database_url) as rival:
        await writer.submit(record())
        async with rival.holding("run-1"):
            first = writer.submit(record())
            await rival.until_somebody_waits()
            accepted = [writer.submit(record()) for _ in range(10)]
            stopping = asyncio.create_task(writer.stop())
        await stopping
        answers = [answer.result() for answer in (first, *accepted)]
        assert [answer.event.cursor for answer in answers] == list(range(2, 13))
        with pytest.raises(UnavailableError, match="shutting down"):
            writer.submit(record())

        async def is_disconnected() -> bool:
            return await rival.writer_pids() == []

        await until_true(is_disconnected)


async def test_a_caller_who_has_gone_away_is_left_out(database_url: str) -> None:
    """Cancelled while it waited, nothing of it is written; its neighbours do not notice."""
    async with writing(database_url) as (writer, facts), rival_of(database_url) as rival:
        await writer.submit(record())
        async with rival.holding("run-1"):
            first = writer.submit(record())
            await rival.until_somebody_waits()
            before, gone, after = (writer.submit(record(payload)) for payload in (b"1", b"2", b"3"))
            gone.cancel()
        await asyncio.gather(first, before, after)
        assert facts.batch_sizes == [1, 1, 2]
        assert await rival.cursors("run-1") == [1, 2, 3, 4]
        assert await rival.value("select count(*) from events where payload::text = '2'") == 0


async def test_a_caller_who_goes_away_during_the_commit_harms_nobody(database_url: str) -> None:
    """Its write is under way and stays; the lane goes on."""
    async with writing(database_url) as (writer, _), rival_of(database_url) as rival:
        await writer.submit(record())
        async with rival.holding("run-1"):
            gone = writer.submit(record())
            await rival.until_somebody_waits()
            gone.cancel()
        await writer.submit(record())
        assert await rival.cursors("run-1") == [1, 2, 3]


async def test_lanes_do_not_wait_for_each_other(database_url: str) -> None:
    """A channel always has the same lane, each lane its own connection."""
    async with writing(database_url, lanes=2) as (writer, _), rival_of(database_url) as rival:
        assert len(await rival.writer_pids()) == 2
        channels = [f"run-{number}" for number in range(16)]
        await asyncio.gather(*(writer.submit(record(channel_id=each)) for each in channels))
        async with rival.holding("run-0"):
            held = writer.submit(record(channel_id="run-0"))
            await rival.until_somebody_waits()
            others = {each: writer.submit(record(channel_id=each)) for each in channels[1:]}
            done, _ = await asyncio.wait(others.values(), return_when=asyncio.FIRST_COMPLETED)
            assert done
            assert not held.done()
        await asyncio.gather(held, *others.values())
        for each in channels:
            assert await rival.cursors(each) == [1, 2]
