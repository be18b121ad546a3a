"""What is undone, what stays, and why: decided from the rows alone."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from actae_client.reconcile import Unknown
from actae_client.undo.compensations import Compensations
from actae_client.undo.plan import OperationSeen, make_work

CURSOR = 10


def effect(**fields: Any) -> OperationSeen:
    """An effect that was completed after the cursor."""
    return OperationSeen(
        **{
            "execution_id": "c~1",
            "key_name": "charge:1",
            "tool_name": "charge",
            "status": "completed",
            "started_cursor": 11,
            "completed_cursor": 12,
            "completed_event_id": "e-12",
            **fields,
        }
    )


def undo(**fields: Any) -> OperationSeen:
    """Its undo."""
    return effect(
        **{
            "execution_id": "c~2",
            "key_name": "charge:1:undo",
            "tool_name": "charge:undo",
            "started_cursor": 13,
            "completed_cursor": 14,
            "completed_event_id": "e-14",
            "undoes": "e-12",
            "undo_result": "back",
            **fields,
        }
    )


UNSETTLED: dict[str, Any] = {"completed_cursor": None, "completed_event_id": None}


class Cell(NamedTuple):
    """Rows, and what becomes of the effect: to undo, undone, a reason, or nothing."""

    rows: list[OperationSeen]
    becomes: str | None


CELLS = {
    "completed after the cursor": Cell([effect()], "to undo"),
    "completed right after the cursor": Cell([effect(completed_cursor=11)], "to undo"),
    "completed at the cursor": Cell([effect(completed_cursor=10)], None),
    "begun before and completed after the cursor": Cell([effect(started_cursor=2)], "to undo"),
    "failed": Cell([effect(status="failed", **UNSETTLED)], None),
    "cancelled": Cell([effect(status="cancelled", **UNSETTLED)], None),
    "failed, and a worker says that it happened": Cell(
        [effect(status="failed", unrecorded_cursor=15, **UNSETTLED)], "late_evidence"
    ),
    "failed, and a worker said before the cursor that it happened": Cell(
        [effect(status="failed", unrecorded_cursor=10, **UNSETTLED)], None
    ),
    "completed before the cursor, and a worker has had another one since": Cell(
        [effect(completed_cursor=10, unrecorded_cursor=15)], "late_evidence"
    ),
    "running, and an earlier worker says that it happened": Cell(
        [effect(status="running", unrecorded_cursor=15, **UNSETTLED)], "still_running"
    ),
    "a tool with nothing to undo, and a late report": Cell(
        [effect(tool_name="look", status="failed", unrecorded_cursor=15, **UNSETTLED)], None
    ),
    "running": Cell([effect(status="running", **UNSETTLED)], "still_running"),
    "begun before the cursor, and running": Cell(
        [effect(status="running", started_cursor=2, **UNSETTLED)], "still_running"
    ),
    "lost": Cell([effect(status="ambiguous", **UNSETTLED)], "outcome_unknown"),
    "undone": Cell([effect(), undo()], "undone"),
    "undone, and the undo comes first": Cell([undo(), effect()], "undone"),
    "its undo failed": Cell([effect(), undo(status="failed", **UNSETTLED)], "to undo"),
    "its undo was given up": Cell([effect(), undo(status="cancelled", **UNSETTLED)], "to undo"),
    "its undo is running": Cell([effect(), undo(status="running", **UNSETTLED)], "undo_in_progress"),
    "its undo is lost": Cell([effect(), undo(status="ambiguous", **UNSETTLED)], "undo_outcome_unknown"),
    "its undo is lost, and a probe can tell": Cell(
        [effect(tool_name="probed"), undo(tool_name="probed:undo", status="ambiguous", **UNSETTLED)],
        "to undo",
    ),
    "its undo lapsed, and anybody gets it": Cell([effect(), undo(status="lapsed", **UNSETTLED)], "to undo"),
    "an earlier effect under its key is being undone": Cell(
        [effect(), undo(status="running", undoes="e-9", **UNSETTLED)], "refused"
    ),
    "its key was undone before": Cell([effect(), undo(undoes="e-9")], "refused"),
    "an undo without its effect": Cell([undo()], None),
    "a key like that of an undo, of a tool that is none": Cell([effect(key_name="x:undo")], "to undo"),
    "a tool like an undo, under a key that is none": Cell(
        [effect(tool_name="charge:undo")], "no_compensation"
    ),
    "a tool without a compensation": Cell([effect(tool_name="mail")], "no_compensation"),
    "a tool without a compensation, running": Cell(
        [effect(tool_name="mail", status="running", **UNSETTLED)], "still_running"
    ),
    "a tool with nothing to undo": Cell([effect(tool_name="look")], None),
    "a tool with nothing to undo, running": Cell(
        [effect(tool_name="look", status="running", **UNSETTLED)], None
    ),
    "a session's fence": Cell([effect(status="running", started_cursor=None, **UNSETTLED)], None),
}


def declared() -> Compensations:
    """What the process of these tests knows how to undo."""
    compensations = Compensations()
    compensations.declare("charge", lambda params, result: None, {})
    compensations.declare("look", False, {})
    compensations.declare("probed", lambda params, result: None, {"reconcile": lambda operation: Unknown()})
    return compensations


@pytest.mark.parametrize("name", CELLS)
def test_each_effect_has_its_place(name: str) -> None:
    """One place, or none."""
    rows, becomes = CELLS[name]
    plan = make_work("c", CURSOR, rows, declared()).foreseen
    found = [
        *("to undo" for _ in plan.to_undo),
        *("undone" for _ in plan.undone),
        *(each.reason for each in plan.not_undone),
    ]
    assert found == ([] if becomes is None else [becomes])


def test_the_last_to_complete_is_the_first_to_be_undone() -> None:
    """Whichever was begun first, and in whatever order the rows come."""
    rows = [
        effect(execution_id=f"c~{n}", key_name=f"charge:{n}", started_cursor=30 - n, completed_cursor=n)
        for n in (12, 15, 11, 14)
    ]
    plan = make_work("c", CURSOR, rows, declared()).foreseen
    assert [each.completed_cursor for each in plan.to_undo] == [15, 14, 12, 11]


@pytest.mark.parametrize("status", ["running", "ambiguous"])
@pytest.mark.parametrize("registry", [declared(), None], ids=["a module", "no module"])
def test_what_came_before_an_undo_that_is_open_is_not_reached(
    status: str, registry: Compensations | None
) -> None:
    """What came after it is undone."""
    rows = [effect(execution_id=f"c~{n}", key_name=f"charge:{n}", completed_cursor=n) for n in (11, 12, 13)]
    rows.append(undo(key_name="charge:12:undo", status=status, **UNSETTLED))
    plan = make_work("c", CURSOR, rows, registry).foreseen
    assert [each.key_name for each in plan.to_undo] == ["charge:13"]
    stays = "undo_in_progress" if status == "running" else "undo_outcome_unknown"
    assert [(each.key_name, each.reason) for each in plan.not_undone] == [
        ("charge:12", stays),
        ("charge:11", "not_reached"),
    ]


def test_without_a_registry_every_effect_counts() -> None:
    """What another process could undo, nobody here can say."""
    rows = [effect(), effect(execution_id="c~3", key_name="mail:1", tool_name="mail", completed_cursor=15)]
    plan = make_work("c", CURSOR, rows, None).foreseen
    assert [(each.tool_name, each.compensation) for each in plan.to_undo] == [
        ("mail", None),
        ("charge", None),
    ]
    assert plan.not_undone == ()
