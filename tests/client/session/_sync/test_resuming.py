# Written by tools/generate_sync.py from _async/test_resuming.py. Do not edit.
"""Going on after a session stopped."""

from typing import Any

import pytest

from actae_client import SessionCompletedError, SessionError, SyncActaeClient, SyncAgentSession
from actae_client.session import SESSION_STARTED


class CrashError(Exception):
    """What happens to sessions here."""


def crash(actae: SyncActaeClient, channel: str, steps: int, **settings: Any) -> None:
    """A session that stops after so many steps."""
    state = {"done": 0}
    session = SyncAgentSession(actae, channel, state_fn=lambda: state, **settings)

    def work() -> None:
        with session:
            for number in range(1, steps + 1):
                state["done"] = number
                session.step("work", input=number)
            raise CrashError

    with pytest.raises(CrashError):
        work()


def test_a_session_goes_on_after_its_last_step(actae: SyncActaeClient, channel: str) -> None:
    """On the same channel, with the same state, and without a second start."""
    crash(actae, channel, 3, params={"model": "m", "n": 1}, display_name="Nightly")
    session = SyncAgentSession.resume(actae, channel, params={"n": 2})
    assert (session.status, session.step_count, session.inherited_state) == ("started", 3, {"done": 3})
    assert session.params == {"model": "m", "n": 2}
    assert session.inherited_state_cursor == session.cursors[2]
    with session:
        event = session.step("work", input=4)
    assert event.payload["step_number"] == 4
    assert len(actae.replay(channel, event_type=SESSION_STARTED)) == 1
    metadata = actae.get_channel_metadata(channel)
    assert metadata is not None
    assert metadata.experiment_metadata is not None
    assert metadata.display_name == "Nightly"
    assert metadata.experiment_metadata["status"] == "completed"
    assert metadata.experiment_metadata["cursors"] == [2, 3, 4, 5]
    assert "crash_reason" not in metadata.experiment_metadata
    assert "started_at" in metadata.experiment_metadata


def test_metadata_that_lags_behind_is_corrected(actae: SyncActaeClient, channel: str) -> None:
    """A killed process leaves it where it was after the first step; the log knows better."""
    crash(actae, channel, 3)
    actae.update_metadata(
        channel, experiment_metadata={"status": "stepping", "step_count": 1, "cursors": [2]}
    )
    session = SyncAgentSession.resume(actae, channel)
    assert (session.step_count, session.cursors) == (3, [2, 0, 0])
    assert (session.fork(2, f"{channel}.b")).inherited_state == {"done": 2}


def test_a_resumed_session_can_be_stepped_without_entering_it(actae: SyncActaeClient, channel: str) -> None:
    """It is started already."""
    crash(actae, channel, 1)
    session = SyncAgentSession.resume(actae, channel)
    assert (session.step("work", input=2)).payload["step_number"] == 2


def test_a_session_that_ended_is_not_resumed(actae: SyncActaeClient, channel: str) -> None:
    """It can be forked."""
    with SyncAgentSession(actae, channel, state_fn=lambda: {"n": 1}) as session:
        session.step("work")
    with pytest.raises(SessionCompletedError, match="fork it"):
        SyncAgentSession.resume(actae, channel)
    child = SyncAgentSession.resume(actae, channel, fork_at_step=1, name=f"{channel}.b")
    assert (child.status, child.step_count, child.inherited_state) == ("created", 1, {"n": 1})


def test_what_is_no_session_is_not_resumed(actae: SyncActaeClient, channel: str) -> None:
    """A channel that is unknown, or was deleted."""
    with pytest.raises(SessionError, match="no session"):
        SyncAgentSession.resume(actae, channel)
    crash(actae, channel, 1)
    actae.delete_channel(channel)
    with pytest.raises(SessionError, match="no session"):
        SyncAgentSession.resume(actae, channel)


def test_a_channel_that_was_only_written_to_can_be_resumed(actae: SyncActaeClient, channel: str) -> None:
    """It has no steps yet; any state of it is there."""
    actae.transition(channel, "note", None, {"n": 1})
    session = SyncAgentSession.resume(actae, channel)
    assert (session.step_count, session.inherited_state) == (0, {"n": 1})


@pytest.mark.parametrize(
    "arguments",
    [{"name": "other"}, {"manifest": {"seed": 1}}, {"tool_policies": {"*": "block"}}, {"fork_at_step": 1}],
)
def test_arguments_of_a_fork_are_refused_without_one(
    actae: SyncActaeClient, channel: str, arguments: dict[str, Any]
) -> None:
    """Nobody believes in a policy that is not there, or goes on in place by mistake."""
    crash(actae, channel, 1)
    with pytest.raises(SessionError, match="fork"):
        SyncAgentSession.resume(actae, channel, **arguments)


def test_metadata_of_a_long_session_keeps_the_end(actae: SyncActaeClient, channel: str) -> None:
    """A thousand cursors are kept, and they are those of the last steps."""
    crash(actae, channel, 1)
    stored = {
        "status": "stepping",
        "step_count": 1500,
        "cursors": list(range(502, 1502)),
        "cursors_stored": 1000,
    }
    actae.update_metadata(channel, experiment_metadata=stored)
    session = SyncAgentSession.resume(actae, channel)
    assert session.cursors == [0] * 500 + list(range(502, 1502))
    with session:
        event = session.step("work")
    assert event.payload["step_number"] == 1501
    metadata = actae.get_channel_metadata(channel)
    assert metadata is not None
    written = metadata.experiment_metadata
    assert written is not None
    assert written["cursors"] == [*range(503, 1502), event.cursor]
    assert (written["step_count"], written["cursors_stored"]) == (1501, 1000)
    assert "last 1000 of 1501" in written["cursors_warning"]


def test_a_fork_that_never_stepped_goes_on_at_its_step(actae: SyncActaeClient, channel: str) -> None:
    """Whoever made it may be gone before it was entered."""
    crash(actae, channel, 3)
    receipt = (SyncAgentSession.resume(actae, channel, fork_at_step=2, name=f"{channel}.b")).fork_receipt
    assert receipt is not None
    session = SyncAgentSession.resume_from_fork(actae, receipt)
    assert (session.channel_id, session.step_count) == (f"{channel}.b", 2)
    assert session.inherited_state == {"done": 2}
    assert session.fork_receipt == receipt
    with session:
        assert (session.step("work")).payload["step_number"] == 3
    again = SyncAgentSession.resume_from_fork(
        actae, {"child_channel_id": channel}, fork_at_step=1, name=f"{channel}.c"
    )
    assert again.step_count == 1


def test_the_identity_of_steps_is_remembered(actae: SyncActaeClient, channel: str) -> None:
    """Whoever goes on derives the ids as before, unless told otherwise."""
    crash(actae, channel, 1, step_identity="full")
    with SyncAgentSession.resume(actae, channel) as session:
        event = session.step("work", input="x" * 500, output=1)
    with SyncAgentSession.resume(actae, channel, fork_at_step=1, name=f"{channel}.b") as other:
        other.step("work", input="x" * 500, output=1)
    same = SyncAgentSession(actae, channel, step_identity="full")
    with same:
        same.step("work", input=1)
        assert same.step("work", input="x" * 500, output=1) == event
