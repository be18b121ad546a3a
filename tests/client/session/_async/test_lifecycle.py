"""From the start of a session to its end."""

from typing import Any

import pytest

from actae_client import ActaeClient, AgentSession, SessionCompletedError, SessionError
from actae_client.session import SESSION_COMPLETED, SESSION_STARTED


async def events_of(actae: ActaeClient, channel: str) -> list[tuple[str, Any]]:
    """Types and payloads, in order."""
    return [(event.event_type, event.payload) for event in await actae.replay(channel)]


async def described(actae: ActaeClient, channel: str) -> dict[str, Any]:
    """What the session says about itself."""
    metadata = await actae.get_channel_metadata(channel)
    assert metadata is not None
    assert metadata.experiment_metadata is not None
    return metadata.experiment_metadata


async def test_a_session_is_recorded_from_start_to_end(actae: ActaeClient, channel: str) -> None:
    """Its start, its steps and its end are the events of its channel, and nothing else is."""
    session = AgentSession(actae, channel, params={"model": "m"})
    assert (session.status, session.step_count, session.cursors) == ("created", 0, [])
    async with session:
        assert session.status == "started"
        await session.step("think", output="first")
        assert session.status == "stepping"
        await session.step("act", input={"a": 1}, output=[2])
    assert (session.status, session.step_count, session.cursors) == ("completed", 2, [2, 3])
    assert await events_of(actae, channel) == [
        (SESSION_STARTED, {"session_name": channel, "params": {"model": "m"}}),
        ("think", {"step_number": 1, "input": None, "output": "first"}),
        ("act", {"step_number": 2, "input": {"a": 1}, "output": [2]}),
        (SESSION_COMPLETED, {"session_name": channel, "total_steps": 2}),
    ]
    started = (await actae.replay(channel, limit=1))[0]
    assert started.actor == "agent_session"
    assert started.metadata == {"session_name": channel, "snapshot_interval": 1, "has_state_fn": False}


async def test_a_session_describes_itself_in_the_metadata(actae: ActaeClient, channel: str) -> None:
    """From its start, from its first step, and from its end on; what others wrote there survives."""
    await actae.record(channel, "note", None, actor="a")
    await actae.update_metadata(channel, experiment_metadata={"mine": 1, "status": "old"})
    async with AgentSession(actae, channel, display_name="Nightly", params={"p": 1}) as session:
        started = await described(actae, channel)
        await session.step("think")
        stepping = await described(actae, channel)
        await session.step("think", output=2)
        assert await described(actae, channel) == stepping
    completed = await described(actae, channel)
    begun = (await actae.replay(channel, event_type=SESSION_STARTED))[0]
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
    metadata = await actae.get_channel_metadata(channel)
    assert metadata is not None
    assert metadata.display_name == "Nightly"


async def test_a_session_without_a_display_name_is_called_by_its_channel(
    actae: ActaeClient, channel: str
) -> None:
    """Unless the channel has a name already."""
    async with AgentSession(actae, channel):
        metadata = await actae.get_channel_metadata(channel)
        assert metadata is not None
        assert metadata.display_name == channel
    await actae.update_metadata(channel, display_name="Nightly")
    async with AgentSession(actae, channel):
        metadata = await actae.get_channel_metadata(channel)
        assert metadata is not None
        assert metadata.display_name == "Nightly"


async def test_an_exception_marks_the_session_as_crashed(actae: ActaeClient, channel: str) -> None:
    """With its reason, and it goes on to the caller; nothing says that the session completed."""
    session = AgentSession(actae, channel)

    async def divide() -> None:
        async with session:
            await session.step("think")
            raise ZeroDivisionError("no such number")

    with pytest.raises(ZeroDivisionError):
        await divide()
    assert session.status == "crashed"
    metadata = await actae.get_channel_metadata(channel)
    assert metadata is not None
    assert metadata.outcome == "crashed"
    said = await described(actae, channel)
    assert (said["status"], said["crash_reason"]) == ("crashed", "ZeroDivisionError: no such number")
    assert [kind for kind, _ in await events_of(actae, channel)] == [SESSION_STARTED, "think"]


