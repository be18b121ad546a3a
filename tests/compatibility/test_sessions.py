"""Recorded runs and approvals of the published client: what they do without forks."""

from typing import Any

import pytest

from tests.compatibility.conftest import Run

Told = dict[str, Any]


@pytest.fixture(scope="module")
def told(run: Run) -> Told:
    """What the program told."""
    told: Told = run("sessions")
    return told


def test_a_crashed_session_goes_on_where_it_was(told: Told) -> None:
    """On the same channel, with its state, after its last step."""
    crashed, resumed = told["crashed"]["experiment_metadata"], told["resumed"]
    assert (crashed["status"], crashed["step_count"]) == ("crashed", 2)
    assert (resumed["count"], resumed["inherited"]) == (2, {"steps": [1, 2]})
    assert resumed["about"] == [told["channel"], told["channel"], [2, 3, 4]]
    assert resumed["params"] == {"model": "m", "retry": True}
    assert resumed["step"]["payload"] == {"step_number": 3, "input": {"n": 3}, "output": 3}
    assert told["step"] == [told["channel"], 4, resumed["step"]["id"]]
    assert [event["event_type"] for event in told["events"]] == [
        "session.started",
        "tool_call",
        "tool_call",
        "tool_call",
        "session.completed",
    ]
    assert [each["cursor"] for each in told["versions"]] == [3, 2]


def test_a_session_ends_once(told: Told) -> None:
    """Afterwards it can be read, not resumed."""
    assert told["completed"]["experiment_metadata"]["status"] == told["resumed"]["status"] == "completed"
    assert told["resume_again"]["raised"] == "SessionCompletedError"
    assert told["unknown"]["raised"] == "SessionError"


def test_a_fence_keeps_a_second_owner_out(told: Told) -> None:
    """For as long as the first is there, and without a trace on the channel."""
    assert told["fence"]["locked"] == "SessionLockedError"
    assert told["fence"]["after"] == {"returned": None}
    assert told["fence"]["events"] == [
        "session.started",
        "think",
        "session.completed",
        "session.started",
        "session.completed",
    ]


def test_a_session_waits_for_a_person(told: Told) -> None:
    """And gets the answer as an event."""
    asked = told["approval"]["asked"]
    assert (asked["approved"], asked["decision"]["decision"]) == (False, "rejected")
    assert asked["event"] == told["approval"]["event"]


def test_a_person_is_asked_and_answers(run: Run) -> None:
    """The same answer twice is one event, another is another; who waits gets the first that they find."""
    told = run("approvals")
    decided, again, changed = told["decided"]
    assert told["expired"] is None
    assert decided == again == told["waited"]
    assert decided["payload"]["request_id"] == told["asked"][0]
    assert changed == told["waited_from"]
    assert told["maybe"]["raised"] == "ValueError"
    assert [event["event_type"].removeprefix("approval.") for event in told["events"]] == [
        "requested",
        "requested",
        "expired",
        "decided",
        "decided",
    ]
    assert told["events"][0]["payload"]["details"] == {"cents": 4200}
    (wakeup,) = told["wakeups"]
    assert wakeup["payload"] == {"approval_request_id": told["asked"][1], "kind": "approval_timeout"}
