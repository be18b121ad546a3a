"""Calls about approvals: a question and its answers are events, and one route says how they stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from actae_client._calls import events, wakeups
from actae_client._calls.call import Call, read
from actae_client._calls.channel_ids import validate_channel_id
from actae_client._types.approvals import Approval
from actae_client._types.events import Event
from actae_client._types.json import Json
from actae_client._types.wakeups import Wakeup
from actae_client.approvals import (
    APPROVAL_DECIDED,
    APPROVAL_EXPIRED,
    APPROVAL_REQUESTED,
    ApprovalOperation,
    deadline_of,
    decision_payload,
    request_payload,
)
from actae_client.deterministic import deterministic_operation_key


def request_approval(
    channel_id: str,
    request_id: str,
    *,
    summary: str,
    details: Json,
    timeout_seconds: float | None,
    requester: str,
    operation: ApprovalOperation | None,
    approval_fields: Sequence[str] | None,
) -> Call[Event]:
    """Ask. The request's id is the operation id too: asked twice, it is one question."""
    payload = request_payload(
        request_id,
        summary,
        details=details,
        timeout_seconds=timeout_seconds,
        operation=operation,
        approval_fields=approval_fields,
    )
    asked = _record(channel_id, APPROVAL_REQUESTED, payload, requester, request_id)
    return replace(asked, arguments=_known_as(payload, actor="requester", operation_id="request_id"))


def decide_approval(
    channel_id: str,
    request_id: str,
    *,
    decision: str,
    actor: str,
    reason: str | None,
    operation_id: str | None,
) -> Call[Event]:
    """Answer. The same decision twice is one event, the opposite one another."""
    payload = decision_payload(request_id, decision, reason)
    if operation_id is None:
        operation_id = deterministic_operation_key("approval", decision, request_id)
    decided = _record(channel_id, APPROVAL_DECIDED, payload, actor, operation_id)
    return replace(decided, arguments=_known_as(payload, actor="actor", operation_id="operation_id"))


def expire_approval(channel_id: str, request_id: str) -> Call[Event]:
    """Say that nobody has answered in time; said once, however many have waited."""
    operation_id = deterministic_operation_key("approval", "expired", request_id)
    return _record(channel_id, APPROVAL_EXPIRED, {"request_id": request_id}, "system", operation_id)


def wake_at_deadline(asked: Event, request_id: str, timeout_seconds: float) -> Call[Wakeup]:
    """Have an event appended when the time of a request is over; once, however often it is asked."""
    deadline = deadline_of(request_id, asked.timestamp, timeout_seconds)
    return wakeups.schedule_wakeup(asked.channel_id, **deadline._asdict())


def list_approvals(
    *,
    channel_id: str | None,
    status: str | None,
    request_id: str | None,
    limit: int,
    before: str | None,
) -> Call[list[Approval]]:
    """List requests, newest first."""
    if channel_id is not None:
        validate_channel_id(channel_id)
    query = {
        "channel_id": channel_id,
        "status": status,
        "request_id": request_id,
        "limit": limit,
        "before": before,
    }
    return read("/api/v1/approvals", _approvals_of, query)


def find_approval(channel_id: str, request_id: str) -> Call[list[Approval]]:
    """One request; none where the channel has none of this id."""
    return list_approvals(channel_id=channel_id, status=None, request_id=request_id, limit=1, before=None)


def _record(
    channel_id: str, event_type: str, payload: dict[str, Json], actor: str, operation_id: str
) -> Call[Event]:
    return events.record(
        channel_id,
        event_type,
        payload,
        actor=actor,
        agent_id=None,
        user_id=None,
        metadata=None,
        operation_id=operation_id,
        step_number=None,
        dependencies=None,
    )


def _known_as(payload: Mapping[str, Json], *, actor: str, operation_id: str) -> dict[str, str]:
    """What the caller calls the parts of the event."""
    said = {f"payload.{name}": name for name in payload}
    return {"metadata.actor": actor, "operation_id": operation_id, **said}


def _approvals_of(reply: Any) -> list[Approval]:
    return [Approval.from_dict(item) for item in reply["approvals"]]
