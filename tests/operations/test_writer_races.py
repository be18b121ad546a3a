"""Several writers on one database: as many server processes, in effect."""

import asyncio

from actae.domain.access import EVERYTHING
from actae.domain.answers import Refused
from actae.domain.approval_errors import ApprovalRejectedError
from actae.domain.errors import ChannelClosedError, ExecutionNotFoundError, ExecutionNotOwnedError
from actae.domain.executions import Claimed, InProgress, digest_key
from actae.observations import RaceLost
from actae.operations.channels import close
from actae.operations.executions import delete
from actae.store.database import Database
from tests.support.asks import answer, cancel, claim, complete, heartbeat, record, request, transition
from tests.support.intruder import Intruder, intruding
from tests.support.rival import rival_of
from tests.support.writers import writing


async def test_a_batch_that_lost_a_race_is_decided_again(database_url: str) -> None:
    """Optimistically first: the second attempt holds no lock."""
    async with writing(database_url) as (writer, facts), rival_of(database_url) as rival:
        await writer.submit(record())
        with intruding(Intruder(database_url, "run-1", times=1)) as intruder:
            answer = await writer.submit(record())
        assert answer.event.cursor == 2
        assert [fact.losses for fact in facts.of(RaceLost)] == [1]
        assert not intruder.was_locked_out
        assert await rival.cursors("run-1") == [1, 2]


async def test_who_keeps_losing_locks_first(database_url: str) -> None:
    """After two lost races the heads are locked before they are read, so nobody can come in between."""
    async with writing(database_url) as (writer, facts), rival_of(database_url) as rival:
        await writer.submit(record())
        with intruding(Intruder(database_url, "run-1", times=2)) as intruder:
            answer = await writer.submit(record())
        assert answer.event.cursor == 2
        assert [fact.losses for fact in facts.of(RaceLost)] == [1, 2]
        assert intruder.was_locked_out
        assert await rival.cursors("run-1") == [1, 2]


async def test_what_another_server_did_in_between_is_seen(database_url: str) -> None:
    """Cancelled elsewhere between read and write, an operation cannot be revived: neither leaves an event."""
    async with writing(database_url) as (writer, _), rival_of(database_url) as rival:
        claimed = await writer.submit(claim())

        async def cancel_elsewhere() -> None:
            async with writing(database_url) as (other, _):
                await other.submit(cancel(claimed.claim_token))

        with intruding(Intruder(database_url, "run-1", times=1, act=cancel_elsewhere)):
            refused = await writer.submit(heartbeat(claimed.claim_token))
        assert isinstance(refused.error, ExecutionNotOwnedError)
        assert await rival.value("select status from executions") == "cancelled"


async def test_a_channel_that_is_closed_in_between_takes_no_more(database_url: str) -> None:
    """Stories move the heads that they change, like everybody else."""
    async with writing(database_url) as (writer, _), rival_of(database_url) as rival:
        await writer.submit(record())

        async def close_elsewhere() -> None:
            elsewhere = await Database.connect(database_url, connections_max=1, read_timeout_seconds=15)
            await close(elsewhere, "run-1")
            await elsewhere.close()

        with intruding(Intruder(database_url, "run-1", times=1, act=close_elsewhere)):
            refused = await writer.submit(record())
        assert isinstance(refused.error, ChannelClosedError)
        assert await rival.cursors("run-1") == [1]


async def test_a_key_that_is_freed_in_between_cannot_be_completed(database_url: str) -> None:
    """Its row does not come back."""
    async with writing(database_url) as (writer, _), rival_of(database_url) as rival:
        claimed = await writer.submit(claim())

        async def free_elsewhere() -> None:
            elsewhere = await Database.connect(database_url, connections_max=1, read_timeout_seconds=15)
            await delete(elsewhere, "run-1", digest_key("charge:1"), permissions=EVERYTHING)
            await elsewhere.close()

        with intruding(Intruder(database_url, "run-1", times=1, act=free_elsewhere)):
            refused = await writer.submit(complete(claimed.claim_token))
        assert isinstance(refused.error, ExecutionNotFoundError)
        assert await rival.value("select count(*) from executions") == 0
        assert await rival.cursors("run-1") == [1]


async def test_an_approval_that_is_withdrawn_in_between_lets_nobody_start(database_url: str) -> None:
    """Decided on what was read, the claim meets a head that has moved, and is decided again."""
    async with writing(database_url) as (writer, _), rival_of(database_url) as rival:
        await writer.submit(request())
        await writer.submit(answer("approved"))

        async def withdraw_elsewhere() -> None:
            async with writing(database_url) as (other, _):
                await other.submit(answer("rejected"))

        with intruding(Intruder(database_url, "run-1", times=1, act=withdraw_elsewhere)):
            refused = await writer.submit(claim())
        assert isinstance(refused.error, ApprovalRejectedError)
        assert await rival.value("select count(*) from executions") == 0
        assert await rival.cursors("run-1") == [1, 2, 3]


async def test_two_servers_never_leave_a_gap_and_neither_starves(database_url: str) -> None:
    """Both write the same four channels all the time; each gets all its answers."""
    channels = [f"run-{number}" for number in range(4)]
    async with (
        writing(database_url) as (one, one_saw),
        writing(database_url) as (other, other_saw),
        rival_of(database_url) as rival,
    ):

        async def keep_writing(writer, channel_id: str) -> list[int]:  # type: ignore[no-untyped-def]
            return [(await writer.submit(record(channel_id=channel_id))).event.cursor for _ in range(25)]

        cursors = await asyncio.gather(
            *(keep_writing(writer, each) for writer in (one, other) for each in channels for _ in range(2))
        )
        assert one_saw.of(RaceLost) or other_saw.of(RaceLost)
        assert all(seen == sorted(seen) for seen in cursors)
        for each in channels:
            assert await rival.cursors(each) == list(range(1, 101))


async def test_two_servers_create_a_channel_once(database_url: str) -> None:
    """The first write of both is the first write of the channel; one of them comes second."""
    async with writing(database_url) as (one, _), writing(database_url) as (other, _):
        for number in range(20):
            asks = [writer.submit(record(channel_id=f"run-{number}")) for writer in (one, other)]
            answers = await asyncio.gather(*asks)
            assert sorted(answer.event.cursor for answer in answers) == [1, 2]


async def test_two_servers_hand_a_key_to_one_owner(database_url: str) -> None:
    """Whoever asks, and wherever: one of the claimers owns the key."""
    async with writing(database_url) as (one, _), writing(database_url) as (other, _):
        asks = [
            writer.submit(claim(attempt_id=f"{name}-{number}"))
            for number in range(50)
            for name, writer in (("one", one), ("other", other))
        ]
        answers = await asyncio.gather(*asks)
        assert sum(isinstance(answer, Claimed) for answer in answers) == 1
        assert sum(isinstance(answer, InProgress) for answer in answers) == 99


async def test_two_servers_let_one_transition_win_each_version(database_url: str) -> None:
    """A guard that was true when it was read, and is not when it is written, refuses."""
    async with writing(database_url) as (one, _), writing(database_url) as (other, _):
        for version in range(10):
            asks = [writer.submit(transition(expected_version=version)) for writer in (one, other) * 5]
            answers = await asyncio.gather(*asks)
            won = [answer for answer in answers if not isinstance(answer, Refused)]
            assert [answer.state_version for answer in won] == [version + 1]
