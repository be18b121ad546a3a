"""Every call on an operation in every way in which it can stand, against the rules in few words."""

from itertools import product

import pytest
from msgspec import UNSET

from actae.domain.answers import Refused
from actae.domain.claims import decide_claim
from actae.domain.errors import (
    ExecutionNotOwnedError,
    ExecutionTerminalError,
    IdempotencyKeyMismatchError,
)
from actae.domain.executions import Claimed, InProgress, Reclaimed, Replayed, Settled
from actae.domain.late_evidence import KEPT_MAX
from actae.domain.outcome_errors import (
    ExecutionAmbiguousError,
    ExecutionInProgressError,
    ExecutionMovedOnError,
    KeyExpiredError,
)
from actae.domain.resolutions import Outcome, decide_resolve
from actae.domain.settlements import (
    decide_cancel,
    decide_complete,
    decide_dispatch,
    decide_fail,
    decide_heartbeat,
)
from tests.support.asks import cancel, claim, complete, dispatch, fail, heartbeat, later, resolve
from tests.support.standing import (
    GIVEN_UP,
    HELD,
    LEASE_SECONDS,
    STEPS,
    afterwards,
    row_of,
    standing,
    types_of,
)

LIVE, LAPSED = 30, 120
STALE = "ct_" + "0" * 32


def outcome_of(answer: object) -> type:
    """The kind of an answer, or of the refusal."""
    return type(answer.error) if isinstance(answer, Refused) else type(answer)


def claim_is_answered(
    how: str, *, at: int, has_expired: bool, same_input: bool, same_attempt: bool, on_failure: str
) -> type:
    """The order of the checks: input, lease, ambiguity, the key's end, outcome."""
    if not same_input:
        return IdempotencyKeyMismatchError
    if how in HELD and at == LIVE:
        return Claimed if same_attempt else InProgress
    if how in ("ambiguous", "marked", "renewed", *GIVEN_UP):
        # Of an attempt that nothing was heard of since, the first answer may have been lost.
        return Claimed if how == "ambiguous" and same_attempt else ExecutionAmbiguousError
    if has_expired:
        return KeyExpiredError
    if how in ("completed", "said applied"):
        return Replayed
    if how == "failed" and on_failure == "replay":
        return Replayed
    return Reclaimed


@pytest.mark.parametrize("how", STEPS)
def test_every_claim(how: str) -> None:
    """Times both moments, live and ended keys, same and other input, same and other attempt, both wishes."""
    for at, has_expired, same_input, same_attempt, on_failure in product(
        (LIVE, LAPSED), (False, True), (False, True), (False, True), ("reclaim", "replay")
    ):
        cell = (at, has_expired, same_input, same_attempt, on_failure)
        view, token = standing(how, at_seconds=at, ttl_seconds=10 if has_expired else None)
        before = row_of(view)
        answer = decide_claim(
            view,
            claim(
                params=b'{"order":1}' if same_input else b'{"order":2}',
                attempt_id="first" if same_attempt else "second",
                replays_failure=on_failure == "replay",
            ),
        )
        expected = claim_is_answered(
            how,
            at=at,
            has_expired=has_expired,
            same_input=same_input,
            same_attempt=same_attempt,
            on_failure=on_failure,
        )
        assert outcome_of(answer) is expected, cell
        is_recovered = expected is Claimed and at == LAPSED
        assert bool(view.changes) == (expected is Reclaimed or is_recovered), cell
        assert types_of(view) == ["tool.started"] * (expected is Reclaimed), cell
        if isinstance(answer, Claimed):
            assert answer.claim_token == token
            assert row_of(view).is_live(view.now)
        if isinstance(answer, Reclaimed):
            assert answer.execution.attempts == 2
            assert (answer.unapplied is True) == (how in ("not marked", "said not_applied")), cell
            assert row_of(view).expires_at == before.expires_at
        if isinstance(answer, Refused) and expected is not ExecutionAmbiguousError:
            assert answer.error.details["execution_status"] == before.status_at(view.now)


