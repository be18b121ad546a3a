"""Approvals, cell by cell: what an answer changes, and what a claim is told in each case."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest

from actae.domain.answers import Refused
from actae.domain.approval_errors import (
    ApprovalExpiredError,
    ApprovalMismatchError,
    ApprovalNotFoundError,
    ApprovalNotNeededError,
    ApprovalPendingError,
    ApprovalRejectedError,
)
from actae.domain.approvals import ApprovalRow
from actae.domain.claims import decide_claim
from actae.domain.errors import IdempotencyConflictError, IdempotencyKeyMismatchError, InvalidRequestError
from actae.domain.events import Appended, Record, decide_record
from actae.domain.executions import Claimed, InProgress, Reclaimed, Replayed, digest_key
from actae.domain.settlements import decide_cancel, decide_complete, decide_fail
from actae.domain.view import View
from tests.support.asks import NOON, answer, cancel, claim, complete, fail, later, record, request

APPROVED, OTHER = b'{"order":1}', b'{"order":2}'
DEADLINE_SECONDS = 3600.0


def told(view: View, *news: Record) -> View:
    """The view after these events."""
    for each in news:
        assert isinstance(decide_record(view, each), Appended)
    return view


def row_of(view: View, request_id: str = "r1") -> ApprovalRow:
    """How a request stands."""
    row = view.approval("run-1", digest_key(request_id))
    assert row is not None
    return row


def next_batch(view: View, *, seconds: float = 1) -> View:
    """A later batch that reads what this one wrote: one row of each, and the latest request of each key."""
    head = view.head("run-1")
    row = view.execution("run-1", digest_key("charge:1"))
    found = View(later(seconds), [head], [row] if row else [])
    governing = view.governing_approval("run-1", digest_key("charge:1"))
    for approval in view.changes.approvals.values():
        found.add_approval(approval, governs=approval == governing)
    return found


# How a request can stand, and what was recorded for it to stand so; the last is past its deadline.
STANDINGS: dict[str, tuple[Sequence[str], float | None, float]] = {
    "pending": ([], DEADLINE_SECONDS, 1),
    "approved": (["approved"], None, 1),
    "rejected": (["rejected"], None, 1),
    "withdrawn": (["approved", "rejected"], None, 1),
    "expired": (["expired"], None, 1),
    "overdue": ([], DEADLINE_SECONDS, DEADLINE_SECONDS),
}
REFUSALS: dict[str, type] = {
    "pending": ApprovalPendingError,
    "rejected": ApprovalRejectedError,
    "withdrawn": ApprovalRejectedError,
    "expired": ApprovalExpiredError,
    "overdue": ApprovalExpiredError,
}

# How the operation can stand, and what a claim is answered that nobody keeps from it.
LEDGER: dict[str, type] = {
    "none": Claimed,
    "live": InProgress,
    "lapsed": Reclaimed,
    "completed": Replayed,
    "failed": Reclaimed,
    "cancelled": Reclaimed,
}
UNTOUCHED_BY_PEOPLE = {"live", "completed"}


def ledger(status: str, asked: Record | None, standing: str) -> View:
    """A channel on which an operation stands so, and about which somebody was asked, and stands so.

    They are asked while it runs, for about what is completed nobody is asked.
    """
    view = View(NOON)
    if asked is not None and status == "none":
        told(view, asked)
    if status != "none":
        # One lease has lapsed by the next batch, the other outlasts every deadline here.
        first = decide_claim(view, claim(lease_seconds=1 if status == "lapsed" else 86_400))
        assert isinstance(first, Claimed)
        if asked is not None:
            told(view, asked)
        ends: dict[str, Any] = {
            "completed": lambda: decide_complete(view, complete(first.claim_token)),
            "failed": lambda: decide_fail(view, fail(first.claim_token)),
            "cancelled": lambda: decide_cancel(view, cancel(first.claim_token)),
        }
        ends.get(status, lambda: None)()
    if asked is None:
        return next_batch(view)
    answers, _, seconds = STANDINGS[standing]
    return next_batch(told(view, *(answer(each) for each in answers)), seconds=seconds)


@pytest.mark.parametrize(
    ("status", "standing", "input_is"), list(product(LEDGER, STANDINGS, ("the same", "another")))
)
def test_a_claim_is_answered_by_the_ledger_and_then_by_people(
    status: str, standing: str, input_is: str
) -> None:
    """What has happened or is happening comes first; then the input; then the answer."""
    params = APPROVED if input_is == "the same" else OTHER
    asked = request(params=params, timeout_seconds=STANDINGS[standing][1])
    view = ledger(status, asked, standing)
    before = view.head("run-1").cursor
    found = decide_claim(view, claim(attempt_id="second"))
    if status in UNTOUCHED_BY_PEOPLE or (standing == "approved" and input_is == "the same"):
        assert type(found) is LEDGER[status]
        return
    assert isinstance(found, Refused)
    expected = REFUSALS[standing] if input_is == "the same" else ApprovalMismatchError
    assert type(found.error) is expected
    assert found.error.details["approval_request_id"] == "r1"
    assert view.head("run-1").cursor == before
    assert not view.changes


@pytest.mark.parametrize("status", LEDGER)
def test_without_a_bound_request_nothing_is_different(status: str) -> None:
    """Nobody was asked, or about another key, or about nothing in the ledger."""
    for asked in (None, request(key_name="another"), request(key_name=None)):
        assert (
            type(decide_claim(ledger(status, asked, "rejected"), claim(attempt_id="second")))
            is LEDGER[status]
        )


@pytest.mark.parametrize(("status", "standing"), list(product(set(LEDGER) - {"none"}, STANDINGS)))
def test_other_input_than_the_operations_own_is_refused_first(status: str, standing: str) -> None:
    """Even if it is what somebody has approved: the key belongs to what was begun."""
    view = ledger(status, request(params=OTHER, timeout_seconds=STANDINGS[standing][1]), standing)
    found = decide_claim(view, claim(params=OTHER, attempt_id="second"))
    assert isinstance(found, Refused)
    assert isinstance(found.error, IdempotencyKeyMismatchError)


def test_a_mismatch_names_what_differs_and_no_values() -> None:
    """Fields and short digests, as for a used key."""
    view = ledger("none", request(tool_name="refund", params=b'{"order": 1, "cents": 5}'), "approved")
    found = decide_claim(view, claim(params=b'{"order": 1.0, "cents": 6}'))
    assert isinstance(found, Refused)
    fields = [each["field"] for each in found.error.details["differing_fields"]]
    assert fields == ["params.cents", "tool_name"]
    assert found.error.details["approval_status"] == "approved"


def test_an_owner_whose_reply_was_lost_gets_it_again_after_a_rejection() -> None:
    """It runs already; what it may not do is begin."""
    view = told(View(NOON), request(), answer("approved"))
    first = decide_claim(view, claim())
    told(view, answer("rejected"))
    assert decide_claim(view, claim()) == first


ANSWERS = [
    # answers in order, how it stands, which of them decided it
    (["approved"], "approved", 0),
    (["rejected"], "rejected", 0),
    (["expired"], "expired", 0),
    (["approved", "approved"], "approved", 0),
    (["approved", "rejected"], "rejected", 1),
    (["approved", "expired"], "approved", 0),
    (["rejected", "approved"], "rejected", 0),
    (["rejected", "rejected"], "rejected", 0),
    (["rejected", "expired"], "rejected", 0),
    (["expired", "approved"], "expired", 0),
    (["expired", "rejected"], "expired", 0),
    (["approved", "rejected", "approved"], "rejected", 1),
]


@pytest.mark.parametrize(("answers", "status", "deciding"), ANSWERS)
@pytest.mark.parametrize("key_name", ["charge:1", None], ids=["bound", "unbound"])
def test_an_answer_moves_the_request_or_is_only_an_event(
    answers: list[str], status: str, deciding: int, key_name: str | None
) -> None:
    """In one batch or in several; every one of them is in the log."""
    for batches in (False, True):
        view = told(View(NOON), request(key_name=key_name))
        for each in answers:
            view = told(next_batch(view) if batches else view, answer(each))
        row = row_of(view)
        assert (row.status, row.decided_cursor) == (status, 2 + deciding)
        assert view.head("run-1").cursor == 1 + len(answers)


@pytest.mark.parametrize("verdict", ["approved", "rejected", "expired"])
def test_an_answer_after_the_deadline_counts_for_nothing(verdict: str) -> None:
    """And whoever comes writes down that it had passed."""
    view = told(View(NOON), request(timeout_seconds=60))
    in_time, late = next_batch(view, seconds=59.9), next_batch(view, seconds=60)
    told(in_time, answer(verdict))
    told(late, answer(verdict))
    rows = [each.changes.approvals["run-1", digest_key("r1")] for each in (in_time, late)]
    assert [(row.status, row.decided_cursor) for row in rows] == [(verdict, 2), ("expired", None)]


def test_the_latest_request_of_a_key_governs() -> None:
    """Whatever became of those before it, and whatever is said about them afterwards."""
    view = told(View(NOON), request("r1"), answer("approved", "r1"), request("r2"))
    for each in (view, next_batch(view)):
        found = decide_claim(each, claim())
        assert isinstance(found, Refused)
        assert found.error.details["approval_request_id"] == "r2"
    told(view, answer("rejected", "r1"), answer("approved", "r2"))
    assert isinstance(decide_claim(view, claim()), Claimed)


@pytest.mark.parametrize("params", [APPROVED, OTHER])
@pytest.mark.parametrize("before", STANDINGS)
def test_a_question_that_is_asked_anew_closes_the_one_before(before: str, params: bytes) -> None:
    """If that is still open, or a yes; a no stays a no, and no answer to a closed one counts."""
    answers, seconds, later_by = STANDINGS[before]
    for batches in (False, True):
        if not batches and before == "overdue":
            continue
        view = told(View(NOON), request(timeout_seconds=seconds), *(answer(each) for each in answers))
        if batches:
            view = next_batch(view, seconds=later_by)
        stood = row_of(view).standing(view.now)
        told(view, request("r2", params=params), request("r3", key_name="another"))
        if stood not in ("pending", "approved"):
            assert row_of(view).standing(view.now) == stood
            continue
        cursor = view.head("run-1").cursor - 1
        assert (row_of(view).status, row_of(view).decided_cursor) == ("superseded", cursor)
        told(view, answer("approved", "r1"), answer("rejected", "r1"))
        assert row_of(view).status == "superseded"
        assert row_of(view, "r2").status == row_of(view, "r3").status == "pending"


FEW = b'{"order":1,"cents":5,"note":"a"}'
OTHER_NOTE, OTHER_CENTS, NEITHER = (
    b'{"order":1,"cents":5.0,"note":"b"}',
    b'{"order":1,"cents":6,"note":"a"}',
    b'{"note":"a"}',
)
BINDINGS: list[tuple[list[str] | None, list[str] | None, bytes, list[str]]] = [
    # what the request says binds, what the claim says makes its identity, its params, what differs
    (None, None, FEW, []),
    (None, ["order"], FEW, []),
    (None, ["order"], OTHER_NOTE, ["params.note"]),
    (None, ["order"], OTHER_CENTS, ["params.cents"]),
    (None, None, OTHER_CENTS, ["params.cents"]),
    (["order", "cents"], None, FEW, []),
    (["order", "cents"], None, OTHER_NOTE, []),
    (["order", "cents"], ["order", "cents"], OTHER_NOTE, []),
    (["order", "cents"], ["order"], OTHER_NOTE, []),
    (["order", "cents"], ["order"], OTHER_CENTS, ["params.cents"]),
    (["order", "cents"], None, OTHER_CENTS, ["params.cents"]),
    (["order", "cents"], None, NEITHER, ["params.cents", "params.order"]),
    (["order", "cents"], None, b"[1]", ["params", "params.cents", "params.note", "params.order"]),
]


@pytest.mark.parametrize(("approval_fields", "dedup_fields", "params", "differing"), BINDINGS)
@pytest.mark.parametrize("batches", [False, True])
def test_an_approval_binds_what_will_be_done(
    approval_fields: list[str] | None,
    dedup_fields: list[str] | None,
    params: bytes,
    differing: list[str],
    batches: bool,
) -> None:
    """All of the params, whatever makes the operation's identity; fewer, where the request says which."""
    view = told(View(NOON), request(params=FEW, approval_fields=approval_fields), answer("approved"))
    found = decide_claim(
        next_batch(view) if batches else view, claim(params=params, dedup_fields=dedup_fields)
    )
    if not differing:
        assert isinstance(found, Claimed)
        return
    assert isinstance(found, Refused)
    assert isinstance(found.error, ApprovalMismatchError)
    assert [each["field"] for each in found.error.details["differing_fields"]] == differing


