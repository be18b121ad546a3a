"""Operations whose outcome nobody knows: who gets them, what resolves them, and what comes too late."""

from typing import Any

import pytest
from msgspec import UNSET

from actae.domain.answers import Refused
from actae.domain.claims import decide_claim
from actae.domain.errors import (
    ExecutionNotFoundError,
    IdempotencyConflictError,
)
from actae.domain.executions import Claimed, InProgress, Reclaimed, Replayed, Settled
from actae.domain.outcome_errors import ExecutionAmbiguousError, KeyExpiredError
from actae.domain.resolutions import decide_resolve
from actae.domain.settlements import decide_complete, decide_dispatch, decide_fail, decide_heartbeat
from actae.domain.view import View
from tests.support.asks import NOON, claim, complete, dispatch, fail, heartbeat, resolve
from tests.support.standing import afterwards, row_of, standing, types_of


def claimed(**terms: Any) -> tuple[View, str]:
    """A batch in which the operation was claimed on these terms, and the token."""
    view = View(NOON)
    answer = decide_claim(view, claim(**terms))
    assert isinstance(answer, Claimed)
    return view, answer.claim_token


LAPSES: list[tuple[str | None, bool, float, type]] = [
    # on_lapse, whether the mark was sent, seconds later, answer to another caller
    (None, False, 59, InProgress),
    (None, False, 60, Reclaimed),
    (None, True, 60, Reclaimed),
    ("ambiguous", False, 59, InProgress),
    ("ambiguous", False, 60, ExecutionAmbiguousError),
    ("ambiguous", True, 9e6, ExecutionAmbiguousError),
    ("after_dispatch", False, 59, InProgress),
    ("after_dispatch", False, 60, Reclaimed),
    ("after_dispatch", True, 59, InProgress),
    ("after_dispatch", True, 60, ExecutionAmbiguousError),
]


@pytest.mark.parametrize(("on_lapse", "is_marked", "seconds", "expected"), LAPSES)
def test_who_gets_an_operation_whose_lease_has_ended(
    on_lapse: str | None, is_marked: bool, seconds: float, expected: type
) -> None:
    """As its own terms say, whatever the terms of who comes next."""
    view, token = claimed(on_lapse=on_lapse)
    if is_marked:
        assert isinstance(decide_dispatch(view, dispatch(token)), Settled)
    next_view = afterwards(view, seconds)
    answer = decide_claim(next_view, claim(attempt_id="second"))
    assert isinstance(answer.error if isinstance(answer, Refused) else answer, expected)
    assert bool(next_view.changes) == (expected is Reclaimed)


def test_a_claim_whose_reply_was_lost_gets_its_ambiguous_operation_back() -> None:
    """Who repeats the claim with its attempt id has never called the tool."""
    view, token = claimed(on_lapse="ambiguous")
    next_view = afterwards(view, 61)
    again = decide_claim(next_view, claim(on_lapse="ambiguous"))
    assert isinstance(again, Claimed)
    assert again.claim_token == token
    assert isinstance(decide_claim(next_view, claim(attempt_id="second")), InProgress)


@pytest.mark.parametrize("call", ["complete", "fail", "heartbeat"])
def test_the_owner_of_an_ambiguous_operation_may_still_say_what_happened(call: str) -> None:
    """It is the best witness there is."""
    view, token = claimed(on_lapse="ambiguous")
    next_view = afterwards(view, 61)
    calls: dict[str, Any] = {
        "complete": lambda: decide_complete(next_view, complete(token)),
        "fail": lambda: decide_fail(next_view, fail(token)),
        "heartbeat": lambda: decide_heartbeat(next_view, heartbeat(token)),
    }
    settled = calls[call]()
    assert isinstance(settled, Settled)
    assert settled.status == {"complete": "completed", "fail": "failed", "heartbeat": "running"}[call]


