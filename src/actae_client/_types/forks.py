"""Forks: what was made from what, and the tree that they form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from actae_client._types.channels import ChannelMetadata

ToolPolicy: TypeAlias = Literal["auto", "replay", "block", "live"]
"""What a tool of a fork may do: `auto` replays what is inherited and runs the rest, `replay` refuses the
rest, `block` refuses everything, `live` runs everything."""


@dataclass(frozen=True, slots=True)
class ForkReceipt:
    """That a channel was forked, and exactly where. It never changes.

    `requested_cursor` is what was asked for, 0 being the latest state; `resolved_cursor` is the
    cursor of the snapshot that was copied, both in the numbering of the source. Without a
    snapshot, `restorable` is False and `source_state_version` 0. `reproducibility` is
    `state_exact`, `context_exact`, `execution_replayable` or `best_effort`. `replayed` says that
    the fork had been made before.
    """

    fork_id: str
    source_channel_id: str | None
    child_channel_id: str
    requested_cursor: int
    resolved_cursor: int
    resolved_event_id: str | None
    source_state_version: int
    source_state_sha256: str | None
    restorable: bool
    replayed: bool
    manifest: dict[str, Any] | None = None
    reproducibility: str | None = None
    tool_policies: dict[str, Any] | None = None

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ForkReceipt:
        """Read a receipt as the server writes it; the names of channel metadata are understood too."""
        get = data.get
        return cls(
            fork_id=_first(data, "fork_id", "channel_id"),
            source_channel_id=get("source_channel_id"),
            child_channel_id=_first(data, "child_channel_id", "channel_id"),
            requested_cursor=_first(data, "requested_cursor", "requested_at_cursor", otherwise=0),
            resolved_cursor=_first(data, "resolved_cursor", "resolved_state_cursor", otherwise=0),
            resolved_event_id=get("resolved_event_id"),
            source_state_version=get("source_state_version", 0),
            source_state_sha256=get("source_state_sha256"),
            restorable=get("restorable", False),
            replayed=get("replayed", False),
            manifest=get("manifest"),
            reproducibility=get("reproducibility"),
            tool_policies=get("tool_policies"),
        )

    @classmethod
    def from_metadata(cls, metadata: ChannelMetadata) -> ForkReceipt:
        """The receipt that the metadata of a fork holds."""
        return cls(
            fork_id=metadata.channel_id,
            source_channel_id=metadata.parent_channel_id,
            child_channel_id=metadata.channel_id,
            requested_cursor=metadata.requested_at_cursor,
            resolved_cursor=metadata.resolved_cursor or metadata.resolved_state_cursor,
            resolved_event_id=metadata.resolved_event_id,
            source_state_version=metadata.source_state_version,
            source_state_sha256=metadata.source_state_sha256,
            restorable=metadata.restorable,
            replayed=False,
            manifest=metadata.manifest,
            reproducibility=metadata.reproducibility,
            tool_policies=metadata.tool_policies,
        )


_MISSING: Any = object()


def _first(data: Mapping[str, Any], *names: str, otherwise: Any = _MISSING) -> Any:
    for name in names:
        if name in data:
            return data[name]
    if otherwise is _MISSING:
        raise KeyError(names[-1])
    return otherwise


@dataclass(frozen=True, slots=True)
class ForkInfo:
    """One channel of a fork tree, and the channels that were forked from it.

    `forked_at_cursor` is 0 at the root of the tree; `latest_cursor` is None for a channel without
    events.
    """

    channel_id: str
    display_name: str | None
    reason: str | None
    forked_at_cursor: int
    event_count: int
    latest_cursor: int | None
    children: list[ForkInfo] = field(default_factory=list)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ForkInfo:
        """Read a node and all below it; keys that are not known are ignored."""
        return cls(
            channel_id=data["channel_id"],
            display_name=data.get("display_name"),
            reason=data.get("reason"),
            forked_at_cursor=data["forked_at_cursor"],
            event_count=data["event_count"],
            latest_cursor=data.get("latest_cursor"),
            children=[cls.from_dict(child) for child in data.get("children") or ()],
        )
