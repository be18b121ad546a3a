# Written by tools/generate_sync.py from _async/test_forking.py. Do not edit.
"""Another run from a step of this one."""

from typing import Any

import pytest

from actae_client import (
    ChannelConflictError,
    NoRestorableCheckpointError,
    SessionError,
    SyncActaeClient,
    SyncAgentSession,
)


def run(actae: SyncActaeClient, channel: str, steps: int, **settings: Any) -> SyncAgentSession:
    """A run of so many steps, each with its snapshot."""
    state = {"at": 0}
    with SyncAgentSession(actae, channel, state_fn=lambda: dict(state), **settings) as session:
        for number in range(1, steps + 1):
            state["at"] = number
            session.step("work", input=number)
    return session


def go_on(session: SyncAgentSession, steps: int) -> SyncAgentSession:
    """So many steps more, without snapshots."""
    with session:
        for _ in range(steps):
            session.step("more", input=session.step_count)
    return session


def test_a_fork_begins_with_its_own_log(actae: SyncActaeClient, channel: str) -> None:
    """That it is a fork, that it was started, and its first step, which is not step 1."""
    parent = run(actae, channel, 3)
    child = parent.fork(2, f"{channel}.b")
    assert (child.status, child.step_count, child.cursors) == ("created", 2, [0, 0])
    go_on(child, 1)
    events = actae.replay(child.channel_id)
    assert [event.event_type for event in events] == [
        "fork.started",
        "session.started",
        "more",
        "session.completed",
    ]
    step_two = actae.resolve_step(channel, 2)
    assert step_two is not None
    assert events[0].depends_on == step_two.event_id
    assert events[2].payload["step_number"] == 3
    assert events[3].payload["total_steps"] == 3


def test_a_fork_is_described_where_it_comes_from(actae: SyncActaeClient, channel: str) -> None:
    """In its metadata, which the session adds to; its source's name is not taken over."""
    parent = run(actae, channel, 3, display_name="Nightly", params={"a": 1})
    child = parent.fork(2, f"{channel}.b", params={"b": 2}, intervention={"model": "n"})
    go_on(child, 1)
    metadata = actae.get_channel_metadata(child.channel_id)
    assert metadata is not None
    assert metadata.experiment_metadata is not None
    assert (metadata.parent_channel_id, metadata.display_name) == (channel, child.channel_id)
    assert metadata.reason == f"fork of {channel} at step 2"
    assert metadata.manifest is not None
    assert {"environment", "sdk"} <= metadata.manifest.keys()
    assert {
        "session_name": child.channel_id,
        "params": {"a": 1, "b": 2},
        "forked_from": channel,
        "forked_from_channel": channel,
        "forked_at_step": 2,
        "forked_at_cursor": parent.cursors[1],
        "intervention": {"model": "n"},
        "status": "completed",
        "step_count": 3,
    }.items() <= metadata.experiment_metadata.items()
    resumed_by_name = SyncAgentSession.resume(
        actae,
        channel,
        fork_at_step=1,
        name=f"{channel}.c",
        display_name="C",
        reason="why",
        manifest={"seed": 1},
    )
    go_on(resumed_by_name, 1)
    metadata = actae.get_channel_metadata(f"{channel}.c")
    assert metadata is not None
    assert metadata.manifest is not None
    assert metadata.experiment_metadata is not None
    assert (metadata.display_name, metadata.reason, metadata.manifest["seed"]) == ("C", "why", 1)
    assert metadata.experiment_metadata["params"] == {}


def test_forking_leaves_the_source_as_it_is(actae: SyncActaeClient, channel: str) -> None:
    """Its receipt, too: a fork of a fork is not its parent's business."""
    parent = run(actae, channel, 3)
    child = go_on(parent.fork(2, f"{channel}.b"), 1)
    receipt = child.fork_receipt
    grandchild = child.fork(1, f"{channel}.c")
    assert parent.fork_receipt is None
    assert child.fork_receipt == receipt
    assert receipt is not None
    assert grandchild.fork_receipt is not None
    assert grandchild.fork_receipt.child_channel_id == f"{channel}.c"
    assert (child.requested_boundary_cursor, grandchild.requested_boundary_cursor) == (3, 2)


