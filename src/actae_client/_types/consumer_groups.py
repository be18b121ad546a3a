"""Consumer groups: several workers that share the events of one channel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from actae_client._types.events import Event


@dataclass(frozen=True, slots=True)
class GroupInfo:
    """A consumer group.

    Every event up to `watermark` is done, and `latest_cursor` is the channel's newest event; both are
    None from servers that do not tell.
    """

    group_id: str
    channel_id: str
    created_at: str
    metadata: dict[str, Any] | None = None
    watermark: int | None = None
    latest_cursor: int | None = None

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> GroupInfo:
        """Read a group as the server writes it; keys that are not known are ignored."""
        get = data.get
        return cls(
            data["group_id"],
            data["channel_id"],
            data["created_at"],
            get("metadata"),
            get("watermark"),
            get("latest_cursor"),
        )


@dataclass(frozen=True, slots=True)
class GroupOffset:
    """Where a consumer stands: the highest cursor that it acknowledged, and the highest in its hands.

    With nothing in its hands the two are the same. `group_created_at` is told to one that joins: a group that
    was deleted and made anew has another. It and `lease_until` are None from servers that do not tell.
    """

    group_id: str
    consumer_id: str
    last_cursor: int
    claimed_cursor: int
    updated_at: str
    lease_until: str | None = None
    group_created_at: str | None = None

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> GroupOffset:
        """Read an offset as the server writes it; keys that are not known are ignored."""
        return cls(
            data["group_id"],
            data["consumer_id"],
            data["last_cursor"],
            data["claimed_cursor"],
            data["updated_at"],
            data.get("lease_until"),
            data.get("group_created_at"),
        )


@dataclass(frozen=True, slots=True)
class ClaimedWork:
    """Events in a consumer's hands until its lease ends, ascending; none where there is nothing to do.

    `is_finished` says that there will be none: all is done, and the channel is closed. Only a resolution, or
    a worker that reports after its lease, can still bring one. False from servers that do not tell.
    """

    group_id: str
    consumer_id: str
    lease_until: str
    events: list[Event] = field(default_factory=list)
    is_finished: bool = False

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ClaimedWork:
        """Read a batch as the server writes it; keys that are not known are ignored."""
        events = [Event.from_dict(event) for event in data["events"]]
        return cls(
            data["group_id"], data["consumer_id"], data["lease_until"], events, data.get("is_finished", False)
        )
