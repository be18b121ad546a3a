"""Calls about events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from actae_client._calls.call import Call, identity, in_path, read, write
from actae_client._calls.channel_ids import validate_channel_id
from actae_client._calls.parents import parents
from actae_client._types.events import ChainVerification, Event, TransitionResult
from actae_client._types.json import Json
from actae_client.retry import Repeat

# The caller's names for what is sent under others.
_OF_RECORD = {f"metadata.{name}": name for name in ("actor", "agent_id", "user_id", "metadata")}
_OF_TRANSITION = {"type": "event_type", **_OF_RECORD}
_OF_QUERY = {"from": "from_time", "to": "to_time"}


def record(
    channel_id: str,
    event_type: str,
    payload: Json,
    *,
    actor: str,
    agent_id: str | None,
    user_id: str | None,
    metadata: dict[str, Json] | None,
    operation_id: str | None,
    step_number: int | None,
    dependencies: Sequence[Mapping[str, str]] | None,
) -> Call[Event]:
    """Append one event, once per operation id."""
    validate_channel_id(channel_id)
    body: dict[str, Json] = {
        "channel_id": channel_id,
        "event_type": event_type,
        "payload": payload,
        "metadata": {"actor": actor, "agent_id": agent_id, "user_id": user_id, "metadata": metadata},
        "operation_id": identity(operation_id),
    }
    if step_number is not None:
        body["step_number"] = step_number
    if dependencies:
        body["dependencies"] = parents(dependencies)
    return write("/api/v1/events/record", _event_of, body, repeat=Repeat.SAFE, arguments=_OF_RECORD)


def transition(
    channel_id: str,
    event_type: str,
    payload: Json,
    state: Json,
    *,
    actor: str,
    agent_id: str | None,
    user_id: str | None,
    metadata: dict[str, Json] | None,
    operation_id: str | None,
    expected_version: int | None,
    expected_cursor: int | None,
) -> Call[TransitionResult]:
    """Append one event together with the state that follows from it."""
    validate_channel_id(channel_id)
    origin = {"actor": actor, "agent_id": agent_id, "user_id": user_id, "metadata": metadata or None}
    body: dict[str, Json] = {
        "channel_id": channel_id,
        "type": event_type,
        "payload": payload,
        "state": state,
        "metadata": {name: value for name, value in origin.items() if value is not None},
        "operation_id": identity(operation_id),
    }
    if expected_version is not None:
        body["expected_version"] = expected_version
    if expected_cursor is not None:
        body["expected_cursor"] = expected_cursor
    path = "/api/v1/events/transition"
    return write(path, _transition_of, body, repeat=Repeat.SAFE, arguments=_OF_TRANSITION)


def replay(channel_id: str, *, cursor: int | None, limit: int, event_type: str | None) -> Call[list[Event]]:
    """Read a channel's events in order, after a cursor."""
    validate_channel_id(channel_id)
    query = {"limit": limit, "cursor": cursor, "event_type": event_type}
    return read(f"/api/v1/events/replay/{channel_id}", _events_of, query)


def query(
    *,
    channel_ids: Sequence[str] | None,
    event_type: str | None,
    actor: str | None,
    cursor_start: int | None,
    cursor_end: int | None,
    from_time: datetime | str | None,
    to_time: datetime | str | None,
    limit: int,
    offset: int | None,
) -> Call[list[Event]]:
    """Search events across channels, newest first."""
    bounds = {
        "channel_ids": _names("channel_ids", channel_ids),
        "event_type": event_type,
        "actor": actor,
        "cursor_start": cursor_start,
        "cursor_end": cursor_end,
        "from": _moment("from_time", from_time),
        "to": _moment("to_time", to_time),
        "offset": offset,
    }
    body: dict[str, Json] = {"limit": limit}
    body.update((name, value) for name, value in bounds.items() if value is not None)
    return write("/api/v1/events/query", _events_of, body, repeat=Repeat.SAFE, arguments=_OF_QUERY)


def get_cursor(channel_id: str) -> Call[int | None]:
    """Ask for the cursor of a channel's newest event."""
    validate_channel_id(channel_id)
    return read(f"/api/v1/events/cursor/{channel_id}", _cursor_of)


def verify_chain(channel_id: str) -> Call[ChainVerification]:
    """Have the server recompute a channel's hash chain."""
    validate_channel_id(channel_id)
    return read(f"/api/v1/events/verify/{channel_id}", _verification_of)


def causal_graph(event_id: str, *, max_nodes: int) -> Call[dict[str, Any]]:
    """Read what led to an event."""
    return read(
        f"/api/v1/events/{in_path('event_id', event_id)}/causal-graph", dict, {"max_nodes": max_nodes}
    )


def _event_of(reply: Any) -> Event:
    return Event.from_record(reply["event"])


def _transition_of(reply: Any) -> TransitionResult:
    return TransitionResult(Event.from_record(reply["event"]), reply["state_version"])


def _events_of(reply: Any) -> list[Event]:
    return [Event.from_dict(event) for event in reply["events"]]


def _cursor_of(reply: Any) -> int | None:
    cursor: int | None = reply.get("latest_cursor")
    return cursor


def _verification_of(reply: Any) -> ChainVerification:
    return ChainVerification(
        channel_id=reply["channel_id"],
        valid=reply["valid"],
        event_count=reply["event_count"],
        head_cursor=reply["head_cursor"],
        head_hash=reply.get("head_hash"),
        first_invalid_cursor=reply.get("first_invalid_cursor"),
    )


def _names(name: str, values: Sequence[str] | None) -> list[str] | None:
    if isinstance(values, str):
        # It would be read as a list of single characters.
        raise TypeError(f"{name} must be a list of str, not one str")
    return None if values is None else list(values)


def _moment(name: str, value: datetime | str | None) -> str | None:
    if not isinstance(value, datetime):
        return value
    if value.tzinfo is None:
        raise ValueError(f"{name} has no time zone")
    return value.isoformat()
