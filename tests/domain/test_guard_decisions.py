"""Guards, cell by cell: what a claim is told that is about to start an attempt."""

from collections.abc import Iterable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from actae.domain.amounts import add, amount_in, read_amount, write_amount
from actae.domain.answers import Refused
from actae.domain.claims import decide_claim
from actae.domain.errors import InvalidRequestError
from actae.domain.executions import Claim, Claimed, InProgress, Reclaimed, Replayed, digest_key
from actae.domain.guard_errors import BudgetExceededError, NearDuplicateError, ToolFrozenError
from actae.domain.guarding import Guarding
from actae.domain.guards import (
    EPOCH,
    SHARED,
    Budget,
    Freeze,
    Guard,
    Guards,
    NearDuplicate,
    Rule,
    UseKey,
    window_of,
)
from actae.domain.settlements import decide_complete, decide_fail
from actae.domain.view import View
from tests.support.asks import NOON, claim, complete, fail, later


def guard(rule: Rule, guard_id: str = "g", *, pattern: str | None = None, tool: str | None = None) -> Guard:
    """A guard."""
    return Guard(guard_id, pattern, tool, rule, "ada", NOON)


def guarded(*guards: Guard, now: Any = NOON, like: View | None = None, keys: Iterable[str] = ()) -> View:
    """A batch that these guards look at; it may read what another one wrote under these keys."""
    rows = [] if like is None else [like.execution("run-1", digest_key(key)) for key in keys]
    heads = [] if like is None else [like.head("run-1")]
    view = View(now, heads, [row for row in rows if row is not None])
    view.changes.guarding = Guarding(Guards(1, guards))
    return view


def error_of(answer: Any) -> Any:
    """Why it was refused."""
    assert isinstance(answer, Refused), answer
    return answer.error


FREEZE = guard(Freeze("no"))
LOOKS = [
    (guard(Freeze()), True),
    (guard(Freeze(), tool="charge"), True),
    (guard(Freeze(), tool="refund"), False),
    (guard(Freeze(), pattern="run-1"), True),
    (guard(Freeze(), pattern="run-*"), True),
    (guard(Freeze(), pattern="run"), False),
    (guard(Freeze(), pattern="runs-*"), False),
    (guard(Freeze(), pattern="run-*", tool="refund"), False),
]


@pytest.mark.parametrize(("given", "looks"), LOOKS)
def test_a_guard_is_for_its_pattern_and_its_tool(given: Guard, looks: bool) -> None:
    """Both have to match; what is left open matches all."""
    answer = decide_claim(guarded(given), claim())
    assert isinstance(answer, Refused) == looks


@pytest.mark.parametrize("state", ["none", "running", "lapsed", "failed", "completed"])
def test_a_freeze_stops_starts_and_nothing_else(state: str) -> None:
    """What runs is left alone, what is done is replayed."""
    before = View(NOON)
    if state != "none":
        token = decide_claim(before, claim()).claim_token
        if state == "failed":
            decide_fail(before, fail(token))
        if state == "completed":
            decide_complete(before, complete(token))
    now = later(3600 if state == "lapsed" else 1)
    answer = decide_claim(guarded(FREEZE, now=now, like=before, keys=["charge:1"]), claim(attempt_id="2"))
    expected = {"running": InProgress, "completed": Replayed}.get(state, Refused)
    assert type(answer) is expected
    if isinstance(answer, Refused):
        assert isinstance(answer.error, ToolFrozenError)
        assert answer.error.details["frozen_by"] == "ada"


def test_a_refusal_leaves_no_trace() -> None:
    """No event, no row, nothing used."""
    view = guarded(guard(Budget(Decimal(5)), "b"), guard(Budget(Decimal(0)), "none"), FREEZE)
    decide_claim(view, claim())
    view.changes.guarding = Guarding(Guards(1, [guard(Budget(Decimal(5)), "b"), guard(Budget(Decimal(0)))]))
    assert isinstance(error_of(decide_claim(view, claim())), BudgetExceededError)
    assert not view.changes
    assert not view.changes.guarding.uses


def test_claims_of_one_batch_are_counted_in_order() -> None:
    """The last one is too much; one that asks for less still fits."""
    view = guarded(guard(Budget(Decimal(10), "amount")))
    amounts = [4, 5, 2, 1]
    answers = [
        decide_claim(view, claim(f"k{number}", params=b'{"amount":%d}' % amount))
        for number, amount in enumerate(amounts)
    ]
    assert [type(answer) for answer in answers] == [Claimed, Claimed, Refused, Claimed]
    refused = error_of(answers[2])
    assert (bytes(refused.details["used"]), bytes(refused.details["asked"])) == (b"9", b"2")
    (use,) = view.changes.guarding.uses.values()  # type: ignore[union-attr]
    assert use.taken == 10


