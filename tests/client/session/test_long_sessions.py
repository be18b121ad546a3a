"""A session with more steps than its metadata keeps cursors."""

import pytest

from actae_client import ActaeClient, AgentSession, NoRestorableCheckpointError


@pytest.mark.slow
async def test_a_session_of_more_than_a_thousand_steps(actae: ActaeClient, channel: str) -> None:
    """It is resumed where it stopped, and forked at steps that the metadata has forgotten."""
    state = {"done": 0}
    session = AgentSession(actae, channel, state_fn=lambda: state, snapshot_interval=500)
    await session.__aenter__()
    for number in range(1, 1004):
        state["done"] = number
        await session.step("work", input=number)
    await session.__aexit__(RuntimeError, RuntimeError("stopped"), None)
    resumed = await AgentSession.resume(actae, channel)
    assert resumed.cursors == [0, 0, 0, *range(5, 1005)]
    assert resumed.inherited_state == {"done": 1000}
    assert (await resumed.fork(501, f"{channel}.b")).inherited_state == {"done": 500}
    with pytest.raises(NoRestorableCheckpointError):
        await resumed.fork(2, f"{channel}.c")
