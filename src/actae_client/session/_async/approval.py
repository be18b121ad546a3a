"""A question to a person, and the wait for the answer."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from actae_client._types.events import Event
from actae_client._types.json import Json
from actae_client.session._async._io import sleep
from actae_client.session._async.persistence import persistently
from actae_client.session._async.transport import SessionTransport
from actae_client.session.names import APPROVAL_DECIDED, APPROVAL_REQUESTED

_PAGE = 500


async def ask_approval(
    transport: SessionTransport,
    channel_id: str,
    summary: str,
    details: Json,
    *,
    requester: str,
    poll_interval: float,
) -> dict[str, Any]:
    """Record the question, and read the log from there on until it holds a decision."""
    request_id = str(uuid4())
    payload: dict[str, Json] = {"request_id": request_id, "summary": summary}
    if details is not None:
        payload["details"] = details
    asked = await persistently(
        lambda: transport.record(
            channel_id, APPROVAL_REQUESTED, payload, actor=requester, operation_id=request_id
        )
    )
    decided = await _wait_for_decision(transport, channel_id, request_id, asked.cursor, poll_interval)
    return {
        "request_id": request_id,
        "approved": decided.payload.get("decision") == "approved",
        "decision": decided.payload,
        "event": decided,
    }


async def _wait_for_decision(
    transport: SessionTransport, channel_id: str, request_id: str, cursor: int, poll_interval: float
) -> Event:
    while True:
        page = await _decisions_after(transport, channel_id, cursor)
        for event in page:
            cursor = event.cursor
            if isinstance(event.payload, dict) and event.payload.get("request_id") == request_id:
                return event
        if not page:
            await sleep(poll_interval)


async def _decisions_after(transport: SessionTransport, channel_id: str, cursor: int) -> list[Event]:
    return await persistently(
        lambda: transport.replay(channel_id, cursor=cursor, limit=_PAGE, event_type=APPROVAL_DECIDED)
    )
