# Written by tools/generate_sync.py from _async/test_forks.py. Do not edit.
"""Forks, on a real server."""

from typing import Any
from uuid import uuid4

import pytest

from actae_client import ForkReceipt, SyncActaeClient, errors


def steps(actae: SyncActaeClient, channel: str, count: int) -> None:
    """So many events, each with its state."""
    for number in range(1, count + 1):
        actae.transition(channel, "step", {"n": number}, {"at": number, "list": [number]})


def effect(actae: SyncActaeClient, channel: str, key: str, result: Any) -> str:
    """A tool call that was completed, or replayed; which of the two."""
    claim = actae.claim_execution(channel, key, "pay", {"key": key})
    if claim.status == "claimed":
        actae.complete_execution(claim.execution.id, claim.claim_token, result)
    return claim.status


def test_a_fork_starts_with_the_state_at_its_cursor(actae: SyncActaeClient, channel: str) -> None:
    """Its log is its own, and neither side sees what the other does from then on."""
    steps(actae, channel, 4)
    receipt = actae.fork(channel, f"{channel}.b", 2, reason="why", experiment_metadata={"x": 1})
    assert (receipt.source_channel_id, receipt.child_channel_id) == (channel, f"{channel}.b")
    assert (receipt.requested_cursor, receipt.resolved_cursor, receipt.source_state_version) == (2, 2, 2)
    assert (receipt.restorable, receipt.replayed, receipt.reproducibility) == (True, False, "state_exact")
    assert actae.latest_state(f"{channel}.b") == {"cursor": 1, "state": {"at": 2, "list": [2]}}
    (started,) = actae.replay(f"{channel}.b")
    assert (started.event_type, started.depends_on) == ("fork.started", receipt.resolved_event_id)
    metadata = actae.get_channel_metadata(f"{channel}.b")
    assert metadata is not None
    assert (metadata.reason, metadata.experiment_metadata) == ("why", {"x": 1})
    assert actae.get_fork_receipt(f"{channel}.b") == receipt == ForkReceipt.from_metadata(metadata)
    assert actae.list_forks(channel) == [metadata]
    actae.transition(f"{channel}.b", "step", None, {"at": "b"})
    assert actae.latest_state(channel) == {"cursor": 4, "state": {"at": 4, "list": [4]}}


def test_a_fork_is_made_once(actae: SyncActaeClient, channel: str) -> None:
    """Under its name and under its operation id; another one is refused."""
    steps(actae, channel, 2)
    identity = str(uuid4())
    first = actae.fork(channel, f"{channel}.b", 1, operation_id=identity)
    for again in (
        actae.fork(channel, f"{channel}.b", 1, operation_id=identity),
        actae.fork(channel, f"{channel}.b", 1),
    ):
        assert again.replayed
        assert again.source_state_version == first.source_state_version
    with pytest.raises(errors.IdempotencyConflictError):
        actae.fork(channel, f"{channel}.c", 1, operation_id=identity)
    with pytest.raises(errors.ChannelConflictError):
        actae.fork(channel, f"{channel}.b", 2)
    with pytest.raises(errors.VersionConflictError) as caught:
        actae.fork(channel, f"{channel}.d", 1, expected_version=1)
    assert caught.value.current_version == 2


def test_without_a_snapshot_there_is_no_fork_unless_none_is_wanted(
    actae: SyncActaeClient, channel: str
) -> None:
    """The latest state may be none, and so may the state at a cursor, if that is said."""
    actae.record(channel, "note", 1, actor="a")
    with pytest.raises(errors.SnapshotBoundaryError):
        actae.fork(channel, f"{channel}.b", 1)
    latest = actae.fork(channel, f"{channel}.c")
    bare = actae.fork(channel, f"{channel}.d", 1, copy_state=False)
    assert (latest.restorable, bare.restorable) == (False, False)
    steps(actae, channel, 1)
    empty = actae.fork(channel, f"{channel}.e", 2, copy_state=False)
    assert (empty.restorable, empty.source_state_version) == (False, 0)
    assert actae.latest_state(f"{channel}.e") is None


def test_what_is_no_fork_has_no_receipt(actae: SyncActaeClient, channel: str) -> None:
    """And no parent to be promoted to; what does not exist is another matter."""
    with pytest.raises(errors.ChannelNotFoundError):
        actae.fork(channel, f"{channel}.b")
    with pytest.raises(errors.ChannelNotFoundError):
        actae.get_fork_tree(channel)
    steps(actae, channel, 1)
    for call in (actae.get_fork_receipt, actae.promote_channel):
        with pytest.raises(errors.NotAForkError):
            call(channel)
    assert actae.list_forks(channel) == []


def test_effects_are_inherited_up_to_the_cursor(actae: SyncActaeClient, channel: str) -> None:
    """And policies say what else the tools of a fork may do."""
    effect(actae, channel, "before", {"paid": 1})
    steps(actae, channel, 1)
    effect(actae, channel, "after", {"paid": 2})
    actae.fork(channel, f"{channel}.b", 3)
    assert effect(actae, f"{channel}.b", "before", None) == "replayed"
    assert effect(actae, f"{channel}.b", "after", None) == "claimed"
    receipt = actae.fork(channel, f"{channel}.c", 3, tool_policies={"pay": "replay"})
    assert receipt.tool_policies == {"pay": "replay"}
    assert effect(actae, f"{channel}.c", "before", None) == "replayed"
    with pytest.raises(errors.ForkToolBlockedError) as caught:
        effect(actae, f"{channel}.c", "after", None)
    (blocked,) = actae.replay(f"{channel}.c", event_type="tool.blocked")
    assert caught.value.boundary == blocked.id
    assert blocked.payload["policy"] == "replay"