def test_an_owner_that_does_not_know_hands_it_to_nobody() -> None:
    """At once; the log says so."""
    view, token = claimed()
    given_up = decide_fail(view, fail(token, outcome_unknown=True))
    assert isinstance(given_up, Settled)
    assert given_up.status == "ambiguous"
    assert types_of(view) == ["tool.started", "tool.ambiguous"]
    refused = decide_claim(afterwards(view, 1), claim(attempt_id="second"))
    assert isinstance(refused, Refused)
    assert isinstance(refused.error, ExecutionAmbiguousError)


def test_a_resolved_operation_replays_and_its_old_owner_is_a_late_witness() -> None:
    """What it reports is refused and kept, once."""
    view, token = standing("ambiguous", at_seconds=61)
    decide_resolve(view, resolve("applied", result=b'"ch_1"'))
    replayed = decide_claim(view, claim(attempt_id="second"))
    assert isinstance(replayed, Replayed)
    assert bytes(replayed.result) == b'"ch_1"'
    for _ in range(3):
        assert isinstance(decide_complete(view, complete(token, result=b'"ch_2"')), Refused)
    assert types_of(view) == ["tool.resolved", "tool.completed", "tool.late_evidence"]
    assert len(view.changes.evidence) == 1


@pytest.mark.parametrize(
    ("reports", "is_unapplied"),
    [("nothing", True), ("a result", False), ("an error", True), ("a result before", True)],
)
def test_no_effect_is_not_said_for_certain_where_a_result_was_reported_since(
    reports: str, is_unapplied: bool
) -> None:
    """Whoever resolved it did not know of the report."""
    view, token = standing("ambiguous", at_seconds=61)
    stranger = f"ct_{1:032x}"
    if reports == "a result before":
        decide_complete(view, complete(stranger))
    decide_resolve(view, resolve("not_applied"))
    if reports == "a result":
        assert isinstance(decide_complete(view, complete(token)), Refused)
    if reports == "an error":
        assert isinstance(decide_fail(view, fail(token)), Refused)
    answer = decide_claim(view, claim(attempt_id="second"))
    assert isinstance(answer, Reclaimed)
    assert answer.unapplied is (True if is_unapplied else UNSET)


def contradicted(at_seconds: float = 61) -> tuple[View, int]:
    """A batch that finds it resolved as not applied, and reported as completed since; and where."""
    view, token = standing("ambiguous", at_seconds=at_seconds)
    decide_resolve(view, resolve("not_applied"))
    decide_complete(view, complete(token, result=b'"ch_1"'))
    return view, view.changes.events[-1].cursor


@pytest.mark.parametrize("on_lapse", ["ambiguous", "after_dispatch"])
def test_who_wants_no_second_run_gets_none_where_a_result_was_reported_since(on_lapse: str) -> None:
    """Whatever somebody said before; the refusal says where the report is. Anybody else may run it."""
    view, reported_at = contradicted()
    refused = decide_claim(view, claim(attempt_id="second", on_lapse=on_lapse))
    assert isinstance(refused, Refused)
    assert isinstance(refused.error, ExecutionAmbiguousError)
    assert refused.error.details["late_evidence_cursor"] == reported_at
    assert f"cursor {reported_at}" in str(refused.error.details["hint"])
    assert row_of(view).status == "failed"
    assert isinstance(decide_claim(view, claim(attempt_id="third")), Reclaimed)


@pytest.mark.parametrize("by", ["ann", "bob"])
def test_who_says_again_that_there_was_no_effect_settles_it(by: str) -> None:
    """In the same words or by somebody else: the report was there to be seen. Said once more, it is known."""
    view, reported_at = contradicted()
    for _ in range(2):
        assert isinstance(decide_resolve(view, resolve("not_applied", by=by)), Settled)
    assert types_of(view)[-3:] == ["tool.late_evidence", "tool.resolved", "tool.failed"]
    completed_cursor = row_of(view).completed_cursor
    assert completed_cursor is not None
    assert completed_cursor > reported_at
    answer = decide_claim(view, claim(attempt_id="second", on_lapse="ambiguous"))
    assert isinstance(answer, Reclaimed)
    assert answer.unapplied is True