@pytest.mark.parametrize("at", [LIVE, LAPSED])
@pytest.mark.parametrize("how", STEPS)
def test_every_mark(how: str, at: int) -> None:
    """Only the owner's: a lease that lapsed is revived, and a live one goes on as it was."""
    view, token = standing(how, at_seconds=at)
    before = row_of(view)
    assert outcome_of(decide_dispatch(view, dispatch(STALE))) is ExecutionNotOwnedError
    answer = decide_dispatch(view, dispatch(token))
    row = row_of(view)
    if how not in HELD:
        assert outcome_of(answer) is ExecutionNotOwnedError
        assert (row, bool(view.changes)) == (before, False)
        return
    assert isinstance(answer, Settled)
    assert answer.status == "running"
    assert row.on_lapse == (None if how == "reclaimable" else "ambiguous")
    revived = later(LAPSED + LEASE_SECONDS)
    assert row.lease_until == (before.lease_until if at == LIVE else revived) == answer.execution.lease_until
    assert bool(view.changes) == (how == "not marked" or at == LAPSED)
    assert types_of(view) == []
    again = afterwards(view, at + 1)
    assert decide_dispatch(again, dispatch(token)) == answer
    assert not again.changes


@pytest.mark.parametrize("at", [LIVE, LAPSED])
@pytest.mark.parametrize("how", STEPS)
def test_every_owner_that_does_not_know(how: str, at: int) -> None:
    """Told once; what has ended stays as it is, and what was resolved is somebody else's."""
    view, token = standing(how, at_seconds=at)
    answers = [decide_fail(view, fail(token, outcome_unknown=True)) for _ in range(2)]
    assert [outcome_of(each) for each in answers] == [outcome_of(answers[0])] * 2
    if isinstance(answers[0], Settled):
        ends = {"completed": "completed", "failed": "failed"}
        assert answers[0].status == ends.get(how, "ambiguous")
        assert types_of(view) == ["tool.ambiguous"] * (how in HELD)
    elif how == "cancelled":
        assert outcome_of(answers[0]) is ExecutionTerminalError
    else:
        assert how in ("said applied", "said not_applied")
        assert types_of(view) == ["tool.late_evidence"]


@pytest.mark.parametrize("at", [LIVE, LAPSED])
@pytest.mark.parametrize("how", STEPS)
def test_every_heartbeat(how: str, at: int) -> None:
    """It revives what lapsed, and not what its owner gave up: another's resolution must not wait for it."""
    view, token = standing(how, at_seconds=at)
    answer = decide_heartbeat(view, heartbeat(token))
    assert outcome_of(answer) is (Settled if how in HELD else ExecutionNotOwnedError)
    assert bool(view.changes) == (how in HELD)


@pytest.mark.parametrize("at", [LIVE, LAPSED])
@pytest.mark.parametrize("how", STEPS)
def test_every_cancel(how: str, at: int) -> None:
    """It frees the key, but not one whose owner has said that the tool may have had its effect."""
    view, token = standing(how, at_seconds=at)
    answer = decide_cancel(view, cancel(token))
    expected = {"cancelled": Settled, "completed": ExecutionTerminalError, "failed": ExecutionTerminalError}
    assert outcome_of(answer) is expected.get(how, Settled if how in HELD else ExecutionNotOwnedError)
    assert bool(view.changes) == (how in HELD)


def test_a_clock_that_was_set_back_gives_nothing_back_to_who_gave_up() -> None:
    """Somebody can say what happened, though the moment at which it was given up is still to come."""
    view, _ = standing("given up", at_seconds=-3600)
    assert isinstance(decide_resolve(view, resolve("applied", result=b"1")), Settled)


