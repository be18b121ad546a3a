"""What the WebSocket says: frames with one capitalised key each."""

from datetime import datetime
from typing import Any, Literal

import msgspec
from msgspec import UNSET, Raw, UnsetType

from actae.domain.errors import ActaeError
from actae.domain.events import Event
from actae.domain.redaction import redact
from actae.operations.tail import Told
from actae.operations.tail.told import tell
from actae.transport.error_replies import helpful_fields
from actae.transport.web_socket import to_frame

encode = msgspec.json.Encoder().encode


class LiveEvent(msgspec.Struct, frozen=True):
    """An event as readers get it: its type and its cursor under both of their names."""

    id: str
    channel_id: str
    type: str
    event_type: str
    payload: Raw
    actor: str
    cursor: int
    channel_cursor: int
    timestamp: datetime
    agent_id: str | None
    user_id: str | None
    metadata: Raw | None
    depends_on: str | None
    truncated: bool | UnsetType = UNSET


class RedactedLiveEvent(LiveEvent, frozen=True):
    """An event without what it says."""

    redacted: Literal[True] = True


def to_live(told: Told) -> LiveEvent:
    """The event as readers get it."""
    event = told.event
    return LiveEvent(
        event.id, event.channel_id, event.type, event.type, event.payload, event.actor, event.cursor,
        event.cursor, event.timestamp, event.agent_id, event.user_id, event.metadata, event.depends_on,
        True if told.is_stub else UNSET,
    )  # fmt: skip


def to_redacted(told: Told) -> LiveEvent:
    """The event as observers get it."""
    seen = msgspec.structs.replace(told, event=redact(told.event))
    return RedactedLiveEvent(**msgspec.structs.asdict(to_live(seen)))


def broadcast_frame(told: Told) -> bytes:
    """The frame that brings an event to a subscriber."""
    payload = {"event": to_live(told)}
    return to_frame(encode({"Broadcast": {"topic": told.event.channel_id, "payload": payload}}))


def ack_fields(event: Event, request_id: str | None) -> dict[str, Any]:
    """What a publisher is answered."""
    fields = msgspec.structs.asdict(to_live(tell(event)))
    return {"request_id": request_id, **{name: value for name, value in fields.items() if value is not UNSET}}


def refusal_fields(error: ActaeError) -> dict[str, Any]:
    """What was refused and why, with what helps: as over HTTP."""
    return {**helpful_fields(error), "status": error.code, "message": error.message}


def subscription_fields(event: str, topic: str | None, **more: Any) -> dict[str, Any]:
    """The same at the top and in the payload: clients differ in where they look."""
    fields = {"topic": topic, **more}
    return {"event": event, **fields, "payload": dict(fields)}
