# Written by tools/generate_sync.py from _async/test_members.py. Do not edit.
"""A group at work, on a real server."""

from typing import Any
from uuid import uuid4

import pytest

from actae_client import (
    CounterfactualBlockedError,
    GroupMessage,
    IdempotencyConflictError,
    SyncActaeClient,
    SyncGroupMemberSession,
    SyncGroupSession,
    errors,
)
from tests.support.postgres import Clock


def crew_of(actae: SyncActaeClient, channel: str, *names: str) -> SyncGroupSession:
    """A group with members on channels of their own."""
    made = actae.create_execution_group(channel, metadata={"goal": "bill"})
    assert (made.group_id, made.status, made.metadata) == (channel, "active", {"goal": "bill"})
    for name in names:
        actae.add_execution_group_member(channel, name, f"{channel}.{name}")
    return actae.execution_group(channel)


def test_a_group_and_its_members(actae: SyncActaeClient, channel: str) -> None:
    """Made once, bound once; what is not there is named."""
    crew_of(actae, channel, "ada")
    crew_of(actae, channel, "ada")
    added = actae.add_execution_group_member(
        channel, "bob", f"{channel}.bob", role="worker", metadata={"n": 1}
    )
    assert (added.role, added.metadata, added.generation, added.owner_id) == ("worker", {"n": 1}, 0, None)
    assert [each.member_id for each in actae.execution_group_members(channel)] == ["ada", "bob"]
    assert channel in [each.group_id for each in actae.list_execution_groups()]
    with pytest.raises(errors.GroupConflictError):
        actae.create_execution_group(channel)
    with pytest.raises(errors.MemberConflictError):
        actae.add_execution_group_member(channel, "bob", f"{channel}.ada")
    with pytest.raises(errors.GroupNotFoundError):
        actae.execution_group_members(f"{channel}.unknown")
    with pytest.raises(errors.MemberNotFoundError):
        actae.claim_member(channel, "eve", "me")


def test_members_write_to_each_other(actae: SyncActaeClient, channel: str) -> None:
    """And acknowledge what they got, with the lease that they hold."""
    group = crew_of(actae, channel, "ada", "bob")
    assert isinstance(actae.group(channel).member("ada"), SyncGroupMemberSession)
    ada, bob = group.member("ada"), group.member("bob")
    sent = ada.send("bob", "task", {"n": 1}, causal_context={"why": "asked"}, operation_id="o")
    assert ada.send("bob", "task", {"n": 1}, causal_context={"why": "asked"}, operation_id="o") == sent
    with pytest.raises(IdempotencyConflictError):
        ada.send("bob", "task", {"n": 2}, operation_id="o")
    later = ada.send("bob", "task", {"n": 2})
    assert bob.messages() == [sent, later]
    assert bob.messages(limit=1) == [sent]
    assert bob.messages(after=sent.message_id) == [later]
    assert (sent.message_type, sent.payload, sent.causal_context) == ("task", {"n": 1}, {"why": "asked"})

    with pytest.raises(RuntimeError, match="claim it first"):
        bob.acknowledge(sent)
    lease = bob.claim("me", lease_seconds=30)
    assert (lease.owner_id, lease.generation) == ("me", 1)
    assert bob.lease == lease
    done = bob.acknowledge(sent)
    assert (done.status, done.message_id) == ("acknowledged", sent.message_id)
    assert bob.acknowledge(later) in bob.messages()
    with pytest.raises(errors.MessageNotFoundError):
        bob.messages(after=f"{channel}.bob~99")


def test_a_lease_fences(actae: SyncActaeClient, channel: str, server_clock: Clock) -> None:
    """Its owner keeps it, and loses it to whoever comes when it has lapsed."""
    group = crew_of(actae, channel, "ada")
    one, two = group.member("ada"), group.member("ada")
    one.release()
    with pytest.raises(RuntimeError):
        one.heartbeat()
    first = one.claim()
    assert (one.claim()).owner_id == first.owner_id
    assert (one.heartbeat(lease_seconds=30)).generation == 1
    with pytest.raises(errors.MemberLeaseHeldError) as caught:
        two.claim()
    assert caught.value.details["lease_until"]
    server_clock.advance(100)
    assert (two.claim()).generation == 2
    for call in (one.heartbeat, one.release):
        with pytest.raises(errors.MemberLeaseLostError):
            call()
    two.release()
    assert two.lease is None
    assert (one.claim()).generation == 3


def test_a_delivery_can_be_read_as_a_message(actae: SyncActaeClient, channel: str) -> None:
    """As it arrives live: the event on the recipient's channel."""
    group = crew_of(actae, channel, "ada", "bob")
    sent = group.member("ada").send("bob", "task", {"n": 1})
    (event,) = actae.replay(f"{channel}.bob")
    assert event.event_type == "message.received"
    assert GroupMessage.from_websocket_event(event) == sent
    note = actae.record(channel, "note", {"group_id": channel}, actor="a")
    with pytest.raises(ValueError, match="not the delivery"):
        GroupMessage.from_websocket_event(note)


def test_a_group_is_forked(actae: SyncActaeClient, channel: str) -> None:
    """Frozen members stand still until they are promoted."""
    group = crew_of(actae, channel, "ada", "bob")
    group.member("ada").send("bob", "task", 1)
    name = f"what-if-{uuid4().hex[:8]}"
    fields: dict[str, Any] = {"member_policies": {"ada": "reactive"}, "tool_policies": {"mail": "block"}}
    made = actae.fork_execution_group(name, channel, "ada", 0, **fields)
    assert made["member_policies"] == {"ada": "reactive", "bob": "frozen"}
    assert actae.fork_execution_group(name, channel, "ada", 0, **fields) == made
    assert actae.get_execution_group_fork(name) == made
    with pytest.raises(IdempotencyConflictError):
        actae.fork_execution_group(name, channel, "ada", 1, **fields)
    branch = actae.execution_group(name)
    with pytest.raises(CounterfactualBlockedError):
        branch.member("ada").send("bob", "other task", 1)
    with pytest.raises(CounterfactualBlockedError):
        actae.record(f"{name}:bob", "note", 1, actor="a")
    with pytest.raises(CounterfactualBlockedError):
        branch.member("bob").claim()
    with pytest.raises(CounterfactualBlockedError):
        actae.claim_execution(f"{name}:ada", "mail:1", "mail")
    promoted = branch.promote("bob")
    assert promoted["member_policies"] == {"ada": "reactive", "bob": "reactive"}
    assert (branch.member("ada").send("bob", "other task", 1)).to_member_id == "bob"
    with pytest.raises(errors.GroupForkNotFoundError):
        group.promote("bob")
