"""The ledger's state machine, cell by cell: from each status, each call with the right and a stale token."""

from collections.abc import Callable
from typing import Any

import pytest

from actae.domain.answers import Refused
from actae.domain.channels import Head
from actae.domain.claims import decide_claim
from actae.domain.errors import (
    ChannelClosedError,
    ChannelDeletedError,
    ExecutionNotFoundError,
    ExecutionNotOwnedError,
    ExecutionTerminalError,
    IdempotencyKeyMismatchError,
)
from actae.domain.executions import Claimed, ExecutionRow, InProgress, Reclaimed, Replayed, Settled
from actae.domain.settlements import decide_cancel, decide_complete, decide_fail, decide_heartbeat
from actae.domain.view import View
from tests.support.asks import NOON, cancel, claim, complete, fail, heartbeat, later

LEASE_SECONDS = 60


def ledger_in(status: str) -> tuple[ExecutionRow, Head, str]:
    """A row that came to this status in the ordinary way, its channel's head, and its last token."""
    view = View(NOON)
    answer = decide_claim(view, claim())
    assert isinstance(answer, Claimed)
    token = answer.claim_token
    ends: dict[str, Callable[[], Any]] = {
        "running": lambda: None,
        "completed": lambda: decide_complete(view, complete(token)),
        "failed": lambda: decide_fail(view, fail(token)),
        "cancelled": lambda: decide_cancel(view, cancel(token)),
    }
    ends[status]()
    row = view.execution("run-1", claim().key_digest)
    assert row is not None
    assert row.status == status
    return row, view.head("run-1"), token


def view_of(status: str, *, seconds_later: float = 1) -> tuple[View, str]:
    """A later batch that finds the row in this status."""
    row, head, token = ledger_in(status)
    return View(later(seconds_later), [head], [row]), token


CLAIMS: list[tuple[str, float, str, type, int]] = [
    # status, seconds later, attempt id, answer, attempts afterwards
    ("running", 59.9, "second", InProgress, 1),
    ("running", 59.9, "first", Claimed, 1),
    ("running", 60, "second", Reclaimed, 2),
    ("running", 60, "first", Reclaimed, 2),
    ("completed", 1, "second", Replayed, 1),
    ("completed", 9e6, "first", Replayed, 1),
    ("failed", 1, "second", Reclaimed, 2),
    ("cancelled", 1, "second", Reclaimed, 2),
]


@pytest.mark.parametrize(("status", "seconds", "attempt", "answer_type", "attempts"), CLAIMS)
def test_a_claim_with_the_same_input_is_answered_by_status_and_lease(
    status: str, seconds: float, attempt: str, answer_type: type, attempts: int
) -> None:
    """A live owner is not robbed, a lapsed one is taken over, a completed one replays."""
    view, _ = view_of(status, seconds_later=seconds)
    answer = decide_claim(view, claim(attempt_id=attempt))
    assert type(answer) is answer_type
    assert answer.execution.attempts == attempts


@pytest.mark.parametrize("status", ["running", "completed", "failed", "cancelled"])
@pytest.mark.parametrize("seconds", [1, 600])
def test_other_input_under_a_key_is_refused_before_status_and_lease(status: str, seconds: float) -> None:
    """And the refusal says which field differs and what became of the first operation."""
    view, _ = view_of(status, seconds_later=seconds)
    answer = decide_claim(view, claim(params=b'{"order":2}'))
    assert isinstance(answer, Refused)
    assert isinstance(answer.error, IdempotencyKeyMismatchError)
    assert answer.error.details["execution_status"] == status
    assert [each["field"] for each in answer.error.details["differing_fields"]] == ["params.order"]
    assert not view.changes


CALLS = {
    "complete": (decide_complete, complete),
    "fail": (decide_fail, fail),
    "heartbeat": (decide_heartbeat, heartbeat),
    "cancel": (decide_cancel, cancel),
}

