# Written by tools/generate_sync.py from _async/test_lifecycle.py. Do not edit.
"""From the start of a session to its end."""

from typing import Any

import pytest

from actae_client import SessionCompletedError, SessionError, SyncActaeClient, SyncAgentSession
from actae_client.session import SESSION_COMPLETED, SESSION_STARTED


def events_of(actae: SyncActaeClient, channel: str) -> list[tuple[str, Any]]:
    """Types and payloads, in order."""
    return [(event.event_type, event.payload) for event in actae.replay(channel)]


def described(actae: SyncActaeClient, channel: str) -> dict[str, Any]:
    """What the session says about itself."""
    metadata = actae.get_channel_metadata(channel)
    assert metadata is not None
    assert metadata.experiment_metadata is not None
    return metadata.experiment_metadata


def test_a_session_is_recorded_from_start_to_end(actae: SyncActaeClient, channel: str) -> None:
    """Its start, its steps and its end are the events of its channel, and nothing else is."""
    session = SyncAgentSession(actae, channel, params={"model": "m"})
    assert (session.status, session.step_count, session.cursors) == ("created", 0, [])
    with session:
        assert session.status == "started"
        session.step("think", output="first")
        assert session.status == "stepping"
        session.step("act", input={"a": 1}, output=[2])
    assert (session.status, session.step_count, session.cursors) == ("completed", 2, [2, 3])
    assert events_of(actae, channel) == [
        (SESSION_STARTED, {"session_name": channel, "params": {"model": "m"}}),
        ("think", {"step_number": 1, "input": None, "output": "first"}),
        ("act", {"step_number": 2, "input": {"a": 1}, "output": [2]}),
        (SESSION_COMPLETED, {"session_name": channel, "total_steps": 2}),
    ]
    started = (actae.replay(channel, limit=1))[0]
    assert started.actor == "agent_session"
    assert started.metadata == {"session_name": channel, "snapshot_interval": 1, "has_state_fn": False}


def test_a_session_describes_itself_in_the_metadata(actae: SyncActaeClient, channel: str) -> None:
    """From its start, from its first step, and from its end on; what others wrote there survives."""
    actae.record(channel, "note", None, actor="a")
    actae.update_metadata(channel, experiment_metadata={"mine": 1, "status": "old"})
    with SyncAgentSession(actae, channel, display_name="Nightly", params={"p": 1}) as session:
        started = described(actae, channel)
        session.step("think")
        stepping = described(actae, channel)
        session.step("think", output=2)
        assert described(actae, channel) == stepping
    completed = described(actae, channel)
    begun = (actae.replay(channel, event_type=SESSION_STARTED))[0]
    assert started == {
        "mine": 1,
        "session_name": channel,
        "params": {"p": 1},
        "status": "started",
        "started_at": begun.timestamp,
        "step_count": 0,
        "cursors": [],
        "cursors_stored": 0,
    }
    assert stepping == {
        **started, "status": "stepping", "step_count": 1, "cursors": [3], "cursors_stored": 1,
    }  # fmt: skip
    assert completed == {
        **started, "status": "completed", "step_count": 2, "cursors": [3, 4], "cursors_stored": 2,
    }  # fmt: skip
    metadata = actae.get_channel_metadata(channel)
    assert metadata is not None
    assert metadata.display_name == "Nightly"


def test_a_session_without_a_display_name_is_called_by_its_channel(
    actae: SyncActaeClient, channel: str
) -> None:
    """Unless the channel has a name already."""
    with SyncAgentSession(actae, channel):
        metadata = actae.get_channel_metadata(channel)
        assert metadata is not None
        assert metadata.display_name == channel
    actae.update_metadata(channel, display_name="Nightly")
    with SyncAgentSession(actae, channel):
        metadata = actae.get_channel_metadata(channel)
        assert metadata is not None
        assert metadata.display_name == "Nightly"


def test_an_exception_marks_the_session_as_crashed(actae: SyncActaeClient, channel: str) -> None:
    """With its reason, and it goes on to the caller; nothing says that the session completed."""
    session = SyncAgentSession(actae, channel)

    def divide() -> None:
        with session:
            session.step("think")
            raise ZeroDivisionError("no such number")

    with pytest.raises(ZeroDivisionError):
        divide()
    assert session.status == "crashed"
    metadata = actae.get_channel_metadata(channel)
    assert metadata is not None
    assert metadata.outcome == "crashed"
    said = described(actae, channel)
    assert (said["status"], said["crash_reason"]) == ("crashed", "ZeroDivisionError: no such number")
    assert [kind for kind, _ in events_of(actae, channel)] == [SESSION_STARTED, "think"]


