# Written by tools/generate_sync.py from _async/test_promotion.py. Do not edit.
"""A fork's state in its parent, and what a session on the parent makes of it."""

from typing import Any

import pytest

from actae_client import SyncActaeClient, SyncAgentSession


def steps(session: SyncAgentSession, state: dict[str, Any], until: int) -> None:
    """Steps without an end, each of which is in the state."""
    session.__enter__()
    while session.step_count < until:
        state["done"].append(session.step_count + 1)
        session.step("work", input=state["done"][-1])


def promoted(actae: SyncActaeClient, channel: str, *, parent: int, fork: int, interval: int = 1) -> None:
    """A parent that was killed after so many steps, and its fork at step 5 that came further, promoted."""
    state: dict[str, Any] = {"done": []}
    steps(SyncAgentSession(actae, channel, state_fn=lambda: state), state, parent)
    child = SyncAgentSession.resume(
        actae,
        channel,
        fork_at_step=5,
        name=f"{channel}.f",
        state_fn=lambda: childs,
        snapshot_interval=interval,
    )
    childs: Any = child.inherited_state
    steps(child, childs, fork)
    child.promote()


@pytest.mark.parametrize(
    ("parent", "fork", "interval", "state_step", "step_count"),
    [
        pytest.param(5, 9, 1, 9, 9, id="the fork came further"),
        pytest.param(9, 9, 1, 9, 9, id="both came to the same step"),
        pytest.param(5, 8, 3, 6, 6, id="the fork's last state is of an earlier step"),
        pytest.param(5, 7, 9, 5, 5, id="the fork saved none of its own"),
        pytest.param(11, 9, 1, 9, 11, id="the parent came further"),
    ],
)
def test_a_promoted_state_comes_with_its_step(
    actae: SyncActaeClient,
    channel: str,
    parent: int,
    fork: int,
    interval: int,
    state_step: int,
    step_count: int,
) -> None:
    """Whoever resumes the parent counts the steps that are in the state, and never fewer than it recorded."""
    promoted(actae, channel, parent=parent, fork=fork, interval=interval)
    resumed = SyncAgentSession.resume(actae, channel)
    assert resumed.inherited_state == {"done": list(range(1, state_step + 1))}
    assert (resumed.inherited_state_step, resumed.step_count) == (state_step, step_count)


def test_the_parent_goes_on_after_the_promoted_step(actae: SyncActaeClient, channel: str) -> None:
    """No step is run twice, and it can be forked there and afterwards."""
    promoted(actae, channel, parent=5, fork=9)
    parent = SyncAgentSession.resume(actae, channel, state_fn=lambda: state)
    state: Any = parent.inherited_state
    steps(parent, state, 10)
    assert state == {"done": list(range(1, 11))}
    at_the_promotion = SyncAgentSession.resume(actae, channel, fork_at_step=9, name=f"{channel}.g")
    assert at_the_promotion.inherited_state == {"done": list(range(1, 10))}
    later = SyncAgentSession.resume(actae, channel, fork_at_step=10, name=f"{channel}.h")
    assert (later.inherited_state, later.inherited_state_step) == (state, 10)
    latest = actae.fork(channel, f"{channel}.latest")
    assert latest.restorable
    assert actae.latest_step_number(f"{channel}.latest") == 10


def test_a_crash_is_not_the_outcome_of_a_run_that_got_through(actae: SyncActaeClient, channel: str) -> None:
    """Other outcomes are somebody's verdict, and stay; and what was promoted does not crash."""
    session = SyncAgentSession(actae, channel)
    session.__enter__()
    session.step("work")
    session.__exit__(RuntimeError, RuntimeError("stopped"), None)

    def outcome() -> str | None:
        metadata = actae.get_channel_metadata(channel)
        assert metadata is not None
        return metadata.outcome

    assert outcome() == "crashed"
    with SyncAgentSession.resume(actae, channel) as resumed:
        assert outcome() == "crashed"
        resumed.step("work")
    assert outcome() is None
    for verdict in ("rejected", "inconclusive", "promoted"):
        actae.set_outcome(channel, verdict)
        assert (actae.set_outcome(channel, None))["outcome"] == verdict
    assert (actae.set_outcome(channel, "crashed"))["outcome"] == "promoted"
    assert (actae.set_outcome(channel, "rejected", score=0.5))["outcome"] == "rejected"
