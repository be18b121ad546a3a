"""Each question has its answers: yes, no, and what nobody can tell; and the rows behind them."""

from datetime import UTC, datetime
from typing import Any, NamedTuple

import pytest

from actae.domain.checklist import (
    ROWS_MAX,
    SeenOperation,
    SeenSnapshot,
    Verdict,
    make_checklist,
    worst,
)

NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)
V4 = "9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e5f"


def done(number: int = 1, **fields: Any) -> SeenOperation:
    """A completed operation."""
    return SeenOperation(
        **{
            "execution_id": f"c~{number}",
            "key_name": f"charge:{number}",
            "tool_name": "charge",
            "fingerprint": b"%d" % number,
            "status": "completed",
            "attempts": 1,
            "called_at": NOW,
            "started_cursor": 2 * number - 1,
            "completed_cursor": 2 * number,
            "params": {"order": number},
            "result": "present",
            **fields,
        }
    )


def open_(number: int = 1, **fields: Any) -> SeenOperation:
    """One without an outcome."""
    return done(number, **{"status": "running", "completed_cursor": None, "result": None, **fields})


class Cell(NamedTuple):
    """What there is, and the answer to one question, with the operations behind it."""

    question: str
    operations: list[SeenOperation]
    verdict: Verdict
    rows: tuple[str, ...] = ()


SAME = [done(number, fingerprint=b"same") for number in (1, 2, 3)]
CELLS = {
    "no operations": Cell("stable_identity", [], "cannot_be_told"),
    "business keys": Cell("stable_identity", [done(1), done(2)], "yes"),
    "a random key": Cell("stable_identity", [done(1), done(2, key_name=f"charge:{V4}")], "no", ("c~2",)),
    "a random key that is a parameter": Cell(
        "stable_identity", [done(key_name=f"charge:{V4}", params={"order": V4})], "yes"
    ),
    "the same input twice": Cell("stable_identity", SAME[:2], "yes"),
    "the same input three times": Cell(
        "stable_identity",
        SAME,
        "no",
        (
            "c~1",
            "c~2",
            "c~3",
        ),
    ),
    "the same digest of another tool": Cell(
        "stable_identity", [*SAME[:2], done(3, fingerprint=b"same", tool_name="mail")], "yes"
    ),
    "nothing is compared": Cell("business_fingerprint", [], "cannot_be_told"),
    "business is compared": Cell("business_fingerprint", [done()], "yes"),
    "a clock is compared": Cell(
        "business_fingerprint", [done(params={"order": 1, "timestamp": 5})], "no", ("c~1",)
    ),
    "a clock is not compared": Cell(
        "business_fingerprint", [done(params={"order": 1, "timestamp": 5}, compared=["order"])], "yes"
    ),
    "nothing has a status": Cell("known_status", [], "cannot_be_told"),
    "done, failed, cancelled, running": Cell(
        "known_status", [done(), done(2, status="failed"), done(3, status="cancelled"), open_(4)], "yes"
    ),
    "a lapsed lease": Cell("known_status", [done(), open_(2, is_lapsed=True)], "no", ("c~2",)),
    "ambiguous": Cell("known_status", [open_(2, status="ambiguous")], "no"),
    "an effect that the record does not hold": Cell(
        "known_status", [done(), done(2, unrecorded_cursor=9)], "no", ("c~2",)
    ),
    "a lapsed lease, and an effect that the record does not hold": Cell(
        "known_status", [done(unrecorded_cursor=9), open_(2, is_lapsed=True)], "no", ("c~2", "c~1")
    ),
    "nothing is completed": Cell("replayable", [open_()], "cannot_be_told"),
    "results": Cell("replayable", [done(), open_(2)], "yes"),
    "no result": Cell("replayable", [done(), done(2, result="null")], "cannot_be_told", ("c~2",)),
    "a result that was left out": Cell(
        "replayable", [done(result="omitted"), done(2, result="null")], "no", ("c~1",)
    ),
    "nobody was fenced": Cell("stale_workers_fenced", [done()], "cannot_be_told"),
    "a take-over": Cell("stale_workers_fenced", [done(attempts=2)], "cannot_be_told", ("c~1",)),
    "late evidence": Cell(
        "stale_workers_fenced", [done(attempts=2, late_evidence_cursor=9), done(2)], "yes", ("c~1",)
    ),
    "no provider": Cell("provider_key", [open_(mentions_its_key=True)], "cannot_be_told"),
    "a key that is seen": Cell("provider_key", [done(mentions_its_key=True)], "yes"),
    "a key that is not seen": Cell(
        "provider_key", [done(mentions_its_key=True), done(2)], "cannot_be_told", ("c~2",)
    ),
}


@pytest.mark.parametrize("name", CELLS)
def test_the_answers_about_operations(name: str) -> None:
    """With the operations that decided them."""
    cell = CELLS[name]
    checklist = make_checklist("c", cell.operations, [], truncated=False)
    (answer,) = (each for each in checklist.answers if each.question == cell.question)
    assert answer.verdict == cell.verdict
    if cell.rows or answer.verdict == "yes":
        assert [each.execution_id for each in answer.rows] == list(cell.rows)
    assert answer.row_count == len(answer.rows)


SNAPSHOTS = [
    SeenSnapshot(version=version, cursor=version, is_with_event=version != 2) for version in (3, 2, 1)
]


@pytest.mark.parametrize(
    ("snapshots", "verdict", "versions"),
    [([], "cannot_be_told", []), (SNAPSHOTS[:1], "yes", []), (SNAPSHOTS, "no", [2])],
)
def test_the_answer_about_state(snapshots: list[SeenSnapshot], verdict: Verdict, versions: list[int]) -> None:
    """With the snapshots that were stored by themselves."""
    answer = make_checklist("c", [], snapshots, truncated=False).answers[-1]
    assert (answer.question, answer.verdict) == ("state_with_event", verdict)
    assert [each.version for each in answer.rows] == versions


def test_a_row_names_its_place() -> None:
    """Of the completion, of the start where there is none, of the evidence where that is the reason."""
    checklist = make_checklist(
        "c",
        [done(1, key_name=f"a:{V4}"), open_(2, is_lapsed=True), done(3, late_evidence_cursor=9)],
        [],
        truncated=True,
    )
    answers = {each.question: each for each in checklist.answers}
    places = [
        answers[question].rows[0].cursor
        for question in ("stable_identity", "known_status", "stale_workers_fenced")
    ]
    assert places == [2, 3, 9]
    assert checklist.truncated


def test_long_answers_are_cut() -> None:
    """The number of rows is told, the first of them are shown."""
    operations = [open_(number, is_lapsed=True) for number in range(1, ROWS_MAX + 6)]
    answer = make_checklist("c", operations, [], truncated=False).answers[2]
    assert (len(answer.rows), answer.row_count) == (ROWS_MAX, ROWS_MAX + 5)


@pytest.mark.parametrize(
    ("verdicts", "together"),
    [
        ([], "yes"),
        (["yes"], "yes"),
        (["yes", "cannot_be_told"], "cannot_be_told"),
        (["yes", "no", "cannot_be_told"], "no"),
    ],
)
def test_a_channel_is_as_good_as_its_worst_answer(verdicts: list[Verdict], together: Verdict) -> None:
    """Not knowing is better than a no, and worse than a yes."""
    assert worst(verdicts) == together
