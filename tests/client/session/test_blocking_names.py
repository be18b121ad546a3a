"""The methods of the asyncio client that block, and belong to forks."""

from collections.abc import Iterator

import pytest

from actae_client import ActaeClient
from tests.support.server import RunningServer


@pytest.fixture
def blocking(server: RunningServer) -> Iterator[ActaeClient]:
    """A client that is used without an event loop."""
    client = ActaeClient(api_key=server.api_key, endpoint=server.url)
    yield client
    client.disconnect_sync()


def test_forks_without_an_event_loop(blocking: ActaeClient, channel: str) -> None:
    """Made, compared, and traced back."""
    blocking.transition_sync(channel, "note", 1, {"n": 1})
    receipt = blocking.fork_sync(channel, f"{channel}.b")
    assert receipt.child_channel_id == f"{channel}.b"
    blocking.save_state_sync(f"{channel}.b", 1, {"n": 2})
    (entry,) = blocking.diff_states_sync(channel, f"{channel}.b")["entries"]
    assert (entry["path"], entry["left"], entry["right"]) == (["n"], 1, 2)
    assert blocking.decision_trail_sync(f"{channel}.b")["boundary"]["state"] == {"n": 1}
