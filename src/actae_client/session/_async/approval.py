"""A question to a person, and the wait for the answer."""

from __future__ import annotations

from typing import Any

from actae_client._async.decisions import DECISIONS_A_PAGE, Decisions
from actae_client._types.events import Event
from actae_client._types.json import Json
from actae_client.approvals import (
    APPROVAL_DECIDED,
    APPROVAL_EXPIRED,
    APPROVAL_REQUESTED,
    deadline_of,
)
from actae_client.deterministic import deterministic_operation_key
from actae_client.session._async.persistence import persistently
from actae_client.session._async.transport import SessionTransport, method


async def ask_approval(
    transport: SessionTransport,
    channel_id: str,
    payload: dict[str, Json],
    *,
    requester: str,
    poll_interval: float,
) -> dict[str, Any]:
    """Record the question, and read the log from there on until it holds a decision, or time is over."""
    request_id = str(payload["request_id"])

    async def record(event_type: str, payload: dict[str, Json], actor: str, operation_id: str) -> Event:
        return await persistently(
            lambda: transport.record(channel_id, event_type, payload, actor=actor, operation_id=operation_id)
        )

    async def expire() -> Event:
        operation_id = deterministic_operation_key("approval", "expired", request_id)
        return await record(APPROVAL_EXPIRED, {"request_id": request_id}, "system", operation_id)

    async def read(cursor: int) -> list[Event]:
        return await persistently(
            lambda: transport.replay(
                channel_id, cursor=cursor, limit=DECISIONS_A_PAGE, event_type=APPROVAL_DECIDED
            )
        )

    timeout_seconds = payload.get("timeout_seconds")
    schedule = None if timeout_seconds is None else method(transport, "schedule_wakeup")
    asked = await record(APPROVAL_REQUESTED, payload, requester, request_id)
    if timeout_seconds is not None and schedule is not None:
        deadline = deadline_of(request_id, asked.timestamp, timeout_seconds)
        await persistently(lambda: schedule(channel_id, **deadline._asdict()))
    decisions = Decisions(read, request_id, asked.cursor)
    decided = await decisions.wait(timeout_seconds, poll_interval, expire)
    decision = None if decided is None else decided.payload
    return {
        "request_id": request_id,
        "approved": decision is not None and decision.get("decision") == "approved",
        "decision": decision,
        "event": decided,
    }