def test_a_second_attempt_is_the_approved_one_too() -> None:
    """The first has failed; the identity of the operation is the same, and what would be done is not."""
    view = told(View(NOON), request(params=FEW), answer("approved"))
    first = decide_claim(view, claim(params=FEW, dedup_fields=["order"]))
    assert isinstance(first, Claimed)
    decide_fail(view, fail(first.claim_token))
    other = decide_claim(view, claim(params=OTHER_CENTS, dedup_fields=["order"], attempt_id="second"))
    assert isinstance(other, Refused)
    assert isinstance(other.error, ApprovalMismatchError)
    again = decide_claim(view, claim(params=FEW, dedup_fields=["order"], attempt_id="second"))
    assert isinstance(again, Reclaimed)


@pytest.mark.parametrize(("end", "is_refused"), [("complete", True), ("fail", False), ("", False)])
def test_about_what_has_happened_nobody_is_asked(end: str, is_refused: bool) -> None:
    """There is nothing left to decide; what was asked before may be repeated, and answered."""
    view = told(View(NOON), request("r0"), answer("approved", "r0"))
    first = decide_claim(view, claim())
    assert isinstance(first, Claimed)
    if end == "complete":
        decide_complete(view, complete(first.claim_token))
    elif end == "fail":
        decide_fail(view, fail(first.claim_token))
    before = view.head("run-1").cursor
    asked = decide_record(view, request(params=OTHER))
    assert isinstance(asked, Refused) == is_refused
    if isinstance(asked, Refused):
        assert isinstance(asked.error, ApprovalNotNeededError)
        assert view.head("run-1").cursor == before
        told(view, request("r0"), answer("rejected", "r0"), request("r2", key_name=None))
        assert isinstance(decide_claim(view, claim()), Replayed)