SETTLEMENTS: list[tuple[str, str, str | type]] = [
    # call, status before, status afterwards or refusal
    ("complete", "running", "completed"),
    ("complete", "completed", "completed"),
    ("complete", "failed", ExecutionTerminalError),
    ("complete", "cancelled", ExecutionTerminalError),
    ("fail", "running", "failed"),
    ("fail", "completed", "completed"),
    ("fail", "failed", "failed"),
    ("fail", "cancelled", ExecutionTerminalError),
    ("heartbeat", "running", "running"),
    ("heartbeat", "completed", ExecutionNotOwnedError),
    ("heartbeat", "failed", ExecutionNotOwnedError),
    ("heartbeat", "cancelled", ExecutionNotOwnedError),
    ("cancel", "running", "cancelled"),
    ("cancel", "completed", ExecutionTerminalError),
    ("cancel", "failed", ExecutionTerminalError),
    ("cancel", "cancelled", "cancelled"),
]


@pytest.mark.parametrize("seconds", [1, 600], ids=["live", "lapsed"])
@pytest.mark.parametrize(("call", "before", "after"), SETTLEMENTS)
def test_the_owner_may_settle_live_or_lapsed(
    call: str, before: str, after: str | type, seconds: float
) -> None:
    """The token is the fence, not the clock."""
    view, token = view_of(before, seconds_later=seconds)
    decide, ask = CALLS[call]
    answer = decide(view, ask(token))  # type: ignore[operator]
    if isinstance(after, type):
        assert isinstance(answer, Refused)
        assert isinstance(answer.error, after)
        assert not view.changes
    else:
        assert isinstance(answer, Settled)
        assert answer.status == answer.execution.status == after
        assert bool(view.changes) == (before == "running")


@pytest.mark.parametrize("token", ["ct_" + "0" * 32, "", None, "\ud800"])
@pytest.mark.parametrize("status", ["running", "completed", "failed", "cancelled"])
@pytest.mark.parametrize("call", sorted(CALLS))
def test_a_stale_token_is_refused_by_all_four_calls(call: str, status: str, token: str | None) -> None:
    """Whatever the status. What it reports is kept as evidence, once, if it may have owned the operation."""
    view, _ = view_of(status)
    decide, ask = CALLS[call]
    for _ in range(2):
        answer = decide(view, ask(token))  # type: ignore[operator]
        assert isinstance(answer, Refused)
        assert isinstance(answer.error, ExecutionNotOwnedError)
    is_kept = call in {"complete", "fail"} and token is not None and len(token) == 35
    assert [event.event_type for event in view.changes.events] == ["tool.late_evidence"] * is_kept
    assert len(view.changes.evidence) == is_kept
    assert not view.changes.claims
    assert not view.changes.settlements


@pytest.mark.parametrize("call", sorted(CALLS))
def test_the_owner_before_a_take_over_is_fenced_out(call: str) -> None:
    """Its token was good until somebody took over."""
    view, stale = view_of("running", seconds_later=61)
    taken = decide_claim(view, claim(attempt_id="second"))
    assert isinstance(taken, Reclaimed)
    assert taken.claim_token != stale
    decide, ask = CALLS[call]
    assert isinstance(decide(view, ask(stale)), Refused)  # type: ignore[operator]
    assert isinstance(decide_complete(view, complete(taken.claim_token)), Settled)


@pytest.mark.parametrize("call", sorted(CALLS))
def test_an_unknown_operation_is_not_found(call: str) -> None:
    """The published SDK looks for the code inside the sentence."""
    decide, ask = CALLS[call]
    answer = decide(View(NOON), ask("ct_x"))  # type: ignore[operator]
    assert isinstance(answer, Refused)
    assert isinstance(answer.error, ExecutionNotFoundError)
    assert "execution_not_found" in answer.error.message


def test_two_claims_in_one_batch_are_judged_in_order() -> None:
    """As if each had its own transaction: one owner, one that waits."""
    view = View(NOON)
    first = decide_claim(view, claim(attempt_id="a"))
    second = decide_claim(view, claim(attempt_id="b"))
    assert isinstance(first, Claimed)
    assert isinstance(second, InProgress)
    assert second.execution == first.execution


