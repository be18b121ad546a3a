"""Retention: how long channels are kept, what went, and what takes room."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """How long the channels of a pattern are kept after their end; `keep_for_seconds` None is for ever."""

    pattern: str
    keep_for_seconds: int | None
    set_by: str = ""
    set_at: str = ""


@dataclass(frozen=True, slots=True)
class RemovedChannel:
    """A channel that went, or would go, and the pattern of the policy that says so."""

    channel_id: str
    pattern: str
    ended_at: str
    idle_since: str
    event_count: int


@dataclass(frozen=True, slots=True)
class RetentionRun:
    """What a run removed, or what a dry one would remove, in this order.

    `kept` counts the channels that were passed although their time is over, by what keeps them whole: a
    `fork` that is still there, an `operation` under a live lease or ambiguous, a pending `wakeup`, an open
    `question`, an `owner` or consumer with a live lease; or it was `busy`, or `failed`. With `has_more`,
    another run would go on.
    """

    is_dry: bool
    removed: list[RemovedChannel]
    kept: dict[str, int]
    has_more: bool


@dataclass(frozen=True, slots=True)
class TableSize:
    """A table; `rows_estimate` is None until PostgreSQL has one."""

    name: str
    rows_estimate: int | None
    table_bytes: int
    index_bytes: int


@dataclass(frozen=True, slots=True)
class ChannelSize:
    """A channel, and about how many bytes its events and snapshots take."""

    channel_id: str
    bytes_estimate: int
    event_count: int
    state_count: int
    lifecycle: str
    active_at: str


@dataclass(frozen=True, slots=True)
class StorageReport:
    """The database, its tables and its largest channels, the largest first.

    `sampled_share` of the pages were looked at to find the channels; at 1.0 nothing is estimated.
    """

    database_bytes: int
    tables: list[TableSize]
    channels: list[ChannelSize]
    sampled_share: float


def policy_of(data: Mapping[str, Any]) -> RetentionPolicy:
    """Read a policy as the server writes it."""
    return _known(RetentionPolicy, data)


def run_of(data: Mapping[str, Any]) -> RetentionRun:
    """Read what a run did."""
    went = [_known(RemovedChannel, each) for each in data["removed"]]
    return RetentionRun(data["is_dry"], went, dict(data["kept"]), data["has_more"])


def storage_of(data: Mapping[str, Any]) -> StorageReport:
    """Read the sizes."""
    return StorageReport(
        data["database_bytes"],
        [_known(TableSize, each) for each in data["tables"]],
        [_known(ChannelSize, each) for each in data["channels"]],
        data["sampled_share"],
    )


def _known(kind: type[T], data: Mapping[str, Any]) -> T:
    names = [field.name for field in fields(kind)]  # type: ignore[arg-type]  # each is a dataclass
    return kind(**{name: data[name] for name in names if name in data})
