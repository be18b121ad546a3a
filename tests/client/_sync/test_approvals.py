# Written by tools/generate_sync.py from _async/test_approvals.py. Do not edit.
"""A person is asked, and answers, on a real server and on one that does as it is told."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from actae_client import (
    ActaeConnectionError,
    ApprovalError,
    ApprovalExpiredError,
    ApprovalMismatchError,
    ApprovalNotFoundError,
    ApprovalNotNeededError,
    ApprovalOperation,
    ApprovalPendingError,
    ApprovalRejectedError,
    ApprovalSupersededError,
    IdempotencyConflictError,
    SyncActaeClient,
    deterministic_operation_key,
)
from actae_client.client import APPROVAL_DECIDED, APPROVAL_EXPIRED, APPROVAL_REQUESTED
from tests.client.support.replies import EVENT
from tests.client.support.scripted_server import Answer, Hangup, ScriptedServer

CHARGE: ApprovalOperation = {"key_name": "charge:1", "tool_name": "charge", "params": {"cents": 4200}}
OTHER: ApprovalOperation = {**CHARGE, "params": {"cents": 9900}}


def test_an_approved_call_is_handed_out_and_no_other(actae: SyncActaeClient, channel: str) -> None:
    """The operation that was asked about is that of the claim, word for word."""
    asked = actae.request_approval(channel, summary="Charge?", operation=CHARGE)
    with pytest.raises(ApprovalPendingError) as pending:
        actae.claim_execution(channel, **CHARGE)
    assert pending.value.approval_request_id == asked
    actae.decide_approval(channel, asked, decision="approved", actor="ada")
    with pytest.raises(ApprovalMismatchError) as mismatch:
        actae.claim_execution(channel, **OTHER)
    assert [each["field"] for each in mismatch.value.details["differing_fields"]] == ["params.cents"]
    claim = actae.claim_execution(channel, **CHARGE, approval_request_id=asked)
    assert claim.status == "claimed"


def test_each_way_of_not_being_approved_has_its_error(actae: SyncActaeClient, channel: str) -> None:
    """All of them one kind, with the request that they are about."""
    with pytest.raises(ApprovalNotFoundError) as unasked:
        actae.claim_execution(channel, **CHARGE, requires_approval=True)
    assert unasked.value.approval_request_id is None
    actae.request_approval(channel, summary="Charge?", request_id="r1", operation=CHARGE)
    no = actae.decide_approval(channel, "r1", decision="rejected", actor="ada", reason="too much")
    with pytest.raises(ApprovalRejectedError) as rejected:
        actae.claim_execution(channel, **CHARGE)
    assert (rejected.value.approval_request_id, rejected.value.decided_cursor) == ("r1", no.cursor)
    actae.request_approval(channel, summary="Charge?", request_id="r2", operation=CHARGE)
    assert actae.wait_for_approval(channel, "r2", timeout_seconds=0) is None
    with pytest.raises(ApprovalExpiredError) as expired:
        actae.claim_execution(channel, **CHARGE)
    assert isinstance(expired.value, ApprovalError)
    assert expired.value.approval_request_id == "r2"


def test_a_question_that_is_asked_again_is_one_question(actae: SyncActaeClient, channel: str) -> None:
    """By a process that does not know whether it was asked; with other content the id is taken."""
    for _ in range(2):
        asked = actae.request_approval(
            channel,
            summary="Charge?",
            details={"why": "due"},
            request_id="r1",
            operation=CHARGE,
            requester="bot",
        )
        assert asked == "r1"
    with pytest.raises(IdempotencyConflictError):
        actae.request_approval(channel, summary="Charge?", request_id="r1", operation=OTHER)
    (event,) = actae.replay(channel)
    assert (event.event_type, event.actor) == (APPROVAL_REQUESTED, "bot")
    assert event.payload == {
        "request_id": "r1",
        "summary": "Charge?",
        "details": {"why": "due"},
        "operation": CHARGE,
    }


def test_a_decision_that_is_repeated_is_one_decision(actae: SyncActaeClient, channel: str) -> None:
    """The opposite is a second one, and another reason needs another operation id."""
    asked = actae.request_approval(channel, summary="Charge?")
    first = actae.decide_approval(channel, asked, decision="approved", actor="ada", reason="fine")
    again = actae.decide_approval(channel, asked, decision="approved", actor="bob", reason="fine")
    opposite = actae.decide_approval(channel, asked, decision="rejected", actor="bob")
    assert first == again
    assert (first.event_type, first.actor, opposite.cursor) == (APPROVAL_DECIDED, "ada", first.cursor + 1)
    with pytest.raises(IdempotencyConflictError):
        actae.decide_approval(channel, asked, decision="approved", actor="ada", reason="better")
    with pytest.raises(ValueError, match="maybe"):
        actae.decide_approval(channel, asked, decision="maybe", actor="ada")  # type: ignore[arg-type]


def test_who_waits_gets_the_first_answer_after_a_cursor(actae: SyncActaeClient, channel: str) -> None:
    """To this question, among others and other events."""
    asked = actae.request_approval(channel, summary="Charge?")
    actae.record(channel, APPROVAL_DECIDED, {"request_id": "another"}, actor="ada")
    actae.record(channel, APPROVAL_DECIDED, [asked], actor="ada")
    first = actae.decide_approval(channel, asked, decision="approved", actor="ada")
    actae.record(channel, "note", None, actor="ada")
    second = actae.decide_approval(channel, asked, decision="rejected", actor="ada")
    assert actae.wait_for_approval(channel, asked) == first
    assert actae.wait_for_approval(channel, asked, start_cursor=first.cursor) == second


def test_that_nobody_answered_is_recorded_once(actae: SyncActaeClient, channel: str) -> None:
    """However many have waited; and an answer that comes later can still be read."""
    asked = actae.request_approval(channel, summary="Charge?", timeout_seconds=3600)
    for _ in range(2):
        assert actae.wait_for_approval(channel, asked, timeout_seconds=0.05, poll_interval=0.01) is None
    late = actae.decide_approval(channel, asked, decision="approved", actor="ada")
    assert actae.wait_for_approval(channel, asked, timeout_seconds=0.05) == late
    events = actae.replay(channel)
    assert [(each.event_type, each.actor) for each in events] == [
        (APPROVAL_REQUESTED, "agent"),
        (APPROVAL_EXPIRED, "system"),
        (APPROVAL_DECIDED, "ada"),
    ]


def event(event_type: str, cursor: int, request_id: str = "r1") -> dict[str, Any]:
    """An event on the wire."""
    payload = {"request_id": request_id, "decision": "approved"}
    return {**EVENT, "type": event_type, "cursor": cursor, "payload": payload}


HEAD = Answer(200, {"latest_cursor": 4})
NOTHING = Answer(200, {"events": []})


def test_the_log_decides_whether_an_answer_was_in_time(
    client: SyncActaeClient, scripted: ScriptedServer
) -> None:
    """It came between the last look and the expiry, so it was."""
    expired = Answer(200, {"event": event(APPROVAL_EXPIRED, 6)})
    for cursor, in_time in ((5, True), (7, False)):
        answered = Answer(200, {"events": [event(APPROVAL_DECIDED, cursor)]})
        scripted.will(HEAD, NOTHING, NOTHING, expired, answered)
        found = client.wait_for_approval("run-7", "r1", timeout_seconds=0)
        assert (found is not None) == in_time


def test_a_long_log_is_searched_once(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """In pages of 500, by type; then only what is new is looked at."""
    others = Answer(200, {"events": [event(APPROVAL_DECIDED, 2, "another")]})
    answered = Answer(200, {"events": [event(APPROVAL_DECIDED, 5)]})
    scripted.will(HEAD, others, NOTHING, NOTHING, answered)
    found = client.wait_for_approval("run-7", "r1", poll_interval=0.01)
    assert found is not None
    cursors = [heard.target.partition("?")[2] for heard in scripted.heard[1:]]
    assert cursors == [f"limit=500&cursor={cursor}&event_type=approval.decided" for cursor in (0, 2, 4, 4)]


def test_a_wait_outlasts_a_restart_of_the_server(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """Once it has begun; who cannot begin to wait is told."""
    outage = [Hangup()] * 12
    answered = Answer(200, {"events": [event(APPROVAL_DECIDED, 5)]})
    scripted.will(HEAD, NOTHING, *outage, answered)
    found = client.wait_for_approval("run-7", "r1", poll_interval=0.01)
    assert found is not None
    scripted.will(Hangup())
    with pytest.raises(ActaeConnectionError):
        client.wait_for_approval("run-7", "r1", poll_interval=0.01)


def test_a_decision_is_sent_under_the_shared_id(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """The one that clients in other languages derive."""
    scripted.answers({"event": EVENT})
    client.decide_approval("run-7", "r1", decision="approved", actor="ada")
    shared = deterministic_operation_key("approval", "approved", "r1")
    assert scripted.last.json["operation_id"] == shared
    assert scripted.last.json["payload"] == {"request_id": "r1", "decision": "approved"}


def test_a_deadline_wakes_the_channel_once(actae: SyncActaeClient, channel: str) -> None:
    """So long after the question was recorded, however often it is asked."""
    for _ in range(2):
        actae.request_approval(channel, summary="Charge?", request_id="r1", timeout_seconds=90)
    (asked,) = actae.replay(channel)
    (wakeup,) = actae.list_wakeups(channel_id=channel)
    assert wakeup.payload == {"approval_request_id": "r1", "kind": "approval_timeout"}
    waited = datetime.fromisoformat(wakeup.run_at) - datetime.fromisoformat(asked.timestamp)
    assert waited == timedelta(seconds=90)


def test_who_waits_for_a_question_that_was_asked_anew_is_told(actae: SyncActaeClient, channel: str) -> None:
    """No answer to it would count, so nobody waits for one."""
    for number in range(2):
        operation: ApprovalOperation = {**CHARGE, "params": {"cents": number}}
        actae.request_approval(channel, summary="?", request_id=f"r{number}", operation=operation)
    with pytest.raises(ApprovalSupersededError) as superseded:
        actae.wait_for_approval(channel, "r0", poll_interval=0.001)
    assert superseded.value.approval_request_id == "r0"
    actae.decide_approval(channel, "r1", decision="approved", actor="ada")
    assert actae.wait_for_approval(channel, "r1") is not None


def test_about_what_has_happened_nobody_is_asked(actae: SyncActaeClient, channel: str) -> None:
    """It is a conflict, not a claim that lacks a yes."""
    claim = actae.claim_execution(channel, **CHARGE)
    assert claim.claim_token is not None
    actae.complete_execution(claim.execution.id, claim.claim_token, None)
    with pytest.raises(ApprovalNotNeededError):
        actae.request_approval(channel, summary="Charge?", operation=OTHER)
    assert actae.list_approvals(channel_id=channel) == []


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), 1e9])
def test_a_time_that_is_none_is_refused_at_once(client: SyncActaeClient, seconds: float) -> None:
    """Before anybody is asked."""
    with pytest.raises(ValueError, match="timeout_seconds"):
        client.request_approval("run-7", summary="Charge?", timeout_seconds=seconds)


def test_fields_that_bind_are_those_of_an_operation(
    client: SyncActaeClient, scripted: ScriptedServer
) -> None:
    """And a list of names."""
    with pytest.raises(ValueError, match="approval_fields"):
        client.request_approval("run-7", summary="Charge?", approval_fields=["cents"])
    with pytest.raises(TypeError, match="approval_fields"):
        client.request_approval("run-7", summary="Charge?", operation=CHARGE, approval_fields="cents")
    with pytest.raises(TypeError, match="timeout_seconds"):
        client.request_approval("run-7", summary="Charge?", timeout_seconds="5")  # type: ignore[arg-type]
    assert scripted.heard == []


NO_OPERATIONS: list[tuple[Any, type[Exception], str]] = [
    ("charge:1", TypeError, "dict"),
    ({}, ValueError, "'key_name', 'tool_name'"),
    ({"key_name": "k"}, ValueError, "lacks 'tool_name'"),
    ({**CHARGE, "parms": {}}, ValueError, "'parms'"),
    ({**CHARGE, "dedup_fields": "cents"}, TypeError, "dedup_fields"),
    ({**CHARGE, "params": float("nan")}, ValueError, "operation.params"),
    ({**CHARGE, "params": {"at": b""}}, TypeError, "operation.params.at"),
]


@pytest.mark.parametrize(("operation", "kind", "message"), NO_OPERATIONS)
def test_an_operation_that_names_no_call_is_refused_at_once(
    client: SyncActaeClient, scripted: ScriptedServer, operation: Any, kind: type[Exception], message: str
) -> None:
    """Before anything is sent: a question that binds nothing would be worse than none."""
    with pytest.raises(kind, match=message):
        client.request_approval("run-7", summary="Charge?", operation=operation)
    assert scripted.heard == []


def test_what_waits_for_somebody_is_listed(actae: SyncActaeClient, channel: str) -> None:
    """With exactly what would be done."""
    for number in range(3):
        operation: ApprovalOperation = {**CHARGE, "key_name": f"charge:{number}"}
        actae.request_approval(
            channel,
            summary=f"Charge {number}?",
            request_id=f"r{number}",
            operation=operation,
            timeout_seconds=900,
        )
    actae.decide_approval(channel, "r1", decision="rejected", actor="ada", reason="no")
    pending = actae.list_approvals(channel_id=channel, status="pending")
    assert [each.request_id for each in pending] == ["r2", "r0"]
    assert (pending[0].operation, pending[0].requester, pending[0].summary) == (
        {**CHARGE, "key_name": "charge:2"},
        "agent",
        "Charge 2?",
    )
    (rejected,) = actae.approvals.list_approvals(channel_id=channel, request_id="r1")
    assert (rejected.status, rejected.decided_by, rejected.reason) == ("rejected", "ada", "no")
    newest, *_ = actae.list_approvals(channel_id=channel, limit=1)
    older = actae.list_approvals(channel_id=channel, before=newest.requested_event_id)
    assert [newest.request_id, *(each.request_id for each in older)] == ["r2", "r1", "r0"]
