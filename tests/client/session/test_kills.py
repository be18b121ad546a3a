"""A process is killed in the middle of a step, and another one goes on."""

import subprocess
import sys
from pathlib import Path

import pytest

from actae_client import ActaeClient, AgentSession
from tests.support.server import RunningServer

WORKER = Path(__file__).parent / "support" / "worker.py"


def run_until_it_hangs(server: RunningServer, channel: str, hang_at: int, where: str) -> None:
    """Start a worker, wait until it stands still, and kill it."""
    command = [sys.executable, WORKER, server.url, server.api_key, channel, str(hang_at), where]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout is not None
        try:
            assert worker.stdout.readline() == "hanging\n"
        finally:
            worker.kill()


@pytest.mark.parametrize(
    ("where", "recorded", "saved"),
    [
        pytest.param("work", 3, 3, id="before the step was recorded"),
        pytest.param("state", 4, 3, id="after it, before the state was saved"),
    ],
)
async def test_another_process_goes_on_after_the_last_recorded_step(
    server: RunningServer, actae: ActaeClient, channel: str, where: str, recorded: int, saved: int
) -> None:
    """The metadata knew of one step only; the log knows them all, and none is recorded twice."""
    run_until_it_hangs(server, channel, 4, where)
    metadata = await actae.get_channel_metadata(channel)
    assert metadata is not None
    assert metadata.experiment_metadata is not None
    assert (metadata.experiment_metadata["status"], metadata.experiment_metadata["step_count"]) == (
        "stepping",
        1,
    )
    session = await AgentSession.resume(actae, channel)
    assert (session.step_count, session.inherited_state) == (recorded, {"done": saved})
    missing = await actae.replay(channel, cursor=session.inherited_state_cursor)
    assert [event.payload["step_number"] for event in missing] == list(range(saved + 1, recorded + 1))

    run_until_it_hangs(server, channel, 7, "work")
    events = await actae.replay(channel, event_type="work")
    assert [event.payload["step_number"] for event in events] == [1, 2, 3, 4, 5, 6]
    assert len(await actae.replay(channel)) == 7
    child = await AgentSession.resume(actae, channel, fork_at_step=5, name=f"{channel}.b")
    assert (child.step_count, child.inherited_state) == (5, {"done": 5})