def test_what_was_read_counts_too() -> None:
    """In the window that the batch's time lies in."""
    budget = Budget(Decimal(3), window_seconds=60)
    view = guarded(guard(budget))
    assert view.guarding is not None
    view.guarding.tell_used(UseKey(SHARED, "g", NOON), Decimal(2))
    assert isinstance(decide_claim(view, claim("a")), Claimed)
    refused = error_of(decide_claim(view, claim("b")))
    assert refused.details["window_ends_at"] == NOON + timedelta(seconds=60)


def test_a_take_over_is_not_counted() -> None:
    """The operation was counted when it was new."""
    before = View(NOON)
    decide_fail(before, fail(decide_claim(before, claim()).claim_token))
    view = guarded(guard(Budget(Decimal(0))), like=before, keys=["charge:1"])
    assert isinstance(decide_claim(view, claim(attempt_id="2")), Reclaimed)


@pytest.mark.parametrize("is_new", [True, False])
@pytest.mark.parametrize(
    ("field", "dedup_fields", "is_refused"),
    [
        ("amount", None, False),
        ("amount", ["order", "amount"], False),
        ("amount", ["order"], True),
        (None, ["order"], False),
    ],
)
def test_an_amount_cannot_grow_under_its_key(
    field: str | None, dedup_fields: list[str] | None, is_refused: bool, is_new: bool
) -> None:
    """A budget takes no amount that is no part of the identity, nor of what was begun before it."""

    def ask(attempt_id: str) -> Claim:
        params = b'{"order":1,"amount":5}'
        return claim(params=params, dedup_fields=dedup_fields, attempt_id=attempt_id)

    before = View(NOON)
    if not is_new:
        decide_fail(before, fail(decide_claim(before, ask("1")).claim_token))
    keys = [] if is_new else ["charge:1"]
    view = guarded(guard(Budget(Decimal(100), field)), like=before, keys=keys)
    answer = decide_claim(view, ask("2"))
    if is_refused:
        refused = error_of(answer)
        assert isinstance(refused, InvalidRequestError)
        assert refused.details["field"] == "dedup_fields"
        assert not view.changes
    else:
        assert type(answer) is (Claimed if is_new else Reclaimed)


@pytest.mark.parametrize(
    ("params", "amount"),
    [
        (b'{"a":1}', "1"),
        (b'{"a":0.10}', "0.10"),
        (b'{"a":1e2}', "100"),
        (b'{"a":-0}', "0"),
        (b'{"a":0e999999999}', "0"),
        (b'{"a":123456789012345678901234567890}', "123456789012345678901234567890"),
        (b'{"a":0.000000000000000000000000000001}', "0.000000000000000000000000000001"),
        (b'{"a":1,"a":2}', "2"),
        (b'{"\\ud800":0,"a":7}', "7"),
        (b'{"\\ud800":0,"a":0.5}', "0.5"),
        (b'{"a":-1}', None),
        (b'{"a":"1"}', None),
        (b'{"a":true}', None),
        (b'{"\\ud800":0,"a":true}', None),
        (b'{"a":null}', None),
        (b'{"a":[1]}', None),
        (b'{"b":1}', None),
        (b'{"a":1e30}', None),
        (b'{"a":1e-31}', None),
        (b'{"a":1e999999999}', None),
        (b'{"a":1e9999999999999999999}', None),
        (b'{"a":1234567890123456789012345678901}', None),
        (b"[1]", None),
        (b"1", None),
        (b"null", None),
    ],
)
def test_amounts_are_exact_or_none(params: bytes, amount: str | None) -> None:
    """A number of a bounded size, at the top level."""
    found = amount_in(params, "a")
    assert (None if found is None else bytes(write_amount(found)).decode()) == amount


def test_the_largest_and_the_smallest_add_up_exactly() -> None:
    """Nothing is rounded."""
    large, small = read_amount(b"9" * 30), read_amount(b"0." + b"0" * 29 + b"1")
    assert large is not None
    assert small is not None
    assert bytes(write_amount(add(large, small))) == b"9" * 30 + b"." + b"0" * 29 + b"1"


def test_an_amount_that_is_missing_is_named() -> None:
    """By its path, and by the guard that asks for it."""
    error = error_of(decide_claim(guarded(guard(Budget(Decimal(1), "amount"))), claim()))
    assert isinstance(error, InvalidRequestError)
    assert error.details == {"guard_id": "g", "field": "params.amount"}
    assert str(error).endswith("; there is none.")


