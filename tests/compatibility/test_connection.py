"""The published client's `async with`: it connects, and HTTP works within."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.compatibility.conftest import Run
from tests.compatibility.support.programs import Interpreter
from tests.support.server import RunningServer
from tests.support.waiting import until


@pytest.fixture(scope="module")
def told(run: Run) -> dict[str, Any]:
    """What the program told."""
    told: dict[str, Any] = run("connecting")
    return told


def test_a_client_connects_and_works(told: dict[str, Any]) -> None:
    """With arguments, from the environment, and with an address of its own for the WebSocket."""
    assert told["recorded"]["cursor"] == 1
    assert (told["from_env"], told["explicit"]) == (1, 1)


def test_a_bad_key_is_refused_at_once(told: dict[str, Any]) -> None:
    """As `AuthError`, with the server's reason."""
    assert told["stranger"] == "This API key is not known here."


def test_the_grouped_names_are_the_same_calls(told: dict[str, Any]) -> None:
    """`client.events.replay` and its like."""
    facades = dict(told["facades"])
    channel = facades.pop("channels")
    assert channel == told["recorded"]["channel_id"]
    assert facades == {
        "events": 1,
        "state": 1,
        "executions": "claimed",
        "health": "ok",
        "auth": "api_key",
        "ws": {"returned": None},
    }


def test_a_client_is_told_that_the_server_stops(
    published: Interpreter, start_server: Callable[..., RunningServer]
) -> None:
    """At once, and the server does not wait for it."""
    server = start_server()
    with ThreadPoolExecutor() as aside:
        program = aside.submit(published.run, "farewell", server)
        until(lambda: authenticated(server) == 1)
        assert server.stop() == 0
        assert program.result() == {"gone": True}


def authenticated(server: RunningServer) -> int:
    """How many connections are past their greeting: both sides have spoken."""
    figures = server.request("GET", "/metrics.json").body["websocket"]
    return int(figures["connections"] if figures["messages_sent"] == 2 else 0)