def test_a_fork_of_a_fork_at_an_inherited_step_has_the_ancestor_as_parent(
    actae: SyncActaeClient, channel: str
) -> None:
    """Whoever recorded the step is forked, however deep the fork that asks for it."""
    root = run(actae, channel, 3)
    child = go_on(root.fork(2, f"{channel}.b"), 2)
    grandchild = go_on(child.fork(3, f"{channel}.c", boundary_mode="approximate"), 1)
    of_root = grandchild.fork(1, f"{channel}.d")
    of_child = grandchild.fork(3, f"{channel}.e")
    assert of_root.fork_receipt is not None
    assert of_child.fork_receipt is not None
    assert of_root.fork_receipt.source_channel_id == channel
    assert of_child.fork_receipt.source_channel_id == child.channel_id
    assert of_root.inherited_state == {"at": 1}
    by_name = SyncAgentSession.resume(actae, grandchild.channel_id, fork_at_step=2, name=f"{channel}.f")
    assert by_name.fork_receipt is not None
    assert by_name.fork_receipt.source_channel_id == channel
    tree = actae.get_fork_tree(channel)
    assert {node.channel_id for node in tree.children} == {f"{channel}.{letter}" for letter in "bdf"}


@pytest.mark.parametrize(
    ("at_step", "arguments"),
    [
        (1, {}),
        (2, {"boundary_mode": "lineage_only"}),
        (2, {"tool_policies": {"*": "block"}}),
    ],
)
def test_another_fork_under_a_name_that_is_taken_is_refused(
    actae: SyncActaeClient, channel: str, at_step: int, arguments: dict[str, Any]
) -> None:
    """At another step, with another idea of its state, or with other policies."""
    parent = run(actae, channel, 3)
    child = parent.fork(2, f"{channel}.b")
    with pytest.raises(ChannelConflictError):
        parent.fork(at_step, f"{channel}.b", **arguments)
    assert actae.latest_state(child.channel_id) == {"cursor": 1, "state": {"at": 2}}


def test_an_exact_fork_needs_a_snapshot(actae: SyncActaeClient, channel: str) -> None:
    """Without one nothing is made; an older one will do, and says so."""
    parent = run(actae, channel, 5, snapshot_interval=3)
    with pytest.raises(NoRestorableCheckpointError, match="step 2") as refused:
        parent.fork(2, f"{channel}.b")
    assert actae.get_channel_metadata(f"{channel}.b") is None
    assert refused.value.code == "snapshot_boundary_required"
    assert refused.value.hint is not None
    older = parent.fork(5, f"{channel}.c")
    assert (older.inherited_state, older.inherited_state_step) == ({"at": 3}, 3)
    assert older.resolved_boundary_cursor == parent.cursors[2]
    assert older.requested_boundary_cursor == parent.cursors[4]
    assert older.source_state_version == 1
    assert older.source_state_sha256


def test_an_approximate_fork_is_made_without_a_snapshot(actae: SyncActaeClient, channel: str) -> None:
    """Without a state: what was saved after the step is none of it, wherever one looks."""
    parent = run(actae, channel, 5, snapshot_interval=3)
    child = parent.fork(2, f"{channel}.b", boundary_mode="approximate")
    assert (child.step_count, child.inherited_state, child.boundary_restorable) == (2, None, False)
    assert child.requested_boundary_cursor == child.resolved_boundary_cursor == parent.cursors[1]
    assert child.reproducibility == "best_effort"
    assert actae.latest_state(child.channel_id) is None
    assert (actae.decision_trail(child.channel_id))["boundary"] is None
    again = parent.fork(2, f"{channel}.b", boundary_mode="approximate")
    assert again.fork_receipt is not None
    assert again.fork_receipt.replayed
    with pytest.raises(ChannelConflictError, match=r"\.b"):
        parent.fork(1, f"{channel}.b", boundary_mode="approximate")
    resumed = SyncAgentSession.resume(actae, child.channel_id)
    assert (resumed.step_count, resumed.inherited_state) == (2, None)
    go_on(child, 1)
    with pytest.raises(NoRestorableCheckpointError):
        child.fork(3, f"{channel}.of-child")
    exact = parent.fork(3, f"{channel}.c", boundary_mode="approximate")
    assert exact.inherited_state == {"at": 3}


def test_what_an_approximate_fork_saves_is_its_own(actae: SyncActaeClient, channel: str) -> None:
    """Only the state that came from beyond the step is hidden."""
    parent = run(actae, channel, 5, snapshot_interval=3)
    child = parent.fork(2, f"{channel}.b", boundary_mode="approximate")
    child.__enter__()
    child.step("more")
    child.__exit__(RuntimeError, RuntimeError("stopped"), None)
    assert (SyncAgentSession.resume(actae, child.channel_id)).inherited_state is None
    resumed = SyncAgentSession.resume(actae, child.channel_id, state_fn=lambda: {"own": 1})
    resumed.step("more")
    assert (SyncAgentSession.resume(actae, child.channel_id)).inherited_state == {"own": 1}


