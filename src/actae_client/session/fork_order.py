"""A fork before it is made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from actae_client._calls.channel_ids import validate_channel_id
from actae_client._types.json import Json
from actae_client.errors import SessionError

BoundaryMode: TypeAlias = Literal["exact", "approximate", "lineage_only"]
"""What a fork does about the state at its step.

`exact`: the newest snapshot at or before the step is copied, and without one there is no fork.
`approximate`: without one the fork is made all the same, from whatever the latest state is; a state
from beyond the step is never presented as that of the step.
`lineage_only`: the fork has its source's steps and effects behind it, but no state.
"""


@dataclass(frozen=True, slots=True)
class ForkOrder:
    """Where a session is forked, and what the child is given."""

    source: str
    at_step: int
    name: str
    boundary_mode: BoundaryMode
    params: dict[str, Json]
    display_name: str | None
    reason: str | None
    manifest: dict[str, Json] | None
    intervention: dict[str, Json] | None
    tool_policies: dict[str, str] | None
    forked_from_channel: str | None = None

    def check(self) -> None:
        """Refuse what cannot be forked. Raises SessionError, and ValueError for a bad name."""
        if self.boundary_mode not in get_args(BoundaryMode):
            raise SessionError(
                f"boundary_mode is {self.boundary_mode!r}; it must be one of {get_args(BoundaryMode)}"
            )
        if self.at_step < 1:
            raise SessionError(f"steps are counted from 1; there is no step {self.at_step}")
        validate_channel_id(self.name)

    def described(self, cursor: int) -> dict[str, Any]:
        """The metadata of the child. The server reads `forked_at_step` from it."""
        described: dict[str, Any] = {
            "session_name": self.name,
            "params": self.params,
            "forked_from": self.source,
            "forked_at_step": self.at_step,
            "forked_at_cursor": cursor,
            "boundary_mode": self.boundary_mode,
            "status": "created",
        }
        if self.forked_from_channel is not None:
            described["forked_from_channel"] = self.forked_from_channel
        if self.intervention is not None:
            described["intervention"] = self.intervention
        return described
