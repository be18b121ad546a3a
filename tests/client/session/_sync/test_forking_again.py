# Written by tools/generate_sync.py from _async/test_forking_again.py. Do not edit.
"""A fork that is made again: after a crash, by another process, with other wishes."""

import logging
from typing import Any

import pytest

from actae_client import SessionCompletedError, SessionError, SyncActaeClient, SyncAgentSession


def run(actae: SyncActaeClient, channel: str) -> SyncAgentSession:
    """Three steps, each with its snapshot."""
    done: list[int] = []
    with SyncAgentSession(actae, channel, state_fn=lambda: {"done": done}) as session:
        for number in range(1, 4):
            done.append(number)
            session.step("work", input=number)
    return session


def the_same_program(actae: SyncActaeClient, channel: str, *, until: int, dies: bool) -> Any:
    """Forks after step 2, under one name, and goes on until a step; the state it ends with."""
    state: Any = None
    session = SyncAgentSession.resume(
        actae, channel, fork_at_step=2, name=f"{channel}.b", state_fn=lambda: state
    )
    state = session.inherited_state
    session.__enter__()
    while session.step_count < until:
        state["done"].append(session.step_count + 1)
        session.step("more", input="x" * 300, output=session.step_count)
    if not dies:
        session.__exit__(None, None, None)
    return state


def test_a_child_that_has_gone_on_goes_on(actae: SyncActaeClient, channel: str) -> None:
    """The same program, again and again, until it gets through: each step is in the state once."""
    run(actae, channel)
    assert the_same_program(actae, channel, until=4, dies=True) == {"done": [1, 2, 3, 4]}
    assert the_same_program(actae, channel, until=5, dies=True) == {"done": [1, 2, 3, 4, 5]}
    assert the_same_program(actae, channel, until=6, dies=False) == {"done": [1, 2, 3, 4, 5, 6]}
    recorded = [event.payload["step_number"] for event in actae.replay(f"{channel}.b", event_type="more")]
    assert recorded == [3, 4, 5, 6]


def test_a_fork_made_again_says_so(actae: SyncActaeClient, channel: str) -> None:
    """At the boundary while it has no step of its own, and like a resumed session afterwards."""
    parent = run(actae, channel)
    child = parent.fork(2, f"{channel}.b", state_fn=lambda: {"own": 3})
    for again in (parent.fork(2, f"{channel}.b"), parent.fork(2, f"{channel}.b")):
        assert (again.status, again.step_count, again.inherited_state) == ("created", 2, {"done": [1, 2]})
        assert again.inherited_state_step == 2
    child.__enter__()
    child.step("more")
    later = parent.fork(2, f"{channel}.b")
    assert (later.status, later.step_count, later.inherited_state) == ("started", 3, {"own": 3})
    assert (later.inherited_state_step, later.inherited_state_cursor) == (3, child.cursors[2])
    assert later.fork_receipt is not None
    assert later.fork_receipt.replayed
    assert len(actae.list_forks(channel)) == 1


def test_a_child_that_came_to_its_end_is_not_begun_anew(actae: SyncActaeClient, channel: str) -> None:
    """As when it is resumed; what was promoted stays so."""
    parent = run(actae, channel)
    with parent.fork(2, f"{channel}.b") as child:
        child.step("more")
    child.promote()
    with pytest.raises(SessionCompletedError) as refused:
        parent.fork(2, f"{channel}.b")
    assert refused.value.code == "session_completed"
    assert refused.value.hint is not None
    with pytest.raises(SessionCompletedError):
        SyncAgentSession.resume(actae, channel, fork_at_step=2, name=f"{channel}.b")
    metadata = actae.get_channel_metadata(f"{channel}.b")
    assert metadata is not None
    assert metadata.outcome == "promoted"


def test_a_child_keeps_what_it_was_made_with(
    actae: SyncActaeClient, channel: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Other wishes change nothing, before its first step or after it, and are not passed over in silence."""
    parent = run(actae, channel)

    def again(wish: str) -> SyncAgentSession:
        return parent.fork(
            2,
            f"{channel}.b",
            intervention={"prompt": wish},
            manifest={"model": wish},
            params={"temperature": wish},
        )

    child = again("A")
    before = actae.get_channel_metadata(child.channel_id)
    with caplog.at_level(logging.WARNING, "actae_client.session"):
        other = again("B")
        assert "other params and intervention and manifest" in caplog.text
    assert actae.get_channel_metadata(child.channel_id) == before
    child.__enter__()
    child.step("more")
    for made in (other, again("B")):
        assert (made.intervention, made.params) == ({"prompt": "A"}, {"temperature": "A"})
        assert made.fork_receipt is not None
        assert made.fork_receipt.manifest is not None
        assert made.fork_receipt.manifest["model"] == "A"
    other.__enter__()
    after = actae.get_channel_metadata(child.channel_id)
    assert after is not None
    assert after.experiment_metadata is not None
    assert after.experiment_metadata["intervention"] == {"prompt": "A"}
    assert after.experiment_metadata["params"] == {"temperature": "A"}


def test_with_a_fence_nobody_begins_at_a_step_that_others_have_left_behind(
    actae: SyncActaeClient, channel: str
) -> None:
    """Whoever enters only when the lease is free again does not run the others' steps anew."""
    run(actae, channel)

    def made_by(owner: str) -> SyncAgentSession:
        return SyncAgentSession.resume(actae, channel, fork_at_step=2, name=f"{channel}.b", fence_owner=owner)

    quick, slow, late = made_by("quick"), made_by("slow"), made_by("late")
    quick.__enter__()
    quick.step("more")
    quick.__exit__(RuntimeError, RuntimeError("stopped"), None)
    with pytest.raises(SessionError, match="brought it to step 3"):
        slow.__enter__()
    with made_by("slow") as resumed:
        assert resumed.step_count == 3
    with pytest.raises(SessionCompletedError):
        late.__enter__()
    recorded = [event.event_type for event in actae.replay(f"{channel}.b")]
    assert recorded.count("more") == 1
