"""Requests for approval, as the server lists them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from actae_client._types.json import Json


@dataclass(frozen=True, slots=True)
class Approval:
    """One question to a person, and how it stands: `pending`, `approved`, `rejected`, `expired`, or
    `superseded` by a later question about the same key.

    `operation` is the call that the answer counts for, None when it is bound to none. `approval_fields`
    are the fields of its params that bind; None says that all of them do, and nothing may differ. The
    cursors are those of the question and of the event that decided it. Moments are RFC 3339.
    """

    request_id: str
    channel_id: str
    status: str
    summary: Json
    details: Json
    operation: dict[str, Any] | None
    requester: str
    requested_at: str
    requested_cursor: int
    requested_event_id: str
    expires_at: str | None
    decided_by: str | None
    decided_at: str | None
    decided_cursor: int | None
    reason: Json
    approval_fields: list[str] | None = None

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Approval:
        """Read a request as the server writes it; keys that are not known are ignored."""
        get = data.get
        return cls(
            data["request_id"],
            data["channel_id"],
            data["status"],
            get("summary"),
            get("details"),
            get("operation"),
            data["requester"],
            data["requested_at"],
            data["requested_cursor"],
            data["requested_event_id"],
            get("expires_at"),
            get("decided_by"),
            get("decided_at"),
            get("decided_cursor"),
            get("reason"),
            get("approval_fields"),
        )