def test_request_decision_and_claim_in_one_batch_are_judged_in_order() -> None:
    """As if each had its own transaction."""
    view = View(NOON)
    assert isinstance(decide_claim(view, claim("charge:2")), Claimed)
    told(view, request())
    waiting = decide_claim(view, claim())
    told(view, answer("approved"))
    other = decide_claim(view, claim(params=OTHER))
    approved = decide_claim(view, claim())
    told(view, answer("rejected"))
    assert [type(each.error) for each in (waiting, other) if isinstance(each, Refused)] == [
        ApprovalPendingError,
        ApprovalMismatchError,
    ]
    assert isinstance(approved, Claimed)
    assert view.head("run-1").has_approvals
    (row,) = view.changes.approvals.values()
    assert (row.status, row.requested_cursor, row.decided_cursor) == ("rejected", 2, 5)


def test_a_request_that_is_bound_to_nothing_leaves_the_head_alone() -> None:
    """Claims on its channel go on as if there were no approvals."""
    view = told(View(NOON), request(key_name=None), answer("approved"))
    assert not view.head("run-1").has_approvals
    assert len(view.changes.approvals) == 1


SECOND_REQUESTS = [
    # the first and the second under one id, whether the second is refused
    ({}, {}, False),
    ({}, {"params": b'{"order":1.0}'}, False),
    ({}, {"params": OTHER}, True),
    ({}, {"key_name": "charge:2"}, True),
    ({}, {"key_name": None}, False),
    ({"key_name": None}, {}, True),
    ({"key_name": None}, {"key_name": None}, False),
]


