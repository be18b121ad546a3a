"""A lease is lost while somebody works: loudly, and at once where that is possible."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress

import pytest

from actae_client import ActaeClient, GroupSession, SyncActaeClient, SyncGroupSession
from actae_client.errors import MemberLeaseLostError
from tests.support.postgres import Clock
from tests.support.server import RunningServer
from tests.support.waiting import until, until_true


@pytest.fixture
async def group(actae: ActaeClient, channel: str) -> GroupSession:
    """A group with Ada."""
    await actae.create_execution_group(channel)
    await actae.add_execution_group_member(channel, "ada", f"{channel}.ada")
    return actae.execution_group(channel)


def take_over(server: RunningServer, clock: Clock, group_id: str) -> None:
    """Somebody else claims Ada when the lease has lapsed; not to be called where the lease is renewed."""
    clock.advance(10_000)
    path = f"/execution-groups/{group_id}/members/ada/claim"
    assert server.post(path, {"owner_id": "thief", "lease_seconds": 86_400}).status == 200


async def test_a_block_is_interrupted(
    server: RunningServer, server_clock: Clock, group: GroupSession
) -> None:
    """In the middle of whatever it awaits; afterwards the task is as it was."""
    began = asyncio.Event()

    async def work() -> int:
        with pytest.raises(MemberLeaseLostError):
            await hold()
        task = asyncio.current_task()
        assert task is not None
        await asyncio.sleep(0)
        return task.cancelling()

    async def hold() -> None:
        async with group.claim_member("ada", "me", lease_seconds=3):
            began.set()
            await asyncio.Event().wait()

    working = asyncio.create_task(work())
    await began.wait()
    await asyncio.to_thread(take_over, server, server_clock, group.group_id)
    assert await asyncio.wait_for(working, 30) == 0


async def test_what_ignores_the_interruption_is_refused_every_call(
    server: RunningServer, server_clock: Clock, group: GroupSession
) -> None:
    """Also those that need no lease: whoever lost the member does not speak for it."""

    async def work() -> None:
        async with group.claim_member("ada", "me", lease_seconds=3) as ada:
            await asyncio.to_thread(take_over, server, server_clock, group.group_id)
            with suppress(asyncio.CancelledError):
                await asyncio.Event().wait()
            for call in (ada.messages(), ada.heartbeat(), ada.send("ada", "note", 1), ada.wait_for("note")):
                with pytest.raises(MemberLeaseLostError):
                    await call
            assert ada.lease is None

    with pytest.raises(MemberLeaseLostError):
        await work()


async def test_a_cancellation_from_outside_stays_one(
    server: RunningServer, server_clock: Clock, group: GroupSession
) -> None:
    """Though the lease is lost at the same time."""
    lost = asyncio.Event()

    async def work() -> None:
        async with group.claim_member("ada", "me", lease_seconds=3):
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                lost.set()
                await asyncio.Event().wait()

    working = asyncio.create_task(work())

    async def is_claimed() -> bool:
        (member,) = await group.client.execution_group_members(group.group_id)
        return member.owner_id == "me"

    await until_true(is_claimed)
    await asyncio.to_thread(take_over, server, server_clock, group.group_id)
    await lost.wait()
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working
    assert working.cancelled()


async def test_a_block_that_is_cancelled_lets_its_member_go(group: GroupSession) -> None:
    """So the next one need not wait for the lease."""
    began = asyncio.Event()

    async def work() -> None:
        async with group.claim_member("ada", "me"):
            began.set()
            await asyncio.Event().wait()

    working = asyncio.create_task(work())
    await began.wait()
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working
    (member,) = await group.client.execution_group_members(group.group_id)
    assert member.owner_id is None


async def test_a_lease_that_cannot_be_renewed_is_lost_before_it_ends(
    start_server: Callable[..., RunningServer], channel: str
) -> None:
    """Nobody has said so, but nobody can say that it is still ours."""
    server = start_server()
    async with ActaeClient(api_key=server.api_key, endpoint=server.url) as actae:
        await actae.create_execution_group(channel)
        await actae.add_execution_group_member(channel, "ada", f"{channel}.ada")

        async def work() -> None:
            async with actae.group(channel).claim_member("ada", lease_seconds=2):
                await asyncio.to_thread(server.kill)
                await asyncio.Event().wait()

        with pytest.raises(MemberLeaseLostError, match="could not be renewed"):
            await work()


def test_a_blocking_block_meets_the_loss_at_its_next_call(
    server: RunningServer, server_clock: Clock, channel: str
) -> None:
    """And at its end."""
    with SyncActaeClient(api_key=server.api_key, endpoint=server.url) as actae:
        actae.create_execution_group(channel)
        actae.add_execution_group_member(channel, "ada", f"{channel}.ada")

        def work(group: SyncGroupSession) -> None:
            with group.claim_member("ada", "me", lease_seconds=3) as ada:
                take_over(server, server_clock, channel)
                until(lambda: ada.lease is None)
                with pytest.raises(MemberLeaseLostError):
                    ada.send("ada", "note", 1)

        with pytest.raises(MemberLeaseLostError):
            work(actae.execution_group(channel))
    assert not [each for each in threading.enumerate() if each.name == "actae-member"]