@pytest.mark.parametrize("said", ["applied", "unknown"])
def test_other_words_about_a_contradicted_resolution(said: Any) -> None:
    """Applied completes it with the result that was reported; who only looked leaves it as it is."""
    view, _ = contradicted()
    assert isinstance(decide_resolve(view, resolve(said, by="bob", result=b'"ch_1"')), Settled)
    answer = decide_claim(view, claim(attempt_id="second", on_lapse="ambiguous"))
    assert isinstance(answer, Replayed if said == "applied" else Refused)


@pytest.mark.parametrize(
    ("gives_up", "why"), [(False, "its owner was lost on the way"), (True, "its owner could not tell")]
)
def test_a_refusal_says_why_nobody_knows(gives_up: bool, why: str) -> None:
    """An owner that was heard of was not lost."""
    view, token = claimed(on_lapse="ambiguous")
    if gives_up:
        decide_fail(view, fail(token, outcome_unknown=True))
    answer = decide_claim(afterwards(view, 61), claim(attempt_id="second"))
    assert isinstance(answer, Refused)
    assert str(answer.error).endswith(f"took effect: {why}.")


def test_a_repeated_resolution_changes_nothing_and_one_with_other_content_is_refused() -> None:
    """By its operation id."""
    view, _ = standing("ambiguous", at_seconds=61)
    first = decide_resolve(view, resolve("not_applied", operation_id="op"))
    again = decide_resolve(view, resolve("not_applied", operation_id="op"))
    other = decide_resolve(view, resolve("applied", operation_id="op"))
    assert isinstance(first, Settled)
    assert isinstance(again, Settled)
    assert isinstance(other, Refused)
    assert isinstance(other.error, IdempotencyConflictError)
    assert types_of(view) == ["tool.resolved", "tool.failed"]


def test_what_was_never_claimed_cannot_be_resolved() -> None:
    """There is nothing to say about it."""
    answer = decide_resolve(View(NOON), resolve("applied"))
    assert isinstance(answer, Refused)
    assert isinstance(answer.error, ExecutionNotFoundError)


LIVES: list[tuple[str, float, type]] = [
    ("completed", 99, Replayed),
    ("completed", 100, KeyExpiredError),
    ("failed", 99, Reclaimed),
    ("failed", 100, KeyExpiredError),
    ("running", 101, KeyExpiredError),
]


@pytest.mark.parametrize(("how", "seconds", "expected"), LIVES)
def test_a_key_that_has_lived_for_its_time_names_nothing_new(
    how: str, seconds: float, expected: type
) -> None:
    """It answers distinctly."""
    view, token = claimed(ttl_seconds=100)
    if how == "completed":
        decide_complete(view, complete(token))
    elif how == "failed":
        decide_fail(view, fail(token))
    answer = decide_claim(afterwards(view, seconds), claim(attempt_id="second"))
    assert isinstance(answer.error if isinstance(answer, Refused) else answer, expected)


def test_a_live_owner_is_not_robbed_by_the_end_of_its_key() -> None:
    """Its lease may reach beyond it."""
    view, _ = claimed(ttl_seconds=10)
    assert isinstance(decide_claim(afterwards(view, 30), claim(attempt_id="second")), InProgress)


def test_a_recorded_failure_is_replayed_to_who_asks_for_it() -> None:
    """Byte for byte; anybody else may try again."""
    view, token = claimed()
    decide_fail(view, fail(token))
    replayed = decide_claim(view, claim(attempt_id="second", replays_failure=True))
    assert isinstance(replayed, Replayed)
    assert replayed.execution.status == "failed"
    assert bytes(replayed.error) == b'{"message":"no","error_type":null,"stack":null}'  # type: ignore[arg-type]
    assert isinstance(decide_claim(view, claim(attempt_id="second")), Reclaimed)