@pytest.mark.parametrize(("first", "second", "is_refused"), SECOND_REQUESTS)
def test_a_request_id_asks_about_one_call(
    first: dict[str, Any], second: dict[str, Any], is_refused: bool
) -> None:
    """What was answered to one question never counts for another."""
    view = told(View(NOON), request(**first), answer("approved"))
    asked = decide_record(view, request(**second))
    if is_refused:
        assert isinstance(asked, Refused)
        assert isinstance(asked.error, IdempotencyConflictError)
        return
    assert isinstance(asked, Appended)
    row = row_of(view)
    assert (row.status, row.requested_cursor) == ("approved", 1)


@pytest.mark.parametrize(("key_name", "is_refused"), [("charge:1", True), (None, False)])
def test_a_decision_without_a_verdict_is_refused_where_it_would_count(
    key_name: str | None, is_refused: bool
) -> None:
    """About a question that binds nothing, and about one that nobody asked, it is an event like any other."""
    view = told(View(NOON), request(key_name=key_name), answer(None, "unknown"))
    decided = decide_record(view, answer(None))
    if is_refused:
        assert isinstance(decided, Refused)
        assert isinstance(decided.error, InvalidRequestError)
        assert decided.error.details["field"] == "payload.decision"
    else:
        assert isinstance(decided, Appended)
        assert row_of(view).status == "pending"


