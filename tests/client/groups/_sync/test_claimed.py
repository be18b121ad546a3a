# Written by tools/generate_sync.py from _async/test_claimed.py. Do not edit.
"""Working for a member, for as long as a block takes."""

import pytest

from actae_client import SyncActaeClient, SyncGroupMemberSession, SyncGroupSession, errors
from tests.support.postgres import Clock


def crew_of(actae: SyncActaeClient, channel: str, *names: str) -> SyncGroupSession:
    """A group with members on channels of their own."""
    actae.create_execution_group(channel)
    for name in names:
        actae.add_execution_group_member(channel, name, f"{channel}.{name}")
    return actae.execution_group(channel)


def test_a_member_is_held_for_a_block(actae: SyncActaeClient, channel: str) -> None:
    """Nobody else gets it meanwhile, and anybody afterwards."""
    group = crew_of(actae, channel, "ada", "bob")
    sent = group.member("ada").send("bob", "task", 1)
    with group.claim_member("bob", "one") as bob:
        assert isinstance(bob, SyncGroupMemberSession)
        assert bob.lease is not None
        assert (bob.lease.owner_id, bob.lease.generation) == ("one", 1)
        bob.acknowledge(bob.wait_for("task"))
        with pytest.raises(errors.MemberLeaseHeldError):
            group.claim_member("bob", "two").__enter__()
    assert [each.status for each in bob.messages()] == ["acknowledged"]
    assert sent.status == "delivered"
    with group.claim_member("bob", "two", lease_seconds=30) as bob:
        assert bob.lease is not None
        assert bob.lease.generation == 2


def test_an_error_lets_the_member_go_too(actae: SyncActaeClient, channel: str) -> None:
    """It is the caller's, and comes through."""
    group = crew_of(actae, channel, "ada")

    def fail() -> None:
        with group.claim_member("ada"):
            raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        fail()
    (member,) = actae.execution_group_members(channel)
    assert (member.owner_id, member.generation) == (None, 1)


def test_the_lease_is_renewed_beside_the_block(actae: SyncActaeClient, channel: str) -> None:
    """So the block may take longer than the lease."""
    group = crew_of(actae, channel, "ada")
    with group.claim_member("ada", lease_seconds=1) as ada:
        assert ada.lease is not None
        first = ada.lease.lease_until
        renewed = first
        while renewed == first:
            (member,) = actae.execution_group_members(channel)
            renewed = str(member.lease_until)
        assert member.generation == 1


def test_a_block_may_let_its_member_go_itself(actae: SyncActaeClient, channel: str) -> None:
    """Nothing is renewed then, and nothing is lost."""
    group = crew_of(actae, channel, "ada")
    with group.claim_member("ada", lease_seconds=1) as ada:
        ada.release()
        with group.claim_member("ada") as other:
            other.heartbeat()
    assert ada.lease is None


def test_a_loss_at_the_last_moment_is_told(actae: SyncActaeClient, channel: str, server_clock: Clock) -> None:
    """Whoever finds out only at the end that somebody else has taken over, finds out."""
    group = crew_of(actae, channel, "ada")

    def work(owner: str, error: Exception | None) -> None:
        with group.claim_member("ada", owner):
            server_clock.advance(100)
            group.member("ada").claim(f"{owner}'s successor")
            if error is not None:
                raise error

    with pytest.raises(errors.MemberLeaseLostError):
        work("one", None)
    server_clock.advance(100)
    with pytest.raises(ValueError, match="mine"):
        work("two", ValueError("mine"))
