"""What callers are told when the database refuses, or goes away in the middle."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from actae.domain.errors import InternalError, UnavailableError
from actae.domain.events import AlreadyAppended, Appended
from actae.domain.executions import Claimed, Settled
from actae.observations import AskPoisoned, BatchIsolated, DatabaseFull, DatabaseLost
from tests.support.asks import claim, complete, record, transition
from tests.support.elsewhere import elsewhere
from tests.support.rival import Rival, rival_of
from tests.support.writers import writing

_REFUSE_POISON = "alter table events add constraint events_no_poison check (payload::text <> '\"poison\"')"


async def test_a_poisonous_ask_harms_only_itself(database_url: str) -> None:
    """PostgreSQL refuses one of five; the other four are written, without a gap."""
    async with writing(database_url) as (writer, facts), rival_of(database_url) as rival:
        await writer.submit(record())
        await rival.execute(_REFUSE_POISON)
        async with rival.holding("run-1"):
            first = writer.submit(record())
            await rival.until_somebody_waits()
            payloads = (b"1", b"2", b'"poison"', b"3", b"4")
            waiting = [writer.submit(record(payload)) for payload in payloads]
        await first
        answers = await asyncio.gather(*waiting, return_exceptions=True)
        poisoned = answers.pop(2)
        assert isinstance(poisoned, InternalError)
        assert [answer.event.cursor for answer in answers] == [3, 4, 5, 6]
        assert await rival.cursors("run-1") == [1, 2, 3, 4, 5, 6]
        assert [fact.asks for fact in facts.of(BatchIsolated)] == [5]
        [fact] = facts.of(AskPoisoned)
        assert (fact.ask, fact.channel_id) == ("Record", "run-1")


@pytest.mark.parametrize("code", ["53100", "53200", "58030"])  # no disk, no memory, an error of the disk
async def test_a_database_without_room_is_no_defect(database_url: str, code: str) -> None:
    """Nothing is stored, whoever asked may ask again, and then it is."""
    refuse = f"""
        create function refuse() returns trigger language plpgsql as
            $$ begin raise exception 'could not extend file' using errcode = '{code}'; end $$;
        create trigger refuse before insert on events execute function refuse();
    """
    async with writing(database_url) as (writer, facts), rival_of(database_url) as rival:
        await rival.execute(refuse)
        with pytest.raises(UnavailableError, match="no room for this write: could not extend file"):
            await writer.submit(record())
        assert len(facts.of(DatabaseFull)) == 1
        assert not facts.of(AskPoisoned)
        await rival.execute("drop trigger refuse on events")
        assert (await writer.submit(record())).event.cursor == 1


async def test_a_channel_that_can_never_be_written_harms_only_itself(database_url: str) -> None:
    """An event beyond its head looks like a lost race each time; its neighbours do not lose with it."""
    async with writing(database_url) as (writer, _), rival_of(database_url) as rival:
        await writer.submit(record())
        await writer.submit(record(channel_id="damaged"))
        await rival.execute("update channel_heads set cursor = 0 where channel_id = 'damaged'")
        async with rival.holding("run-1"):
            first = writer.submit(record())
            await rival.until_somebody_waits()
            waiting = [writer.submit(record(channel_id=each)) for each in ("run-1", "damaged", "run-2")]
        await first
        same, damaged, other = await asyncio.gather(*waiting, return_exceptions=True)
        assert isinstance(damaged, UnavailableError)
        assert (same.event.cursor, other.event.cursor) == (3, 1)
        assert await rival.cursors("damaged") == [1]


async def test_an_ask_that_python_cannot_decide_harms_only_itself(database_url: str) -> None:
    """A defect in a decision is an answer to its caller; the lane lives."""
    async with writing(database_url) as (writer, facts), rival_of(database_url) as rival:
        await writer.submit(record())
        async with rival.holding("run-1"):
            first = writer.submit(record())
            await rival.until_somebody_waits()
            broken = writer.submit(complete(5, channel_id="run-1"))  # type: ignore[arg-type]
            claimed = writer.submit(claim())
            also_broken = writer.submit(complete(5, channel_id="run-1"))  # type: ignore[arg-type]
        await first
        answers = await asyncio.gather(broken, claimed, also_broken, return_exceptions=True)
        assert isinstance(answers[1], Claimed)
        assert isinstance(answers[2], InternalError)
        assert facts.of(BatchIsolated)
        assert await rival.cursors("run-1") == [1, 2, 3]


async def test_a_connection_lost_between_batches_is_replaced_unnoticed(database_url: str) -> None:
    """Nothing was under way, so nobody needs to be told."""
    async with writing(database_url) as (writer, facts), rival_of(database_url) as rival:
        await writer.submit(record())
        for cursor in (2, 3, 4):
            [pid] = await rival.writer_pids()
            await rival.terminate(pid)
            answer = await writer.submit(record())
            assert answer.event.cursor == cursor
        assert not any(fact.write_was_under_way for fact in facts.of(DatabaseLost))


async def test_a_connection_lost_unseen_is_replaced_too(database_url: str) -> None:
    """The socket is closed, and nobody has looked: the read finds it out, before anything was written."""

    async def terminate_the_writer() -> None:
        async with rival_of(database_url) as rival:
            [pid] = await rival.writer_pids()
            await rival.terminate(pid)

    async with writing(database_url) as (writer, facts):
        await writer.submit(record())
        elsewhere(terminate_the_writer)
        assert (await writer.submit(record())).event.cursor == 2
        assert [fact.write_was_under_way for fact in facts.of(DatabaseLost)] == [False]


@asynccontextmanager
async def killed_in_the_write(rival: Rival, channel_id: str = "run-1") -> AsyncIterator[None]:
    """What is submitted in the block is being written when its session ends."""
    async with rival.holding(channel_id):
        yield
        await rival.terminate(await rival.until_somebody_waits())


async def test_a_connection_lost_during_the_write_leaves_the_outcome_open(database_url: str) -> None:
    """The caller is told so, and may repeat: the same identity converges on one event."""
    ask = transition(operation_id="op", expected_version=0)
    async with writing(database_url) as (writer, facts), rival_of(database_url) as rival:
        await writer.submit(record())
        async with killed_in_the_write(rival):
            waiting = writer.submit(ask)
        with pytest.raises(
            UnavailableError, match="its outcome is unknown; send the same request again"
        ) as lost:
            await waiting
        assert lost.value.retryable
        assert [fact.write_was_under_way for fact in facts.of(DatabaseLost)] == [True]
        appended = await writer.submit(ask)
        assert isinstance(appended, Appended)
        assert appended.event.cursor == 2
        assert await writer.submit(ask) == AlreadyAppended("run-1", 2, 1)
        assert await rival.cursors("run-1") == [1, 2]


async def test_everybody_in_a_batch_that_was_lost_is_told(database_url: str) -> None:
    """None of them is run alone: that might write twice what has no identity."""
    async with writing(database_url) as (writer, facts), rival_of(database_url) as rival:
        await writer.submit(record())
        async with rival.holding("run-1"):
            alone = writer.submit(record())
            alone_pid = await rival.until_somebody_waits()
            together = [writer.submit(record()) for _ in range(5)]
            await rival.terminate(alone_pid)
            with pytest.raises(UnavailableError):
                await alone
            await rival.terminate(await rival.until_somebody_waits())
            answers = await asyncio.gather(*together, return_exceptions=True)
        assert [type(answer) for answer in answers] == [UnavailableError] * 5
        assert not facts.of(BatchIsolated)
        assert await rival.cursors("run-1") == [1]


async def test_a_claim_lost_during_the_write_is_repeated_with_its_attempt_id(database_url: str) -> None:
    """Whether it was written or not, the repetition owns the key and may complete it."""
    async with writing(database_url) as (writer, _), rival_of(database_url) as rival:
        await writer.submit(record())
        async with killed_in_the_write(rival):
            waiting = writer.submit(claim())
        with pytest.raises(UnavailableError):
            await waiting
        claimed = await writer.submit(claim())
        assert isinstance(claimed, Claimed)
        assert await writer.submit(claim()) == claimed
        async with killed_in_the_write(rival):
            waiting = writer.submit(complete(claimed.claim_token))
        with pytest.raises(UnavailableError):
            await waiting
        settled = await writer.submit(complete(claimed.claim_token))
        assert isinstance(settled, Settled)
        assert await writer.submit(complete(claimed.claim_token)) == settled
        assert await rival.cursors("run-1") == [1, 2, 3]
