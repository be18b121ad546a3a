"""What the client says over its WebSocket: one flat JSON object for each frame."""

from __future__ import annotations

from collections.abc import Mapping

from actae_client._calls.encoding import encode
from actae_client._types.json import Json


def auth(api_key: str) -> str:
    """Prove who we are; the first frame of every connection."""
    return _text({"type": "auth", "api_key": api_key})


def subscribe(topic: str, cursor: int | None) -> str:
    """Ask for a topic's events after a cursor, 0 for all; None for those to come."""
    frame: dict[str, Json] = {"type": "subscribe", "topic": topic}
    return _text(frame if cursor is None else {**frame, "cursor": cursor})


def unsubscribe(topic: str) -> str:
    """Ask for no more of them."""
    return _text({"type": "unsubscribe", "topic": topic})


def broadcast(topic: str, payload: Json, *, request_id: str, operation_id: str) -> str:
    """Publish. Raises TypeError or ValueError that names the path of what is not JSON."""
    ids = {"request_id": request_id, "operation_id": operation_id}
    return _text({"type": "broadcast", "topic": topic, "payload": payload, **ids})


def _text(frame: Mapping[str, Json]) -> str:
    return encode(frame).decode()
