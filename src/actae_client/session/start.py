"""Where a session begins: at nothing, where an earlier process stopped, or at a step of another one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

from actae_client._types.channels import ChannelMetadata
from actae_client._types.forks import ForkReceipt
from actae_client._types.json import Json
from actae_client.session.progress import Progress, forked_at_step

Status: TypeAlias = Literal["created", "started", "stepping", "completed", "crashed"]


@dataclass(frozen=True, slots=True)
class Lineage:
    """How a session was forked: its receipt, the cursor and step that were wanted, how state was chosen."""

    receipt: ForkReceipt
    requested_cursor: int
    boundary_mode: str
    at_step: int | None

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
            forked_at_step(stored),
        )

    @property
    def has_state(self) -> bool:
        """Whether a snapshot was copied, and meant to be."""
        return self.receipt.restorable and not self.is_to_be_empty

    @property
    def is_to_be_empty(self) -> bool:
        """Whether a state that was copied is none of the child's: it was not wanted, or is from beyond."""
        return self.boundary_mode == "lineage_only" or self.is_beyond

    @property
    def reproducibility(self) -> str | None:
        """The server's grade; that of a state from beyond the step is not the state's."""
        return "execution_replayable" if self.is_beyond else self.receipt.reproducibility

    @property
    def is_beyond(self) -> bool:
        """Whether what was copied holds more than the wanted step; at 0, the latest was wanted."""
        return 0 < self.requested_cursor < self.receipt.resolved_cursor


class Inherited(NamedTuple):
    """The state that a session starts from, where it was saved, and after which step if that is known."""

    state: Json
    cursor: int
    step: int | None


@dataclass(frozen=True, slots=True)
class Start:
    """What a session knows before it is entered."""

    status: Status = "created"
    progress: Progress = field(default_factory=Progress)
    inherited: Inherited | None = None
    lineage: Lineage | None = None
    params: dict[str, Json] | None = None  # those that are stored, where they count and not the given ones
    intervention: dict[str, Json] | None = None

    @property
    def is_elsewhere(self) -> bool:
        """Whether it was read from a channel, and may be out of date by now."""
        return self.lineage is not None or self.status != "created"