INSISTING: list[tuple[Sequence[Record], dict[str, Any], type]] = [
    ([], {"requires_approval": True}, ApprovalNotFoundError),
    ([], {"approval_request_id": "r1"}, ApprovalNotFoundError),
    ([request(key_name=None), answer("approved")], {"requires_approval": True}, ApprovalNotFoundError),
    ([request(key_name="another")], {"requires_approval": True}, ApprovalNotFoundError),
    ([request(key_name="another")], {"approval_request_id": "r1"}, ApprovalNotFoundError),
    ([request()], {"requires_approval": True}, ApprovalPendingError),
    ([request()], {"approval_request_id": "r1"}, ApprovalPendingError),
    ([request(), answer("approved")], {"approval_request_id": "r2"}, ApprovalNotFoundError),
    ([request(), answer("approved"), request("r2")], {"approval_request_id": "r1"}, ApprovalNotFoundError),
    ([request(), answer("approved")], {"approval_request_id": "r1"}, Claimed),
    ([request(), answer("approved")], {"requires_approval": True}, Claimed),
    ([request(params=OTHER), answer("approved")], {"approval_request_id": "r1"}, ApprovalMismatchError),
]


@pytest.mark.parametrize(("news", "insists", "expected"), INSISTING)
def test_a_claim_may_insist_on_an_approval(
    news: Sequence[Record], insists: dict[str, Any], expected: type
) -> None:
    """On any, or on that of one request; then it does not start because nobody was asked."""
    found = decide_claim(told(View(NOON), *news), claim(**insists))
    assert (type(found.error) if isinstance(found, Refused) else type(found)) is expected


@pytest.mark.parametrize("status", sorted(UNTOUCHED_BY_PEOPLE))
def test_who_insists_is_told_all_the_same_what_has_happened(status: str) -> None:
    """A result is a result, also of an operation that nobody approved."""
    found = decide_claim(ledger(status, None, ""), claim(attempt_id="second", requires_approval=True))
    assert type(found) is LEDGER[status]


def test_the_session_fence_asks_nobody() -> None:
    """Or a question could lock a session out of its channel."""
    fence = claim("__session_lock__", tool_name="agent.session", params=b"{}", requires_approval=True)
    assert isinstance(decide_claim(told(View(NOON), request()), fence), Claimed)


def test_a_closed_channel_takes_no_answers() -> None:
    """As it takes no events."""
    view = told(View(NOON), request())
    view.head("run-1").lifecycle = "closed"
    assert isinstance(decide_record(view, answer("approved")), Refused)
    assert row_of(view).status == "pending"


def test_an_event_of_another_type_changes_nothing() -> None:
    """Only what the transport has read as an answer is one."""
    view = told(View(NOON), request(), record(b'{"request_id":"r1","decision":"approved"}'))
    assert row_of(view).status == "pending"