def test_a_claim_appends_its_event_before_it_answers() -> None:
    """The reply already names the event that holds the params."""
    view = View(NOON)
    answer = decide_claim(view, claim(params=b'{"a": 1.50,\n"b":"\\u0000"}'))
    assert isinstance(answer, Claimed)
    (event,) = view.changes.events
    assert (event.cursor, event.event_id) == (
        answer.execution.started_cursor,
        answer.execution.started_event_id,
    )
    assert event.event_type == "tool.started"
    assert bytes(answer.execution.params) == b'{"a": 1.50,\n"b":"\\u0000"}'


def test_the_result_comes_back_byte_for_byte() -> None:
    """Even when names and values hold what looks like our own framing."""
    view = View(NOON)
    key = 'k,"params":{"result":1},"result":2'
    params, result = (
        b'{"params":{"result":[1]}, "x":",\\"result\\":"}',
        b'{"error": {"params" : ",\\"params\\":"}}',
    )
    claimed = decide_claim(view, claim(key, params=params))
    assert isinstance(claimed, Claimed)
    assert bytes(claimed.execution.params) == params
    decide_complete(view, complete(claimed.claim_token, key, result=result))
    replayed = decide_claim(view, claim(key, params=params))
    assert isinstance(replayed, Replayed)
    assert bytes(replayed.result) == bytes(replayed.execution.result) == result
    assert bytes(replayed.execution.params) == params


def test_a_replay_marker_is_appended_once() -> None:
    """However often the completed operation is claimed with the wish for one."""
    view, _ = view_of("completed")
    for attempt in "abc":
        answer = decide_claim(view, claim(emit_replay_event=True, attempt_id=attempt))
        assert isinstance(answer, Replayed)
        assert answer.execution.replay_emitted
    assert [event.event_type for event in view.changes.events] == ["tool.replayed"]


def test_a_reclaim_forgets_the_failed_attempt() -> None:
    """The row speaks of the attempt that runs now; the log keeps the old one."""
    view, _ = view_of("failed")
    answer = decide_claim(view, claim(attempt_id="second"))
    assert isinstance(answer, Reclaimed)
    assert (answer.execution.completed_cursor, answer.execution.completed_at) == (None, None)
    assert bytes(answer.execution.error) == b"null"
    assert answer.execution.started_cursor == 3


def test_the_session_fence_writes_no_events() -> None:
    """It must shift no cursor of the session that it guards."""
    view = View(NOON)
    answer = decide_claim(view, claim("__session_lock__", tool_name="agent.session", params=b"{}"))
    assert isinstance(answer, Claimed)
    decide_heartbeat(view, heartbeat(answer.claim_token, "__session_lock__"))
    decide_cancel(view, cancel(answer.claim_token, "__session_lock__"))
    assert view.changes.events == []
    assert view.head("run-1").cursor == 0


@pytest.mark.parametrize(
    ("lifecycle", "error"), [("closed", ChannelClosedError), ("deleted", ChannelDeletedError)]
)
def test_a_channel_that_ended_takes_no_claims(lifecycle: Any, error: type) -> None:
    """Closed or deleted."""
    answer = decide_claim(View(NOON, [Head("run-1", revision=1, lifecycle=lifecycle)]), claim())
    assert isinstance(answer, Refused)
    assert isinstance(answer.error, error)


def test_a_closed_channel_still_takes_the_outcome_of_what_runs() -> None:
    """The effect has happened; its record is worth more than the rule."""
    row, head, token = ledger_in("running")
    head.lifecycle = "closed"
    assert isinstance(decide_complete(View(later(1), [head], [row]), complete(token)), Settled)


def test_a_heartbeat_uses_the_claims_lease_length_unless_told() -> None:
    """The default is what was claimed."""
    view, token = view_of("running", seconds_later=30)
    kept = decide_heartbeat(view, heartbeat(token))
    assert isinstance(kept, Settled)
    assert kept.execution.lease_until == later(30 + LEASE_SECONDS)
    longer = decide_heartbeat(view, heartbeat(token, seconds=600))
    assert isinstance(longer, Settled)
    assert longer.execution.lease_until == later(630)
