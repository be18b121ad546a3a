"""The published `Actae` facade: runs, effects, tools, scopes, task queues."""

from typing import Any

import pytest

from tests.compatibility.conftest import Run

Told = dict[str, Any]


@pytest.fixture(scope="module")
def told(run: Run) -> Told:
    """What the program told."""
    told: Told = run("facade")
    return told


def test_an_effect_happens_once_over_two_runs(told: Told) -> None:
    """The second run gets the stored receipt, and the log shows both."""
    assert [each["charge"] for each in told["runs"]] == [{"receipt": "r-4471", "cents": 4200}] * 2
    assert all(each["current"] and each["channel"] == told["channel"] for each in told["runs"])
    assert told["charged"] == ["4471"]
    assert told["events"] == [
        "framework.run.started",
        "tool.started",
        "tool.completed",
        "framework.run.completed",
        "framework.run.started",
        "tool.replayed",
        "framework.run.completed",
    ]
    assert told["closed"] == len(told["events"])
    assert [event["payload"]["data"]["attempt"] for event in told["lifecycle"]] == [1, 2]


def test_the_same_key_with_other_input_is_refused_loudly(told: Told) -> None:
    """As `IdempotencyKeyMismatchError`; outside of a run nothing is claimed at all."""
    assert told["mismatch"]["raised"] == "IdempotencyKeyMismatchError"
    assert told["failed"]["raised"] == "LookupError"
    assert told["no_run"]["raised"] == "RuntimeError"


def test_calls_that_only_read_are_observed(told: Told) -> None:
    """They are never claimed, and one that is told to be quiet leaves nothing of its input."""
    tools = told["tools"]
    assert tools["answered"] == [{"order": "7"}, "s3cret"]
    assert [event["event_type"].removeprefix("framework.") for event in tools["events"]] == [
        "run.started",
        "tool.started",
        "tool.completed",
        "tool.started",
        "tool.completed",
        "run.completed",
    ]
    assert tools["executions"] == []
    assert "s3cret" not in str(tools["events"])


def test_a_scope_records_runs_effects_and_hands_itself_on(told: Told) -> None:
    """Also to a child, and through a carrier."""
    scope = told["scope"]
    assert (scope["effect"], scope["parent"], scope["used"], scope["outside"]) == (
        "done",
        "parent",
        "parent",
        None,
    )
    assert (scope["recorded"]["event_type"], scope["recorded"]["actor"]) == ("framework.noted", "robot")
    assert (scope["same"], scope["ran"]) == (True, "done")
    assert (scope["carrier"]["framework"], scope["carrier"]["workflow_id"]) == ("etl", "w-1")
    assert scope["events"][0] == scope["events"][4] == "framework.run.started"


def test_a_retried_activity_repeats_no_effect(told: Told) -> None:
    """Whichever worker runs it; workflow code that is replayed does no I/O."""
    orchestrated = told["orchestrated"]
    assert orchestrated["done"] == ["charged", "charged"]
    assert orchestrated["parent"] == orchestrated["queued"]["run_id"] == told["channel"]
    assert orchestrated["activity"] == ["charge", "charge", "celery.activity", 2, "attempt:2"]
    assert orchestrated["deterministic"]["raised"] == "RuntimeError"
    effects = [name for name in orchestrated["events"] if name.startswith("tool.")]
    assert effects == ["tool.started", "tool.completed", "tool.replayed"]


def test_channels_are_derived_from_runs(told: Told) -> None:
    """Valid ones as they are, others by a digest."""
    assert told["derived"] == ["etl:nightly-7", "worker:job-9-a:761b509dbfdc672f"]