def test_a_fork_of_the_lineage_alone_has_no_state(actae: SyncActaeClient, channel: str) -> None:
    """Although there is a snapshot at the very step; the effects and the steps are inherited."""
    claim = actae.claim_execution(channel, "k", "tool", {})
    actae.complete_execution(claim.execution.id, claim.claim_token, "paid")
    parent = run(actae, channel, 3)
    child = parent.fork(2, f"{channel}.b", boundary_mode="lineage_only")
    assert (child.step_count, child.inherited_state, child.boundary_restorable) == (2, None, False)
    assert actae.latest_state(child.channel_id) is None
    assert (actae.claim_execution(child.channel_id, "k", "tool", {})).status == "replayed"
    assert actae.resolve_step(child.channel_id, 2) == actae.resolve_step(channel, 2)
    assert (SyncAgentSession.resume(actae, child.channel_id)).inherited_state is None
    with pytest.raises(ChannelConflictError):
        parent.fork(2, f"{channel}.b")


def test_a_fork_without_any_snapshot(actae: SyncActaeClient, channel: str) -> None:
    """Both tolerant modes make it, and a session that saves nothing can be forked by its lineage."""
    with SyncAgentSession(actae, channel) as parent:
        parent.step("work")
    for letter, mode in (("b", "approximate"), ("c", "lineage_only")):
        child = SyncAgentSession.resume(
            actae,
            channel,
            fork_at_step=1,
            name=f"{channel}.{letter}",
            boundary_mode=mode,  # type: ignore[arg-type]
        )
        assert (child.inherited_state, child.boundary_restorable) == (None, False)
        go_on(child, 1)


@pytest.mark.parametrize(
    ("at_step", "arguments", "message"),
    [
        (0, {}, "counted from 1"),
        (-1, {}, "counted from 1"),
        (4, {}, "no step 4"),
        (1, {"boundary_mode": "about"}, "boundary_mode"),
    ],
)
def test_what_cannot_be_forked_is_refused(
    actae: SyncActaeClient, channel: str, at_step: int, arguments: dict[str, Any], message: str
) -> None:
    """A step that does not exist is never guessed, and nothing is made."""
    parent = run(actae, channel, 3)
    with pytest.raises(SessionError, match=message):
        parent.fork(at_step, f"{channel}.b", **arguments)
    with pytest.raises(SessionError, match=message):
        SyncAgentSession.resume(actae, channel, fork_at_step=at_step, name=f"{channel}.b", **arguments)
    assert actae.list_forks(channel) == []


@pytest.mark.parametrize(
    ("argument", "value", "kind"),
    [
        ("snapshot_interval", 0, ValueError),
        ("snapshot_interval", "3", TypeError),
        ("step_identity", "x", ValueError),
        ("fence_owner", "", ValueError),
        ("fence_owner", 5, TypeError),
        ("fence_lease_seconds", -1, ValueError),
        ("state_fn", 5, TypeError),
        ("display_name", 5, TypeError),
        ("reason", 5, TypeError),
        ("params", "p", TypeError),
        ("params", {"a": {1}}, TypeError),
        ("manifest", [], TypeError),
        ("intervention", "hello", TypeError),
        ("intervention", {"a": float("inf")}, ValueError),
        ("tool_policies", {"pay": "nah"}, ValueError),
        ("tool_policies", {"": "block"}, ValueError),
        ("tool_policies", ["pay"], TypeError),
        ("fork_at_step", "2", TypeError),
        ("fork_at_step", 2.0, TypeError),
        ("fork_at_step", True, TypeError),
    ],
)
def test_arguments_are_checked_before_anything_is_made(
    actae: SyncActaeClient, channel: str, argument: str, value: Any, kind: type[Exception]
) -> None:
    """Whoever mends a typing error and tries again is the first to make the fork."""
    run(actae, channel, 2)
    arguments: dict[str, Any] = {"fork_at_step": 2, "name": f"{channel}.b", argument: value}
    with pytest.raises(kind, match=argument):
        SyncAgentSession.resume(actae, channel, **arguments)
    assert actae.get_channel_metadata(f"{channel}.b") is None


def test_a_session_that_was_not_started_cannot_be_forked(actae: SyncActaeClient, channel: str) -> None:
    """Nor one that is unknown, nor into a name that is no channel."""
    with pytest.raises(SessionError, match="not started"):
        SyncAgentSession(actae, channel).fork(1, f"{channel}.b")
    with pytest.raises(SessionError, match="no channel"):
        SyncAgentSession.resume(actae, channel, fork_at_step=1, name=f"{channel}.b")
    parent = run(actae, channel, 1)
    with pytest.raises(ValueError, match="name is 'no/channel'"):
        parent.fork(1, "no/channel")
