"""The published client's WebSocket: what comes, what is published, and what a cut does."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.compatibility.conftest import Run
from tests.compatibility.support.programs import OURS, Interpreter
from tests.support.cut_writer import CutWriter
from tests.support.cutting_proxy import CuttingProxy
from tests.support.server import RunningServer, new_channel


@pytest.fixture(scope="module")
def told(run: Run) -> dict[str, Any]:
    """What the program told."""
    told: dict[str, Any] = run("live")
    return told


def test_events_come_to_callbacks_and_streams(told: dict[str, Any]) -> None:
    """With what HTTP shows of them; what the client publishes itself comes only when it is asked for."""
    recorded, _, last = told["others"]
    assert [event["cursor"] for event in told["live"]] == [3, 4, 5, 6]
    assert told["live"][1] == {**recorded, "user_id": None}
    assert told["live"][3]["event_type"] == last["event_type"]
    assert [event["cursor"] for event in told["replayed"]] == [1, 2, 3, 4, 5, 6]
    assert told["from_the_start"]["channel_id"] == f"{told['channel']}.b"
    assert told["confirmed"][0] == [told["channel"], 1]
    assert told["complaints"] == 0


def test_what_is_published_is_acknowledged(told: dict[str, Any]) -> None:
    """With the event that is stored, once for each operation id."""
    assert told["own"] == told["again"]
    assert (told["own"]["cursor"], told["own"]["event_type"]) == (2, "broadcast")
    assert told["published"]["payload"] == {"n": 3}
    assert told["published"]["actor"] == told["live"][0]["actor"] == "key:key_dev"


def test_what_is_too_large_comes_as_a_stub_and_closes_nothing(told: dict[str, Any]) -> None:
    """The client takes no frame of more than a megabyte; the event can be read by its cursor."""
    stub = told["live"][2]
    assert stub["payload"] == {"truncated": True, "size_bytes": 1_500_002}
    assert stub["id"] == told["others"][1]["id"]


def test_a_refused_publish_is_told(told: dict[str, Any]) -> None:
    """To its callback, which is all that it has for that."""
    assert "other content" in told["refused"]


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("whose", ["published", "ours"])
def test_each_event_arrives_once_through_a_hundred_cuts(
    published: Interpreter, start_server: Callable[..., RunningServer], whose: str
) -> None:
    """While another server process writes. The published client comes back half a second after each."""
    there, here = start_server(), start_server()
    channel = new_channel()
    interpreter = published if whose == "published" else OURS
    # Where its handshake is cut, the published client waits for its whole timeout.
    with CuttingProxy(here.url, seed=4, bytes_max=6000, until=b"subscribed") as proxy:
        writer = CutWriter(there, channel, proxy, cuts=100)
        writer.start()
        through = proxy.url.replace("http", "ws", 1) + "/ws"
        told = interpreter.run("following", here, channel, through, "2000", seconds=240)
        writer.finish()
    assert told["seen"] == list(range(1, 2001))
    assert told["reconnects"] > 0
