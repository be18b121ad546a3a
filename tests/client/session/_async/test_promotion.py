"""A fork's state in its parent, and what a session on the parent makes of it."""

from typing import Any

import pytest

from actae_client import ActaeClient, AgentSession


async def steps(session: AgentSession, state: dict[str, Any], until: int) -> None:
    """Steps without an end, each of which is in the state."""
    await session.__aenter__()
    while session.step_count < until:
        state["done"].append(session.step_count + 1)
        await session.step("work", input=state["done"][-1])


async def promoted(actae: ActaeClient, channel: str, *, parent: int, fork: int, interval: int = 1) -> None:
    """A parent that was killed after so many steps, and its fork at step 5 that came further, promoted."""
    state: dict[str, Any] = {"done": []}
    await steps(AgentSession(actae, channel, state_fn=lambda: state), state, parent)
    child = await AgentSession.resume(
        actae,
        channel,
        fork_at_step=5,
        name=f"{channel}.f",
        state_fn=lambda: childs,
        snapshot_interval=interval,
    )
    childs: Any = child.inherited_state
    await steps(child, childs, fork)
    await child.promote()


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
async def test_a_promoted_state_comes_with_its_step(
    actae: ActaeClient,
    channel: str,
    parent: int,
    fork: int,
    interval: int,
    state_step: int,
    step_count: int,
) -> None:
    """Whoever resumes the parent counts the steps that are in the state, and never fewer than it recorded."""
    await promoted(actae, channel, parent=parent, fork=fork, interval=interval)
    resumed = await AgentSession.resume(actae, channel)
    assert resumed.inherited_state == {"done": list(range(1, state_step + 1))}
    assert (resumed.inherited_state_step, resumed.step_count) == (state_step, step_count)


async def test_the_parent_goes_on_after_the_promoted_step(actae: ActaeClient, channel: str) -> None:
    """No step is run twice, and it can be forked there and afterwards."""
    await promoted(actae, channel, parent=5, fork=9)
    parent = await AgentSession.resume(actae, channel, state_fn=lambda: state)
    state: Any = parent.inherited_state
    await steps(parent, state, 10)
    assert state == {"done": list(range(1, 11))}
    at_the_promotion = await AgentSession.resume(actae, channel, fork_at_step=9, name=f"{channel}.g")
    assert at_the_promotion.inherited_state == {"done": list(range(1, 10))}
    later = await AgentSession.resume(actae, channel, fork_at_step=10, name=f"{channel}.h")
    assert (later.inherited_state, later.inherited_state_step) == (state, 10)
    latest = await actae.fork(channel, f"{channel}.latest")
    assert latest.restorable
    assert await actae.latest_step_number(f"{channel}.latest") == 10


async def test_a_crash_is_not_the_outcome_of_a_run_that_got_through(actae: ActaeClient, channel: str) -> None:
    """Other outcomes are somebody's verdict, and stay; and what was promoted does not crash."""
    session = AgentSession(actae, channel)
    await session.__aenter__()
    await session.step("work")
    await session.__aexit__(RuntimeError, RuntimeError("stopped"), None)

    async def outcome() -> str | None:
        metadata = await actae.get_channel_metadata(channel)
        assert metadata is not None
        return metadata.outcome

    assert await outcome() == "crashed"
    async with await AgentSession.resume(actae, channel) as resumed:
        assert await outcome() == "crashed"
        await resumed.step("work")
    assert await outcome() is None
    for verdict in ("rejected", "inconclusive", "promoted"):
        await actae.set_outcome(channel, verdict)
        assert (await actae.set_outcome(channel, None))["outcome"] == verdict
    assert (await actae.set_outcome(channel, "crashed"))["outcome"] == "promoted"
    assert (await actae.set_outcome(channel, "rejected", score=0.5))["outcome"] == "rejected"