class Mute(Exception):  # noqa: N818 - it is mute
    """An exception that cannot be printed."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    ("error", "reason"),
    [(Mute(), "Mute: <Mute without a message>"), (ValueError("\0 \ud800"), "ValueError: \\x00 \\ud800")],
)
def test_an_exception_that_cannot_be_printed_marks_it_too(
    actae: SyncActaeClient, channel: str, error: Exception, reason: str
) -> None:
    """And goes on to the caller as it is."""
    session = SyncAgentSession(actae, channel)

    def work() -> None:
        with session:
            raise error

    with pytest.raises(type(error)) as caught:
        work()
    assert caught.value is error
    said = described(actae, channel)
    assert (said["status"], said["crash_reason"]) == ("crashed", reason)


def test_steps_are_recorded_only_while_the_session_is_open(actae: SyncActaeClient, channel: str) -> None:
    """Before and after, and once it crashed, they are refused by name."""
    session = SyncAgentSession(actae, channel)
    with pytest.raises(SessionError, match="created"):
        session.step("think")
    with session:
        pass
    with pytest.raises(SessionCompletedError):
        session.step("think")
    crashed = SyncAgentSession(actae, f"{channel}.b")
    crashed.__enter__()
    crashed.__exit__(ZeroDivisionError, ZeroDivisionError(), None)
    with pytest.raises(SessionError, match="crashed"):
        crashed.step("think")
    assert len(actae.replay(channel)) == 2


def test_a_session_is_entered_once(actae: SyncActaeClient, channel: str) -> None:
    """A second entry would record a second start."""
    session = SyncAgentSession(actae, channel)
    with session:
        session.step("think")
        with pytest.raises(SessionError, match="entered before"):
            session.__enter__()
    with pytest.raises(SessionCompletedError):
        session.__enter__()
    assert [kind for kind, _ in events_of(actae, channel)] == [
        SESSION_STARTED,
        "think",
        SESSION_COMPLETED,
    ]


@pytest.mark.parametrize(
    "settings",
    [
        {"name": ""},
        {"name": "no/channel"},
        {"name": "run", "snapshot_interval": 0},
        {"name": "run", "fence_owner": ""},
        {"name": "run", "fence_lease_seconds": 0},
        {"name": "run", "fence_lease_seconds": 86_401},
        {"name": "run", "step_identity": "none"},
        {"name": "run", "params": {"n": float("nan")}},
    ],
)
def test_settings_that_cannot_be_are_refused_at_once(
    actae: SyncActaeClient, settings: dict[str, Any]
) -> None:
    """Before anything is sent."""
    with pytest.raises(ValueError):
        SyncAgentSession(actae, **settings)


def test_what_is_given_out_is_a_copy(actae: SyncActaeClient, channel: str) -> None:
    """Nobody changes a session by changing what it said, or what it was given."""
    params = {"list": [1]}
    session = SyncAgentSession(actae, channel, params=params)
    params["list"].append(2)
    session.params["list"].append(3)
    session.cursors.append(4)
    assert (session.params, session.cursors) == ({"list": [1]}, [])


def test_a_session_that_is_no_fork_has_no_boundary(actae: SyncActaeClient, channel: str) -> None:
    """The properties about forks are None."""
    session = SyncAgentSession(actae, channel)
    for name in (
        "intervention",
        "tool_policies",
        "inherited_state",
        "inherited_state_cursor",
        "boundary_restorable",
        "requested_boundary_cursor",
        "resolved_boundary_cursor",
        "source_state_version",
        "source_state_sha256",
        "reproducibility",
        "fork_receipt",
    ):
        assert getattr(session, name) is None
    assert (session.channel_id, session.name) == (channel, channel)
    assert channel in repr(session)


def test_a_session_has_an_outcome_and_takes_part_in_experiments(actae: SyncActaeClient, channel: str) -> None:
    """The methods of the client, about the session's own channel."""
    with SyncAgentSession(actae, channel, state_fn=lambda: {"done": True}) as session:
        session.step("think")
    child = session.fork(1, f"{channel}.b")
    assert (child.set_outcome("inconclusive", score=0.5))["result_score"] == 0.5
    experiment = session.create_experiment("prompts", baseline_channel_id=channel)
    child.add_to_experiment(experiment["group_id"], declared_delta={"prompt": "shorter"})
    (first, *_) = (actae.rank_experiment(experiment["group_id"]))["ranking"]
    assert (first["channel_id"], first["role"]) == (child.channel_id, "variant")
    assert (child.promote())["parent_channel_id"] == channel


def test_a_state_that_was_not_saved_can_be_seen(actae: SyncActaeClient, channel: str) -> None:
    """What went wrong is kept until a state is saved again; the steps are recorded all the same."""
    state: list[Any] = [RuntimeError("no state now"), {"at": 2}, object()]

    def state_fn() -> Any:
        given = state.pop(0)
        if isinstance(given, Exception):
            raise given
        return given

    with SyncAgentSession(actae, channel, state_fn=state_fn) as session:
        assert session.snapshot_error is None
        session.step("work")
        assert isinstance(session.snapshot_error, RuntimeError)
        session.step("work")
        assert session.snapshot_error is None
        session.step("work")
        assert isinstance(session.snapshot_error, TypeError)
    assert session.status == "completed"
    assert [saved["version"] for saved in actae.list_states(channel)] == [1]
