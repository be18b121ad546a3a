"""Wake-ups through the published client."""

from typing import Any

import pytest

from tests.compatibility.conftest import Run

Told = dict[str, Any]


@pytest.fixture(scope="module")
def told(run: Run) -> Told:
    """What the program told."""
    told: Told = run("wakeups")
    return told


def test_wakeups_are_scheduled_and_listed(told: Told) -> None:
    """The earliest first, with all their fields."""
    first, second = told["first"], told["second"]
    assert first == {
        "id": first["id"],
        "channel_id": told["channel"],
        "run_at": "2999-01-01T10:00:00Z",
        "status": "pending",
        "payload": {"a": 1},
        "created_at": first["created_at"],
        "executed_at": None,
        "attempts": 0,
        "error": None,
    }
    assert (told["found"], told["listed"]) == (first, [second, first])
    assert told["all"] == [second["id"], first["id"]]
    assert told["of_a_run"]["channel_id"] == f"{told['channel']}.run"
    assert told["of_a_run"]["payload"] == {"n": 1}


def test_a_wakeup_is_cancelled_once(told: Told) -> None:
    """After that it is not pending, which is an answer; an unknown one is an error."""
    assert told["cancelled"] == [True, False]
    assert told["pending"] == [told["second"]]
    assert told["unknown"] is None
    assert (told["cancel_unknown"]["raised"], told["cancel_unknown"]["status_code"]) == ("APIError", 404)


def test_a_moment_needs_an_offset(told: Told) -> None:
    """Text is refused by the server, a naive datetime by the client."""
    assert (told["no_offset"]["raised"], told["no_offset"]["status_code"]) == ("APIError", 400)
    assert told["naive"]["raised"] == "ValueError"


def test_a_due_wakeup_becomes_an_event(told: Told) -> None:
    """With what was put into it, and too late to be cancelled."""
    fired = told["fired"]
    made, done, event = fired["made"], fired["done"], fired["event"]
    assert (done["status"], done["attempts"], done["executed_at"]) == ("done", 1, event["timestamp"])
    assert (event["event_type"], event["actor"], event["cursor"]) == ("scheduler.wakeup", "system", 1)
    assert event["payload"] == {
        "wakeup_id": made["id"],
        "run_at": "2020-01-01T00:00:00.123456Z",
        "payload": {"approval_request_id": "r-1"},
    }
    assert fired["too_late"] is False
