"""The ledger of effects through the published client."""

from typing import Any

import pytest

from tests.compatibility.conftest import Run

Told = dict[str, Any]


@pytest.fixture(scope="module")
def told(run: Run) -> Told:
    """What the program told."""
    told: Told = run("executions")
    return told


def test_an_effect_is_claimed_kept_completed_and_replayed(told: Told) -> None:
    """One owner, one result, and a log of it."""
    claim, execution = told["claim"], told["claim"]["execution"]
    assert told["empty"] == []
    assert (claim["status"], claim["result"], execution["status"]) == ("claimed", None, "running")
    assert claim["claim_token"]
    assert (execution["attempts"], execution["started_cursor"]) == (1, 1)
    assert execution["params"] == {"order_id": "4471", "amount_cents": 4200}
    assert (told["waiting"]["status"], told["waiting"]["claim_token"]) == ("in_progress", None)
    longer, default = told["beaten"]
    assert execution["lease_until"] < default["lease_until"] < longer["lease_until"]
    first, again, late = told["completed"]
    assert first == again == late == {**first, "status": "completed", "result": {"receipt": "r-1"}}
    assert (first["lease_until"], first["completed_cursor"]) == (None, 2)
    assert [each["status"] for each in told["replayed"]] == ["replayed", "replayed"]
    assert {each["result"]["receipt"] for each in told["replayed"]} == {"r-1"}
    types = [event["event_type"] for event in told["events"]]
    assert types == ["tool.started", "tool.completed", "tool.replayed"]
    assert told["events"][1]["depends_on"] == execution["started_event_id"]
    assert told["read"]["replay_emitted"]


def test_a_failed_or_cancelled_effect_is_handed_out_again(told: Told) -> None:
    """With a count of the attempts; a result that is nothing is a result."""
    settled = told["settled_otherwise"]
    assert [claim["status"] for claim in settled["claims"]] == ["claimed", "reclaimed", "reclaimed"]
    assert [claim["execution"]["attempts"] for claim in settled["claims"]] == [1, 2, 3]
    assert settled["failed"]["error"] == {"message": "no route", "error_type": "OSError", "stack": "line 1"}
    assert [each["status"] for each in settled["cancelled"]] == ["cancelled", "cancelled"]
    assert (settled["done"]["status"], settled["done"]["result"]) == ("completed", None)
    assert settled["without_token"]["raised"] == "ExecutionNotOwnedError"


def test_a_deleted_execution_is_gone(told: Told) -> None:
    """And its key is free for another tool."""
    deleted = told["deleted"]
    assert (deleted["before"], deleted["newest"]) == (["mail", "charge"], ["mail"])
    assert deleted["told"] is True
    assert {deleted["read"]["raised"], deleted["again"]["raised"]} == {"ExecutionNotFoundError"}
    assert deleted["claimed"] == "claimed"
