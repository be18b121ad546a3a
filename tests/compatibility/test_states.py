"""States through the published client."""

from typing import Any

import pytest

from tests.compatibility.conftest import Run

Told = dict[str, Any]


@pytest.fixture(scope="module")
def told(run: Run) -> Told:
    """What the program told."""
    told: Told = run("states")
    return told


def test_states_are_saved_read_guarded_and_removed(told: Told) -> None:
    """What is not there is nothing, not an error; the latest is the highest version."""
    assert told["empty"] == {"latest_state": None, "list_states": [], "get_state": None}
    saved = told["saved"]
    assert saved["versions"] == [1, 2, 3, 3]
    assert saved["latest"] == {"cursor": 7, "state": None}
    assert [each["version"] for each in saved["list"]] == [3, 2, 1]
    assert all(set(each) == {"version", "cursor", "timestamp"} for each in saved["list"])
    assert saved["page"] == saved["list"][1:2]
    assert saved["second"] == {"cursor": 0, "state": {"at": "start"}, "version": 2}
    assert told["deleted"] == {"latest": {"cursor": 0, "state": {"at": "start"}}, "third": None}
    assert told["stale"]["raised"] == "VersionConflictError"
    assert told["cause"] == 5


def test_an_event_and_its_state_are_one_write(told: Told) -> None:
    """Repeated, it is the same one, although its guard would not hold any more; refused, neither is there."""
    moved = told["moved"]
    assert moved["first"] == moved["repeated"]
    assert (moved["first"]["event"]["cursor"], moved["first"]["state_version"]) == (1, 4)
    assert [moved[case]["raised"] for case in ("stale", "stale_cursor")] == ["VersionConflictError"] * 2
    (event,) = moved["replayed"]
    assert (event["actor"], event["agent_id"], event["metadata"]) == ("agent", "a-1", {"model": "m"})
    assert moved["latest"] == {"cursor": 1, "state": {"at": "b"}}


def test_the_smallest_state_keeper_works(run: Run) -> None:
    """`StateManager` saves at the newest event, or before the first."""
    told = run("state_manager")
    assert told["before"] == [None, {}, {"turn": 0}]
    assert told["saved"] == [1, 2, 3]
    assert told["loaded"] == [{"turn": 3}, {"turn": 3}]
    assert [(each["version"], each["cursor"]) for each in told["versions"]] == [(3, 1), (2, 0), (1, 0)]
    assert told["second"] == {"cursor": 0, "state": {"turn": 2}, "version": 2}
    assert told["after"] == {"turn": 2}


def test_an_adapter_keeps_its_checkpoints(run: Run) -> None:
    """`ActaeRunContext` records, saves, loads, replays, and runs tools."""
    told = run("run_context")
    assert (told["before"], told["saved"], told["ran"]) == (None, 1, "done")
    assert (told["loaded"]["channel_id"], told["loaded"]["portable_state"]) == (told["channel"], {"n": 1})
    assert told["state"] == told["recorded"]["cursor"] == 1
    types = [event["event_type"] for event in told["replayed"]]
    assert types == ["framework.noted", "tool.started", "tool.completed"]
    assert {event["actor"] for event in told["replayed"][1:]} == {"etl-tool"}