def test_the_tree_of_forks(actae: SyncActaeClient, channel: str) -> None:
    """From whichever channel it is asked for, downwards; deleting a root takes all of it."""
    steps(actae, channel, 2)
    actae.fork(channel, f"{channel}.b", 1, display_name="B")
    actae.fork(f"{channel}.b", f"{channel}.c")
    root = actae.get_fork_tree(channel)
    assert (root.channel_id, root.event_count, root.latest_cursor) == (channel, 2, 2)
    (child,) = root.children
    assert (child.display_name, child.forked_at_cursor, child.event_count) == ("B", 1, 1)
    assert [leaf.channel_id for leaf in child.children] == [f"{channel}.c"]
    assert actae.get_fork_tree(f"{channel}.c") == child.children[0]
    with pytest.raises(errors.ChannelHasForksError):
        actae.delete_channel(channel)
    deleted = actae.delete_channel(channel, recursive=True)
    assert set(deleted["deleted"]) == {channel, f"{channel}.b", f"{channel}.c"}


def test_two_branches_are_compared(actae: SyncActaeClient, channel: str) -> None:
    """Where their states differ, what they have in common, and what else differs."""
    steps(actae, channel, 2)
    actae.fork(channel, f"{channel}.b", 1)
    actae.transition(f"{channel}.b", "step", {"n": "b"}, {"at": 2, "list": [1, 3], "new": None})
    difference = actae.diff_states(channel, f"{channel}.b")
    assert difference["entries"] == [
        {"path": ["list", "0"], "kind": "changed", "left": 2, "right": 1},
        {"path": ["list", "1"], "kind": "added", "left": None, "right": 3},
        {"path": ["new"], "kind": "added", "left": None, "right": None},
    ]
    assert difference["common"]["state"] == {"at": 1, "list": [1]}
    assert (difference["left_diverged_at_cursor"], difference["right_diverged_at_cursor"]) == (None, 1)
    assert (difference["truncated"], difference["entry_count_total"]) == (False, 3)
    compared = actae.compare_channels(channel, f"{channel}.b")
    assert compared["entries"] == difference["entries"]
    assert compared["output_diff"]["right"]
    with pytest.raises(errors.ChannelNotFoundError):
        actae.diff_states(channel, f"{channel}.unknown")


def test_the_trail_of_a_fork(actae: SyncActaeClient, channel: str) -> None:
    """Where it comes from, the state that it started with, and what it did itself."""
    steps(actae, channel, 2)
    actae.fork(channel, f"{channel}.b", 1, reason="why")
    effect(actae, f"{channel}.b", "own", {"paid": 1})
    actae.save_state(f"{channel}.b", 1, {"at": "later"})
    trail = actae.decision_trail(f"{channel}.b")
    assert [(each["channel_id"], each["reason"]) for each in trail["ancestry"]] == [
        (f"{channel}.b", "why"),
        (channel, None),
    ]
    assert trail["boundary"] == {"channel_id": channel, "cursor": 1, "state": {"at": 1, "list": [1]}}
    assert [each["key_name"] for each in trail["executions"]] == ["own"]
    assert (actae.decision_trail(channel))["boundary"] is None


def test_a_fork_is_promoted_into_its_parent(actae: SyncActaeClient, channel: str) -> None:
    """By appending only, and once; how a run ended can be said of any channel."""
    steps(actae, channel, 2)
    actae.fork(channel, f"{channel}.b", 1)
    actae.transition(f"{channel}.b", "step", None, {"at": "b"})
    promoted = actae.promote_channel(f"{channel}.b")
    assert (promoted["parent_channel_id"], promoted["cursor"], promoted["replayed"]) == (channel, 3, False)
    assert (actae.promote_channel(f"{channel}.b"))["replayed"]
    assert actae.latest_state(channel) == {"cursor": 3, "state": {"at": "b"}}
    assert [event.event_type for event in actae.replay(channel)] == ["step", "step", "fork.promoted"]
    assert (actae.set_outcome(channel, "rejected", score=0.25))["result_score"] == 0.25
    actae.set_outcome(channel, "inconclusive")
    metadata = actae.get_channel_metadata(channel)
    assert metadata is not None
    assert (metadata.outcome, metadata.result_score) == ("inconclusive", 0.25)
    with pytest.raises(errors.InvalidRequestError):
        actae.set_outcome(channel, "splendid")


def test_forks_are_among_the_methods_of_channels(actae: SyncActaeClient, channel: str) -> None:
    """Under the facade, with everything that belongs to channels."""
    steps(actae, channel, 1)
    assert (actae.channels.fork(channel, f"{channel}.b")).child_channel_id == f"{channel}.b"
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
