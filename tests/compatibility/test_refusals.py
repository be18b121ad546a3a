"""The published client raises the error that fits: one test per class that a server can bring about here."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.compatibility.conftest import Run
from tests.compatibility.support.programs import Interpreter
from tests.support.server import RunningServer, new_channel

EXPECTED = {
    "other content under an operation id": "IdempotencyConflictError",
    "another kind under an operation id": "IdempotencyConflictError",
    "another state under an operation id": "IdempotencyConflictError",
    "a wrong version": "VersionConflictError",
    "a wrong cursor": "VersionConflictError",
    "other parameters under a key": "IdempotencyKeyMismatchError",
    "another tool under a key": "IdempotencyKeyMismatchError",
    "a channel id that the client refuses": "ValueError",
    "complete: stale": "ExecutionNotOwnedError",
    "fail: stale": "ExecutionNotOwnedError",
    "heartbeat: stale": "ExecutionNotOwnedError",
    "cancel: stale": "ExecutionNotOwnedError",
    "complete: missing": "ExecutionNotFoundError",
    "fail: missing": "ExecutionNotFoundError",
    "heartbeat: missing": "ExecutionNotFoundError",
    "cancel: missing": "ExecutionNotFoundError",
    "get: missing": "ExecutionNotFoundError",
    "delete: missing": "ExecutionNotFoundError",
    "an unknown key": "AuthError",
    "no server": "ActaeConnectionError",
}

STATUSES = {
    "an id that is no channel": 400,
    "a lease without end": 400,
    "a body that is no JSON": 400,
    "an event that is not there": 404,
    "a body that is too large": 413,
}


@pytest.fixture(scope="module")
def told(run: Run) -> dict[str, Any]:
    """What each call raised."""
    told: dict[str, Any] = run("refusals")
    return told


def test_each_case_has_its_expectation(told: dict[str, Any]) -> None:
    """No call of the program goes unasserted."""
    assert told.keys() - {"channel"} == EXPECTED.keys() | STATUSES.keys()


@pytest.mark.parametrize("case", EXPECTED)
def test_a_refusal_has_its_class(told: dict[str, Any], case: str) -> None:
    """By which a caller decides what to do, with a sentence to read."""
    assert told[case]["raised"] == EXPECTED[case]
    assert told[case]["message"]


@pytest.mark.parametrize("case", STATUSES)
def test_any_other_refusal_has_its_status(told: dict[str, Any], case: str) -> None:
    """In the one class for the rest."""
    assert (told[case]["raised"], told[case]["status_code"]) == ("APIError", STATUSES[case])


def test_who_asks_too_often_is_told_how_long_to_wait(
    published: Interpreter, start_server: Callable[..., RunningServer]
) -> None:
    """`RateLimitError`, with whole seconds."""
    server = start_server(environment={"ACTAE_RATE_LIMIT_PER_SECOND": "5"})
    told = published.run("impatient", server, new_channel())
    assert told["asked"] >= 5
    assert told["seconds"] == 1
    assert told["message"]
