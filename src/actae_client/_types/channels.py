"""Channels: what they are called, where they come from, where their steps are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, NamedTuple


@dataclass(frozen=True, slots=True)
class ChannelMetadata:
    """Name, lineage and outcome of a channel. A channel that is no fork is its own origin."""

    channel_id: str
    parent_channel_id: str | None
    origin_run_id: str
    forked_at_cursor: int
    forked_at: str
    display_name: str | None = None
    reason: str | None = None
    experiment_metadata: dict[str, Any] | None = None
    requested_at_cursor: int = 0
    resolved_cursor: int = 0
    resolved_state_cursor: int = 0
    resolved_event_id: str | None = None
    source_state_version: int = 0
    source_state_sha256: str | None = None
    restorable: bool = False
    manifest: dict[str, Any] | None = None
    reproducibility: str | None = None
    tool_policies: dict[str, Any] | None = None
    outcome: str | None = None
    result_score: float | None = None
    deleted_at: str | None = None

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ChannelMetadata:
        """Read metadata as the server writes it; keys that are not known are ignored."""
        return cls(**{name: data[name] for name in _METADATA_NAMES if name in data})


_METADATA_NAMES = tuple(field.name for field in fields(ChannelMetadata))


class ResolvedStep(NamedTuple):
    """Where a step is recorded: the channel that owns it, its cursor there, and its event."""

    channel_id: str
    cursor: int
    event_id: str | None