def resolution_is_answered(how: str, said: Outcome, at: int, attempts: int | None) -> str | type:
    """How it stands afterwards, or the refusal."""
    is_known = (how, said) in (("said applied", "applied"), ("said not_applied", "not_applied"))
    if is_known:
        return {"applied": "completed", "not_applied": "failed"}[said]
    if attempts not in (None, 1):
        return ExecutionMovedOnError
    if how in HELD and at == LIVE:
        return ExecutionInProgressError
    if how in ("completed", "said applied"):
        return ExecutionTerminalError
    if said == "unknown":
        stays = {"cancelled": "cancelled", "failed": "failed", "said not_applied": "failed"}
        lapsed = {"reclaimable": "running", "not marked": "running"}
        return {**stays, **lapsed}.get(how, "ambiguous")
    return {"applied": "completed", "not_applied": "failed"}[said]


@pytest.mark.parametrize("said", ["applied", "not_applied", "unknown"])
@pytest.mark.parametrize("how", STEPS)
def test_every_resolution(how: str, said: Outcome) -> None:
    """A live owner is not robbed, what is completed stays so, and who looked at another attempt is told."""
    for at, attempts in product((LIVE, LAPSED), (None, 1, 2)):
        view, token = standing(how, at_seconds=at)
        ask = resolve(said, result=b'"ch_1"' if said == "applied" else b"null", attempts=attempts)
        answer = decide_resolve(view, ask)
        expected = resolution_is_answered(how, said, at, attempts)
        if isinstance(expected, type):
            assert outcome_of(answer) is expected, (at, attempts)
            assert not view.changes
            continue
        assert isinstance(answer, Settled), (at, attempts)
        assert answer.status == answer.execution.status == expected, (at, attempts)
        is_known = how == f"said {said}" and said != "unknown"
        ends = {"applied": ["tool.completed"], "not_applied": ["tool.failed"], "unknown": []}[said]
        if how in ("failed", "said not_applied") and said == "not_applied":
            ends = []
        assert types_of(view) == ([] if is_known else ["tool.resolved", *ends]), (at, attempts)
        is_settled = bool(ends) and not is_known
        complete_after = decide_complete(view, complete(token))
        if is_settled:
            assert outcome_of(complete_after) is ExecutionNotOwnedError
            assert types_of(view)[-1] == "tool.late_evidence"


def test_a_stale_decision_says_nothing_about_the_next_attempt() -> None:
    """Two people look at attempt 1. One resolves it; attempt 2 begins and lapses; the other is late."""
    view, _ = standing("given up", at_seconds=5)
    assert isinstance(decide_resolve(view, resolve("not_applied", attempts=1)), Settled)
    assert isinstance(decide_claim(view, claim(attempt_id="second", on_lapse="ambiguous")), Reclaimed)
    view = afterwards(view, 600)
    late = decide_resolve(view, resolve("not_applied", by="bob", attempts=1))
    assert outcome_of(late) is ExecutionMovedOnError
    assert isinstance(decide_resolve(view, resolve("not_applied", by="bob", attempts=2)), Settled)


def test_an_owner_lost_before_its_mark_says_nothing_about_the_attempts_before_it() -> None:
    """The first one may have had its effect."""
    view, _ = standing("reclaimable", at_seconds=LAPSED)
    assert isinstance(decide_claim(view, claim(attempt_id="second", on_lapse="after_dispatch")), Reclaimed)
    third = decide_claim(afterwards(view, 600), claim(attempt_id="third"))
    assert isinstance(third, Reclaimed)
    assert third.unapplied is UNSET


def test_late_reports_are_kept_once_for_each_token_and_not_without_end() -> None:
    """A worker that repeats itself, or makes up tokens, does not fill the log."""
    view, token = standing("said applied", at_seconds=5)
    for _ in range(2):
        assert outcome_of(decide_complete(view, complete(token))) is ExecutionNotOwnedError
        assert outcome_of(decide_fail(view, fail(token))) is ExecutionNotOwnedError
    assert len(view.changes.evidence) == 1
    for number in range(30):
        decide_complete(view, complete(f"ct_{number:032x}"))
    assert len(view.changes.evidence) == KEPT_MAX
    assert types_of(view) == ["tool.late_evidence"] * KEPT_MAX