@pytest.mark.parametrize("value", ["1e30", "1e-31", '"ten"', "-1"])
def test_what_is_no_amount_is_shown(value: str) -> None:
    """Who reads the refusal sees what was sent."""
    asked = claim(params=b'{"amount":%b}' % value.encode())
    error = error_of(decide_claim(guarded(guard(Budget(Decimal(1), "amount"))), asked))
    assert str(error).endswith(f"; it is {value}.")


@pytest.mark.parametrize("seconds", [1, 60, 3_600, 86_400, 7 * 86_400 + 1])
def test_windows_follow_each_other_without_gap(seconds: int) -> None:
    """Each moment lies in one, and it begins where the one before it ended."""
    budget = Budget(Decimal(1), window_seconds=seconds)
    window = window_of(budget, NOON)
    assert window.end is not None
    assert window.start <= NOON < window.end
    assert (window.start - EPOCH) % timedelta(seconds=seconds) == timedelta()
    assert window_of(budget, window.start) == window
    assert window_of(budget, window.end).start == window.end
    assert window_of(budget, window.start - timedelta(microseconds=1)).end == window.start


NEAR = NearDuplicate(600)
CELLS = [  # how the first operation stands, and what a second one under another key is told
    ("running", 1, Refused),
    ("lapsed", 120, Refused),
    ("completed", 1, Refused),
    ("failed", 1, Claimed),
    ("running", 599, Refused),
    ("running", 600, Claimed),
]


@pytest.mark.parametrize(("state", "seconds", "expected"), CELLS)
def test_a_call_is_compared_with_the_last_one_like_it(state: str, seconds: int, expected: type) -> None:
    """While its window lasts, and unless it is known to have had no effect."""
    near = guard(NEAR)
    first = guarded(near)
    token = decide_claim(first, claim("first")).claim_token
    if state == "completed":
        decide_complete(first, complete(token, "first"))
    if state == "failed":
        decide_fail(first, fail(token, "first"))
    assert first.guarding is not None
    ((key, recall),) = first.guarding.recalls.items()
    second = guarded(near, now=later(seconds), like=first, keys=["first"])
    assert second.guarding is not None
    second.guarding.tell_recent(key, recall.call)
    answer = decide_claim(second, claim("second"))
    assert type(answer) is expected
    if isinstance(answer, Refused):
        assert isinstance(answer.error, NearDuplicateError)
        assert answer.error.details["other_key_name"] == "first"
    else:
        assert second.guarding.recalls[key].before == ("run-1", digest_key("first"))


def test_a_repetition_that_failed_is_still_a_reason() -> None:
    """The one that it repeated may have had its effect; a take-over of it stays a repetition."""
    warn = guard(NearDuplicate(600, "warn"))
    view = guarded(warn)
    for key in ("a", "b"):
        answer = decide_claim(view, claim(key))
        decide_fail(view, fail(answer.claim_token, key)) if key == "b" else None
    assert len(decide_claim(view, claim("c")).warnings) == 1  # type: ignore[arg-type]


def test_who_is_taken_over_after_another_one_had_the_call_is_a_duplicate() -> None:
    """It failed, so a second key got the call; run again, it would be done twice."""
    view = guarded(guard(NEAR))
    decide_fail(view, fail(decide_claim(view, claim("a")).claim_token, "a"))
    again = decide_claim(view, claim("a", attempt_id="2"))
    assert isinstance(again, Reclaimed)
    decide_fail(view, fail(again.claim_token, "a"))
    assert isinstance(decide_claim(view, claim("b")), Claimed)
    refused = error_of(decide_claim(view, claim("a", attempt_id="3")))
    assert refused.details["other_key_name"] == "b"


def test_two_of_a_kind_in_one_batch_are_seen() -> None:
    """The second sees the first, as if it had been committed; a third kind of input is its own."""
    view = guarded(guard(NEAR))
    answers = [decide_claim(view, claim(key)) for key in ("a", "b")]
    other = decide_claim(view, claim("c", params=b"{}"))
    assert [type(each) for each in (*answers, other)] == [Claimed, Refused, Claimed]


def test_a_key_that_was_freed_is_no_reason() -> None:
    """Nor is one whose channel was deleted: nothing is known of it any more."""
    first = guarded(guard(NEAR))
    decide_claim(first, claim("first"))
    assert first.guarding is not None
    ((key, recall),) = first.guarding.recalls.items()
    second = guarded(guard(NEAR), now=later(1))
    assert second.guarding is not None
    second.guarding.tell_recent(key, recall.call._replace(status=None, key_name=None))
    assert isinstance(decide_claim(second, claim("second")), Claimed)
