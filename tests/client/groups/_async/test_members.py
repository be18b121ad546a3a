"""A group at work, on a real server."""

from typing import Any
from uuid import uuid4

import pytest

from actae_client import (
    ActaeClient,
    CounterfactualBlockedError,
    GroupMemberSession,
    GroupMessage,
    GroupSession,
    IdempotencyConflictError,
    errors,
)
from tests.support.postgres import Clock


async def crew_of(actae: ActaeClient, channel: str, *names: str) -> GroupSession:
    """A group with members on channels of their own."""
    made = await actae.create_execution_group(channel, metadata={"goal": "bill"})
    assert (made.group_id, made.status, made.metadata) == (channel, "active", {"goal": "bill"})
    for name in names:
        await actae.add_execution_group_member(channel, name, f"{channel}.{name}")
    return actae.execution_group(channel)


async def test_a_group_and_its_members(actae: ActaeClient, channel: str) -> None:
    """Made once, bound once; what is not there is named."""
    await crew_of(actae, channel, "ada")
    await crew_of(actae, channel, "ada")
    added = await actae.add_execution_group_member(
        channel, "bob", f"{channel}.bob", role="worker", metadata={"n": 1}
    )
    assert (added.role, added.metadata, added.generation, added.owner_id) == ("worker", {"n": 1}, 0, None)
    assert [each.member_id for each in await actae.execution_group_members(channel)] == ["ada", "bob"]
    assert channel in [each.group_id for each in await actae.list_execution_groups()]
    with pytest.raises(errors.GroupConflictError):
        await actae.create_execution_group(channel)
    with pytest.raises(errors.MemberConflictError):
        await actae.add_execution_group_member(channel, "bob", f"{channel}.ada")
    with pytest.raises(errors.GroupNotFoundError):
        await actae.execution_group_members(f"{channel}.unknown")
    with pytest.raises(errors.MemberNotFoundError):
        await actae.claim_member(channel, "eve", "me")


async def test_members_write_to_each_other(actae: ActaeClient, channel: str) -> None:
    """And acknowledge what they got, with the lease that they hold."""
    group = await crew_of(actae, channel, "ada", "bob")
    assert isinstance(actae.group(channel).member("ada"), GroupMemberSession)
    ada, bob = group.member("ada"), group.member("bob")
    sent = await ada.send("bob", "task", {"n": 1}, causal_context={"why": "asked"}, operation_id="o")
    assert await ada.send("bob", "task", {"n": 1}, causal_context={"why": "asked"}, operation_id="o") == sent
    with pytest.raises(IdempotencyConflictError):
        await ada.send("bob", "task", {"n": 2}, operation_id="o")
    later = await ada.send("bob", "task", {"n": 2})
    assert await bob.messages() == [sent, later]
    assert await bob.messages(limit=1) == [sent]
    assert await bob.messages(after=sent.message_id) == [later]
    assert (sent.message_type, sent.payload, sent.causal_context) == ("task", {"n": 1}, {"why": "asked"})

    with pytest.raises(RuntimeError, match="claim it first"):
        await bob.acknowledge(sent)
    lease = await bob.claim("me", lease_seconds=30)
    assert (lease.owner_id, lease.generation) == ("me", 1)
    assert bob.lease == lease
    done = await bob.acknowledge(sent)
    assert (done.status, done.message_id) == ("acknowledged", sent.message_id)
    assert await bob.acknowledge(later) in await bob.messages()
    with pytest.raises(errors.MessageNotFoundError):
        await bob.messages(after=f"{channel}.bob~99")


async def test_a_lease_fences(actae: ActaeClient, channel: str, server_clock: Clock) -> None:
    """Its owner keeps it, and loses it to whoever comes when it has lapsed."""
    group = await crew_of(actae, channel, "ada")
    one, two = group.member("ada"), group.member("ada")
    await one.release()
    with pytest.raises(RuntimeError):
        await one.heartbeat()
    first = await one.claim()
    assert (await one.claim()).owner_id == first.owner_id
    assert (await one.heartbeat(lease_seconds=30)).generation == 1
    with pytest.raises(errors.MemberLeaseHeldError) as caught:
        await two.claim()
    assert caught.value.details["lease_until"]
    server_clock.advance(100)
    assert (await two.claim()).generation == 2
    for call in (one.heartbeat, one.release):
        with pytest.raises(errors.MemberLeaseLostError):
            await call()
    await two.release()
    assert two.lease is None
    assert (await one.claim()).generation == 3


async def test_a_delivery_can_be_read_as_a_message(actae: ActaeClient, channel: str) -> None:
    """As it arrives live: the event on the recipient's channel."""
    group = await crew_of(actae, channel, "ada", "bob")
    sent = await group.member("ada").send("bob", "task", {"n": 1})
    (event,) = await actae.replay(f"{channel}.bob")
    assert event.event_type == "message.received"
    assert GroupMessage.from_websocket_event(event) == sent
    note = await actae.record(channel, "note", {"group_id": channel}, actor="a")
    with pytest.raises(ValueError, match="not the delivery"):
        GroupMessage.from_websocket_event(note)


async def test_a_group_is_forked(actae: ActaeClient, channel: str) -> None:
    """Frozen members stand still until they are promoted."""
    group = await crew_of(actae, channel, "ada", "bob")
    await group.member("ada").send("bob", "task", 1)
    name = f"what-if-{uuid4().hex[:8]}"
    fields: dict[str, Any] = {"member_policies": {"ada": "reactive"}, "tool_policies": {"mail": "block"}}
    made = await actae.fork_execution_group(name, channel, "ada", 0, **fields)
    assert made["member_policies"] == {"ada": "reactive", "bob": "frozen"}
    assert await actae.fork_execution_group(name, channel, "ada", 0, **fields) == made
    assert await actae.get_execution_group_fork(name) == made
    with pytest.raises(IdempotencyConflictError):
        await actae.fork_execution_group(name, channel, "ada", 1, **fields)
    branch = actae.execution_group(name)
    with pytest.raises(CounterfactualBlockedError):
        await branch.member("ada").send("bob", "other task", 1)
    with pytest.raises(CounterfactualBlockedError):
        await actae.record(f"{name}:bob", "note", 1, actor="a")
    with pytest.raises(CounterfactualBlockedError):
        await branch.member("bob").claim()
    with pytest.raises(CounterfactualBlockedError):
        await actae.claim_execution(f"{name}:ada", "mail:1", "mail")
    promoted = await branch.promote("bob")
    assert promoted["member_policies"] == {"ada": "reactive", "bob": "reactive"}
    assert (await branch.member("ada").send("bob", "other task", 1)).to_member_id == "bob"
    with pytest.raises(errors.GroupForkNotFoundError):
        await group.promote("bob")
