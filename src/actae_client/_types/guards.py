"""Guards, as the server lists them, and what they say beside a claim."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any


@dataclass(frozen=True, slots=True)
class BudgetUse:
    """What is used of a budget in its present window: by one channel, or (None) by all that share it."""

    channel_id: str | None
    used: Decimal
    window_started_at: str
    window_ends_at: str | None

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> BudgetUse:
        """Read a use as the server writes it."""
        return cls(
            data["channel_id"],
            decimal_of(data["used"]),
            data["window_started_at"],
            data.get("window_ends_at"),
        )


@dataclass(frozen=True, slots=True)
class Guard:
    """One guard: a `freeze`, a `budget`, or what happens to a `near_duplicate`.

    A tool or a pattern that is None stands for all. What does not belong to the kind is None.
    Moments are RFC 3339.
    """

    guard_id: str
    kind: str
    tool_name: str | None
    channel_pattern: str | None
    created_by: str
    created_at: str
    reason: str | None = None
    limit: Decimal | None = None
    field: str | None = None
    window_seconds: int | None = None
    per_channel: bool | None = None
    uses: tuple[BudgetUse, ...] = ()
    action: str | None = None
    across_channels: bool | None = None

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Guard:
        """Read a guard as the server writes it; keys that are not known are ignored."""
        get = data.get
        limit = get("limit")
        return cls(
            data["guard_id"],
            data["kind"],
            get("tool_name"),
            get("channel_pattern"),
            data["created_by"],
            data["created_at"],
            get("reason"),
            None if limit is None else decimal_of(limit),
            get("field"),
            get("window_seconds"),
            get("per_channel"),
            tuple(BudgetUse.from_dict(each) for each in get("uses") or ()),
            get("action"),
            get("across_channels"),
        )


@dataclass(frozen=True, slots=True)
class SimilarCall:
    """A warning beside a claim: the same call was claimed under another key not long ago.

    Of an operation on a channel that the key may not read, only the guard is told.
    """

    code: str
    guard_id: str
    execution_id: str | None
    other_key_name: str | None
    execution_status: str | None
    claimed_at: str | None

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> SimilarCall:
        """Read a warning as the server writes it; keys that are not known are ignored."""
        get = data.get
        return cls(
            data["code"],
            data["guard_id"],
            get("execution_id"),
            get("other_key_name"),
            get("execution_status"),
            get("claimed_at"),
        )


def decimal_of(number: float) -> Decimal:
    """The decimal that a JSON number was written as."""
    return Decimal(str(number))
