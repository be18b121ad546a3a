"""Working for a member, for as long as a block takes."""

import pytest

from actae_client import ActaeClient, GroupMemberSession, GroupSession, errors
from tests.support.postgres import Clock


async def crew_of(actae: ActaeClient, channel: str, *names: str) -> GroupSession:
    """A group with members on channels of their own."""
    await actae.create_execution_group(channel)
    for name in names:
        await actae.add_execution_group_member(channel, name, f"{channel}.{name}")
    return actae.execution_group(channel)


async def test_a_member_is_held_for_a_block(actae: ActaeClient, channel: str) -> None:
    """Nobody else gets it meanwhile, and anybody afterwards."""
    group = await crew_of(actae, channel, "ada", "bob")
    sent = await group.member("ada").send("bob", "task", 1)
    async with group.claim_member("bob", "one") as bob:
        assert isinstance(bob, GroupMemberSession)
        assert bob.lease is not None
        assert (bob.lease.owner_id, bob.lease.generation) == ("one", 1)
        await bob.acknowledge(await bob.wait_for("task"))
        with pytest.raises(errors.MemberLeaseHeldError):
            await group.claim_member("bob", "two").__aenter__()
    assert [each.status for each in await bob.messages()] == ["acknowledged"]
    assert sent.status == "delivered"
    async with group.claim_member("bob", "two", lease_seconds=30) as bob:
        assert bob.lease is not None
        assert bob.lease.generation == 2


async def test_an_error_lets_the_member_go_too(actae: ActaeClient, channel: str) -> None:
    """It is the caller's, and comes through."""
    group = await crew_of(actae, channel, "ada")

    async def fail() -> None:
        async with group.claim_member("ada"):
            raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        await fail()
    (member,) = await actae.execution_group_members(channel)
    assert (member.owner_id, member.generation) == (None, 1)


async def test_the_lease_is_renewed_beside_the_block(actae: ActaeClient, channel: str) -> None:
    """So the block may take longer than the lease."""
    group = await crew_of(actae, channel, "ada")
    async with group.claim_member("ada", lease_seconds=1) as ada:
        assert ada.lease is not None
        first = ada.lease.lease_until
        renewed = first
        while renewed == first:
            (member,) = await actae.execution_group_members(channel)
            renewed = str(member.lease_until)
        assert member.generation == 1


async def test_a_block_may_let_its_member_go_itself(actae: ActaeClient, channel: str) -> None:
    """Nothing is renewed then, and nothing is lost."""
    group = await crew_of(actae, channel, "ada")
    async with group.claim_member("ada", lease_seconds=1) as ada:
        await ada.release()
        async with group.claim_member("ada") as other:
            await other.heartbeat()
    assert ada.lease is None


async def test_a_loss_at_the_last_moment_is_told(
    actae: ActaeClient, channel: str, server_clock: Clock
) -> None:
    """Whoever finds out only at the end that somebody else has taken over, finds out."""
    group = await crew_of(actae, channel, "ada")

    async def work(owner: str, error: Exception | None) -> None:
        async with group.claim_member("ada", owner):
            server_clock.advance(100)
            await group.member("ada").claim(f"{owner}'s successor")
            if error is not None:
                raise error

    with pytest.raises(errors.MemberLeaseLostError):
        await work("one", None)
    server_clock.advance(100)
    with pytest.raises(ValueError, match="mine"):
        await work("two", ValueError("mine"))
