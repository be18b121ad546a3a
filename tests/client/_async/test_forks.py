"""Forks, on a real server."""

from typing import Any
from uuid import uuid4

import pytest

from actae_client import ActaeClient, ForkReceipt, errors


async def steps(actae: ActaeClient, channel: str, count: int) -> None:
    """So many events, each with its state."""
    for number in range(1, count + 1):
        await actae.transition(channel, "step", {"n": number}, {"at": number, "list": [number]})


async def effect(actae: ActaeClient, channel: str, key: str, result: Any) -> str:
    """A tool call that was completed, or replayed; which of the two."""
    claim = await actae.claim_execution(channel, key, "pay", {"key": key})
    if claim.status == "claimed":
        await actae.complete_execution(claim.execution.id, claim.claim_token, result)
    return claim.status


async def test_a_fork_starts_with_the_state_at_its_cursor(actae: ActaeClient, channel: str) -> None:
    """Its log is its own, and neither side sees what the other does from then on."""
    await steps(actae, channel, 4)
    receipt = await actae.fork(channel, f"{channel}.b", 2, reason="why", experiment_metadata={"x": 1})
    assert (receipt.source_channel_id, receipt.child_channel_id) == (channel, f"{channel}.b")
    assert (receipt.requested_cursor, receipt.resolved_cursor, receipt.source_state_version) == (2, 2, 2)
    assert (receipt.restorable, receipt.replayed, receipt.reproducibility) == (True, False, "state_exact")
    assert await actae.latest_state(f"{channel}.b") == {"cursor": 1, "state": {"at": 2, "list": [2]}}
    (started,) = await actae.replay(f"{channel}.b")
    assert (started.event_type, started.depends_on) == ("fork.started", receipt.resolved_event_id)
    metadata = await actae.get_channel_metadata(f"{channel}.b")
    assert metadata is not None
    assert (metadata.reason, metadata.experiment_metadata) == ("why", {"x": 1})
    assert await actae.get_fork_receipt(f"{channel}.b") == receipt == ForkReceipt.from_metadata(metadata)
    assert await actae.list_forks(channel) == [metadata]
    await actae.transition(f"{channel}.b", "step", None, {"at": "b"})
    assert await actae.latest_state(channel) == {"cursor": 4, "state": {"at": 4, "list": [4]}}


async def test_a_fork_is_made_once(actae: ActaeClient, channel: str) -> None:
    """Under its name and under its operation id; another one is refused."""
    await steps(actae, channel, 2)
    identity = str(uuid4())
    first = await actae.fork(channel, f"{channel}.b", 1, operation_id=identity)
    for again in (
        await actae.fork(channel, f"{channel}.b", 1, operation_id=identity),
        await actae.fork(channel, f"{channel}.b", 1),
    ):
        assert again.replayed
        assert again.source_state_version == first.source_state_version
    with pytest.raises(errors.IdempotencyConflictError):
        await actae.fork(channel, f"{channel}.c", 1, operation_id=identity)
    with pytest.raises(errors.ChannelConflictError):
        await actae.fork(channel, f"{channel}.b", 2)
    with pytest.raises(errors.VersionConflictError) as caught:
        await actae.fork(channel, f"{channel}.d", 1, expected_version=1)
    assert caught.value.current_version == 2


async def test_without_a_snapshot_there_is_no_fork_unless_none_is_wanted(
    actae: ActaeClient, channel: str
) -> None:
    """The latest state may be none, and so may the state at a cursor, if that is said."""
    await actae.record(channel, "note", 1, actor="a")
    with pytest.raises(errors.SnapshotBoundaryError):
        await actae.fork(channel, f"{channel}.b", 1)
    latest = await actae.fork(channel, f"{channel}.c")
    bare = await actae.fork(channel, f"{channel}.d", 1, copy_state=False)
    assert (latest.restorable, bare.restorable) == (False, False)
    await steps(actae, channel, 1)
    empty = await actae.fork(channel, f"{channel}.e", 2, copy_state=False)
    assert (empty.restorable, empty.source_state_version) == (False, 0)
    assert await actae.latest_state(f"{channel}.e") is None


async def test_what_is_no_fork_has_no_receipt(actae: ActaeClient, channel: str) -> None:
    """And no parent to be promoted to; what does not exist is another matter."""
    with pytest.raises(errors.ChannelNotFoundError):
        await actae.fork(channel, f"{channel}.b")
    with pytest.raises(errors.ChannelNotFoundError):
        await actae.get_fork_tree(channel)
    await steps(actae, channel, 1)
    for call in (actae.get_fork_receipt, actae.promote_channel):
        with pytest.raises(errors.NotAForkError):
            await call(channel)
    assert await actae.list_forks(channel) == []


async def test_effects_are_inherited_up_to_the_cursor(actae: ActaeClient, channel: str) -> None:
    """And policies say what else the tools of a fork may do."""
    await effect(actae, channel, "before", {"paid": 1})
    await steps(actae, channel, 1)
    await effect(actae, channel, "after", {"paid": 2})
    await actae.fork(channel, f"{channel}.b", 3)
    assert await effect(actae, f"{channel}.b", "before", None) == "replayed"
    assert await effect(actae, f"{channel}.b", "after", None) == "claimed"
    receipt = await actae.fork(channel, f"{channel}.c", 3, tool_policies={"pay": "replay"})
    assert receipt.tool_policies == {"pay": "replay"}
    assert await effect(actae, f"{channel}.c", "before", None) == "replayed"
    with pytest.raises(errors.ForkToolBlockedError) as caught:
        await effect(actae, f"{channel}.c", "after", None)
    (blocked,) = await actae.replay(f"{channel}.c", event_type="tool.blocked")
    assert caught.value.boundary == blocked.id
    assert blocked.payload["policy"] == "replay"


