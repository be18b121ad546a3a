"""A channel's head: what every write must know of its channel."""

from collections.abc import Callable
from datetime import datetime
from typing import Final, Literal

import msgspec

from actae.domain.errors import (
    ActaeError,
    ChannelClosedError,
    ChannelDeletedError,
    CounterfactualBlockedError,
)

# Frozen is the channel of a member that stands still in a group fork.
Lifecycle = Literal["open", "frozen", "closed", "deleted"]

CHANNEL_ID_CHARS_MAX: Final = 256
FENCE_KEY: Final = "__session_lock__"


class Head(msgspec.Struct):
    """The newest position of one channel. Revision 0 means that the channel does not exist yet.

    Mutable: a batch advances the heads it read, ask by ask, before anything is written.
    """

    channel_id: str
    revision: int = 0
    cursor: int = 0
    chain_hash: bytes | None = None
    version: int = 0
    latest_version: int = 0
    latest_version_cursor: int | None = None
    latest_step: int = 0
    lifecycle: Lifecycle = "open"
    is_fork: bool = False
    has_approvals: bool = False

    def refusal(self) -> ActaeError | None:
        """Why the channel takes no writes, if it takes none."""
        if self.lifecycle == "open":
            return None
        return _REFUSALS[self.lifecycle](self.channel_id)

    def refusal_of_outcomes(self) -> ActaeError | None:
        """Why the channel does not even take what became of work that is under way; a closed one does."""
        return None if self.lifecycle == "closed" else self.refusal()


_REFUSALS: dict[str, Callable[[str], ActaeError]] = {
    "frozen": CounterfactualBlockedError.of_frozen,
    "closed": ChannelClosedError,
    "deleted": ChannelDeletedError,
}


class ChannelMetadata(msgspec.Struct, frozen=True):
    """What is known of a channel beside its log: a closed set of fields, all always present.

    The published SDK builds a record from exactly these keys and refuses any other.
    """

    channel_id: str
    parent_channel_id: str | None
    origin_run_id: str
    forked_at_cursor: int
    forked_at: datetime  # creation time for a root
    display_name: str | None = None
    reason: str | None = None
    experiment_metadata: msgspec.Raw | None = None
    requested_at_cursor: int = 0
    resolved_cursor: int = 0
    resolved_state_cursor: int = 0
    resolved_event_id: str | None = None
    source_state_version: int = 0
    source_state_sha256: str | None = None
    restorable: bool = False
    manifest: msgspec.Raw | None = None
    reproducibility: str | None = None
    tool_policies: msgspec.Raw | None = None
    outcome: str | None = None
    result_score: float | None = None
    deleted_at: datetime | None = None
