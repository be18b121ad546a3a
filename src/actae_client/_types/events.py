"""Events, and what goes with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from actae_client._types.json import Json


@dataclass(frozen=True, slots=True)
class Event:
    """One recorded fact. A channel numbers its own events 1, 2, 3 … in `cursor`.

    `channel_cursor` is an older name of `cursor`. `timestamp` is RFC 3339. `depends_on` is the
    id of the event that caused this one.
    """

    id: str
    channel_id: str
    event_type: str
    payload: Json
    actor: str
    cursor: int
    channel_cursor: int | None
    timestamp: str
    agent_id: str | None = None
    user_id: str | None = None
    metadata: dict[str, Any] | None = None
    depends_on: str | None = None

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Event:
        """Read an event as the server writes it; keys that are not known are ignored."""
        get = data.get
        cursor = data["cursor"]
        return cls(
            data["id"],
            data["channel_id"],
            data["type"],
            data["payload"],
            data["actor"],
            cursor,
            get("channel_cursor", cursor),
            data["timestamp"],
            get("agent_id"),
            get("user_id"),
            get("metadata"),
            get("depends_on"),
        )

    from_record = from_dict
    from_replay = from_dict
    from_query = from_dict
    from_broadcast = from_dict


@dataclass(frozen=True, slots=True)
class TransitionResult:
    """An event, and the version of the state that was saved with it."""

    event: Event
    state_version: int


@dataclass(frozen=True, slots=True)
class ChainVerification:
    """Whether the hash chain of a channel still fits its events.

    `first_invalid_cursor` is the first event that does not fit its predecessors, None when all do.
    """

    channel_id: str
    valid: bool
    event_count: int
    head_cursor: int
    head_hash: str | None
    first_invalid_cursor: int | None