async def test_the_tree_of_forks(actae: ActaeClient, channel: str) -> None:
    """From whichever channel it is asked for, downwards; deleting a root takes all of it."""
    await steps(actae, channel, 2)
    await actae.fork(channel, f"{channel}.b", 1, display_name="B")
    await actae.fork(f"{channel}.b", f"{channel}.c")
    root = await actae.get_fork_tree(channel)
    assert (root.channel_id, root.event_count, root.latest_cursor) == (channel, 2, 2)
    (child,) = root.children
    assert (child.display_name, child.forked_at_cursor, child.event_count) == ("B", 1, 1)
    assert [leaf.channel_id for leaf in child.children] == [f"{channel}.c"]
    assert await actae.get_fork_tree(f"{channel}.c") == child.children[0]
    with pytest.raises(errors.ChannelHasForksError):
        await actae.delete_channel(channel)
    deleted = await actae.delete_channel(channel, recursive=True)
    assert set(deleted["deleted"]) == {channel, f"{channel}.b", f"{channel}.c"}


async def test_two_branches_are_compared(actae: ActaeClient, channel: str) -> None:
    """Where their states differ, what they have in common, and what else differs."""
    await steps(actae, channel, 2)
    await actae.fork(channel, f"{channel}.b", 1)
    await actae.transition(f"{channel}.b", "step", {"n": "b"}, {"at": 2, "list": [1, 3], "new": None})
    difference = await actae.diff_states(channel, f"{channel}.b")
    assert difference["entries"] == [
        {"path": ["list", "0"], "kind": "changed", "left": 2, "right": 1},
        {"path": ["list", "1"], "kind": "added", "left": None, "right": 3},
        {"path": ["new"], "kind": "added", "left": None, "right": None},
    ]
    assert difference["common"]["state"] == {"at": 1, "list": [1]}
    assert (difference["left_diverged_at_cursor"], difference["right_diverged_at_cursor"]) == (None, 1)
    assert (difference["truncated"], difference["entry_count_total"]) == (False, 3)
    compared = await actae.compare_channels(channel, f"{channel}.b")
    assert compared["entries"] == difference["entries"]
    assert compared["output_diff"]["right"]
    with pytest.raises(errors.ChannelNotFoundError):
        await actae.diff_states(channel, f"{channel}.unknown")


async def test_the_trail_of_a_fork(actae: ActaeClient, channel: str) -> None:
    """Where it comes from, the state that it started with, and what it did itself."""
    await steps(actae, channel, 2)
    await actae.fork(channel, f"{channel}.b", 1, reason="why")
    await effect(actae, f"{channel}.b", "own", {"paid": 1})
    await actae.save_state(f"{channel}.b", 1, {"at": "later"})
    trail = await actae.decision_trail(f"{channel}.b")
    assert [(each["channel_id"], each["reason"]) for each in trail["ancestry"]] == [
        (f"{channel}.b", "why"),
        (channel, None),
    ]
    assert trail["boundary"] == {"channel_id": channel, "cursor": 1, "state": {"at": 1, "list": [1]}}
    assert [each["key_name"] for each in trail["executions"]] == ["own"]
    assert (await actae.decision_trail(channel))["boundary"] is None


async def test_a_fork_is_promoted_into_its_parent(actae: ActaeClient, channel: str) -> None:
    """By appending only, and once; how a run ended can be said of any channel."""
    await steps(actae, channel, 2)
    await actae.fork(channel, f"{channel}.b", 1)
    await actae.transition(f"{channel}.b", "step", None, {"at": "b"})
    promoted = await actae.promote_channel(f"{channel}.b")
    assert (promoted["parent_channel_id"], promoted["cursor"], promoted["replayed"]) == (channel, 3, False)
    assert (await actae.promote_channel(f"{channel}.b"))["replayed"]
    assert await actae.latest_state(channel) == {"cursor": 3, "state": {"at": "b"}}
    assert [event.event_type for event in await actae.replay(channel)] == ["step", "step", "fork.promoted"]
    assert (await actae.set_outcome(channel, "rejected", score=0.25))["result_score"] == 0.25
    await actae.set_outcome(channel, "inconclusive")
    metadata = await actae.get_channel_metadata(channel)
    assert metadata is not None
    assert (metadata.outcome, metadata.result_score) == ("inconclusive", 0.25)
    with pytest.raises(errors.InvalidRequestError):
        await actae.set_outcome(channel, "splendid")


async def test_forks_are_among_the_methods_of_channels(actae: ActaeClient, channel: str) -> None:
    """Under the facade, with everything that belongs to channels."""
    await steps(actae, channel, 1)
    assert (await actae.channels.fork(channel, f"{channel}.b")).child_channel_id == f"{channel}.b"
    assert {
        "list_channels",
        "fork",
        "get_channel_metadata",
        "list_forks",
        "get_fork_tree",
        "update_metadata",
        "diff_states",
        "decision_trail",
    } <= set(dir(actae.channels))
    assert "disconnect" not in dir(actae.channels)
    with pytest.raises(AttributeError):
        _ = actae.channels.record  # type: ignore[attr-defined]
