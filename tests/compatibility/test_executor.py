"""The published tool executor: it keeps its lease, and gives it up in every way there is."""

from typing import Any

import pytest

from tests.compatibility.conftest import Run

Told = dict[str, Any]


@pytest.fixture(scope="module")
def told(run: Run) -> Told:
    """What the program told."""
    told: Told = run("executor")
    return told


def test_a_completed_call_is_replayed(told: Told) -> None:
    """Blocking or not, it ran once; other input is refused."""
    assert told["replayed"]["ran"] == ["blocking", "awaiting"]
    assert told["replayed"]["results"] == [{"n": 1}, {"n": 1}, [2], [2]]
    assert told["mismatch"]["raised"] == "IdempotencyKeyMismatchError"
    # Nobody knows who reported too late.
    assert told["actors"] == ["framework-tool", "system", "worker"]


def test_a_long_call_keeps_its_lease(told: Told) -> None:
    """By its heartbeats."""
    before, after = told["beaten"]
    assert before < after


def test_a_failure_is_kept_and_may_be_tried_again(told: Told) -> None:
    """With the error's type and traceback."""
    failed = told["failed"]
    assert failed["raised"]["raised"] == "LookupError"
    assert failed["stored"]["status"] == "failed"
    assert failed["stored"]["error"]["message"] == "no such order"
    assert failed["stored"]["error"]["error_type"] == "LookupError"
    assert "break_down" in failed["stored"]["error"]["stack"]
    assert failed["retried"] == "ok"


def test_a_cancelled_call_gives_its_key_back(told: Told) -> None:
    """Until then nobody else may run it."""
    assert told["cancelled"] == {
        "busy": "ToolExecutionInProgressError",
        "told": True,
        "ended": True,
        "status": "cancelled",
    }


def test_a_call_whose_heartbeat_is_refused_is_stopped(told: Told) -> None:
    """It is told, and its caller gets the refusal."""
    assert told["lost"] == {"raised": "ExecutionNotFoundError", "told": True}


def test_an_owner_that_was_overtaken_cannot_complete(told: Told) -> None:
    """The result of the one that took over stays."""
    taken = told["taken_over"]
    assert (taken["result"], taken["late"]) == ("fast", "ExecutionNotOwnedError")
    stored = taken["stored"]
    assert (stored["status"], stored["result"], stored["attempts"]) == ("completed", "fast", 2)
