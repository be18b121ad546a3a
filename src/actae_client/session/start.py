"""Where a session begins: at nothing, where an earlier process stopped, or at a step of another one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from actae_client._types.channels import ChannelMetadata
from actae_client._types.forks import ForkReceipt
from actae_client._types.json import Json
from actae_client._types.states import LatestState
from actae_client.session.progress import Progress

Status: TypeAlias = Literal["created", "started", "stepping", "completed", "crashed"]


@dataclass(frozen=True, slots=True)
class Lineage:
    """How a session was forked: its receipt, the cursor that was wanted, and how state was chosen."""

    receipt: ForkReceipt
    requested_cursor: int
    boundary_mode: str = "exact"

    @classmethod
    def of(cls, metadata: ChannelMetadata) -> Lineage | None:
        """What the metadata of a channel says about it, None if it is no fork."""
        if metadata.parent_channel_id is None:
            return None
        stored: Mapping[str, Any] = metadata.experiment_metadata or {}
        wanted = stored.get("forked_at_cursor")
        return cls(
            ForkReceipt.from_metadata(metadata),
            wanted if isinstance(wanted, int) else metadata.requested_at_cursor,
            str(stored.get("boundary_mode", "exact")),
        )

    @property
    def has_state(self) -> bool:
        """Whether a snapshot was copied, and meant to be."""
        return self.receipt.restorable and self.boundary_mode != "lineage_only"

    @property
    def is_beyond(self) -> bool:
        """Whether what was copied holds more than the wanted step; at 0, the latest was wanted."""
        return 0 < self.requested_cursor < self.receipt.resolved_cursor


@dataclass(frozen=True, slots=True)
class Start:
    """What a session knows before it is entered."""

    status: Status = "created"
    progress: Progress = field(default_factory=Progress)
    inherited: LatestState | None = None
    lineage: Lineage | None = None
    intervention: dict[str, Json] | None = None