class Mute(Exception):  # noqa: N818 - it is mute
    """An exception that cannot be printed."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    ("error", "reason"),
    [(Mute(), "Mute: <Mute without a message>"), (ValueError("\0 \ud800"), "ValueError: \\x00 \\ud800")],
)
async def test_an_exception_that_cannot_be_printed_marks_it_too(
    actae: ActaeClient, channel: str, error: Exception, reason: str
) -> None:
    """And goes on to the caller as it is."""
    session = AgentSession(actae, channel)

    async def work() -> None:
        async with session:
            raise error

    with pytest.raises(type(error)) as caught:
        await work()
    assert caught.value is error
    said = await described(actae, channel)
    assert (said["status"], said["crash_reason"]) == ("crashed", reason)


async def test_steps_are_recorded_only_while_the_session_is_open(actae: ActaeClient, channel: str) -> None:
    """Before and after, and once it crashed, they are refused by name."""
    session = AgentSession(actae, channel)
    with pytest.raises(SessionError, match="created"):
        await session.step("think")
    async with session:
        pass
    with pytest.raises(SessionCompletedError):
        await session.step("think")
    crashed = AgentSession(actae, f"{channel}.b")
    await crashed.__aenter__()
    await crashed.__aexit__(ZeroDivisionError, ZeroDivisionError(), None)
    with pytest.raises(SessionError, match="crashed"):
        await crashed.step("think")
    assert len(await actae.replay(channel)) == 2


async def test_a_session_is_entered_once(actae: ActaeClient, channel: str) -> None:
    """A second entry would record a second start."""
    session = AgentSession(actae, channel)
    async with session:
        await session.step("think")
        with pytest.raises(SessionError, match="entered before"):
            await session.__aenter__()
    with pytest.raises(SessionCompletedError):
        await session.__aenter__()
    assert [kind for kind, _ in await events_of(actae, channel)] == [
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
async def test_settings_that_cannot_be_are_refused_at_once(
    actae: ActaeClient, settings: dict[str, Any]
) -> None:
    """Before anything is sent."""
    with pytest.raises(ValueError):
        AgentSession(actae, **settings)


async def test_what_is_given_out_is_a_copy(actae: ActaeClient, channel: str) -> None:
    """Nobody changes a session by changing what it said, or what it was given."""
    params = {"list": [1]}
    session = AgentSession(actae, channel, params=params)
    params["list"].append(2)
    session.params["list"].append(3)
    session.cursors.append(4)
    assert (session.params, session.cursors) == ({"list": [1]}, [])


async def test_a_session_that_is_no_fork_has_no_boundary(actae: ActaeClient, channel: str) -> None:
    """The properties about forks are None."""
    session = AgentSession(actae, channel)
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


async def test_a_session_has_an_outcome_and_takes_part_in_experiments(
    actae: ActaeClient, channel: str
) -> None:
    """The methods of the client, about the session's own channel."""
    async with AgentSession(actae, channel, state_fn=lambda: {"done": True}) as session:
        await session.step("think")
    child = await session.fork(1, f"{channel}.b")
    assert (await child.set_outcome("inconclusive", score=0.5))["result_score"] == 0.5
    experiment = await session.create_experiment("prompts", baseline_channel_id=channel)
    await child.add_to_experiment(experiment["group_id"], declared_delta={"prompt": "shorter"})
    (first, *_) = (await actae.rank_experiment(experiment["group_id"]))["ranking"]
    assert (first["channel_id"], first["role"]) == (child.channel_id, "variant")
    assert (await child.promote())["parent_channel_id"] == channel


async def test_a_state_that_was_not_saved_can_be_seen(actae: ActaeClient, channel: str) -> None:
    """What went wrong is kept until a state is saved again; the steps are recorded all the same."""
    state: list[Any] = [RuntimeError("no state now"), {"at": 2}, object()]

    def state_fn() -> Any:
        given = state.pop(0)
        if isinstance(given, Exception):
            raise given
        return given

    async with AgentSession(actae, channel, state_fn=state_fn) as session:
        assert session.snapshot_error is None
        await session.step("work")
        assert isinstance(session.snapshot_error, RuntimeError)
        await session.step("work")
        assert session.snapshot_error is None
        await session.step("work")
        assert isinstance(session.snapshot_error, TypeError)
    assert session.status == "completed"
    assert [saved["version"] for saved in await actae.list_states(channel)] == [1]
