"""A fork before it is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from actae_client._calls.arguments import require
from actae_client._calls.channel_ids import validate_id
from actae_client._calls.policies import check_policies
from actae_client._types.forks import ToolPolicy
from actae_client._types.json import Json
from actae_client.errors import SessionError

BoundaryMode: TypeAlias = Literal["exact", "approximate", "lineage_only"]
"""What a fork does about the state at its step.

`exact`: the newest snapshot at or before the step is copied, and without one there is no fork.
`approximate`: without one the fork is made all the same, and has no state: what was saved after the step
is none of it.
`lineage_only`: the fork has its source's steps and effects behind it, but no state.
"""


@dataclass(frozen=True, slots=True)
class ForkOrder:
    """Where a session is forked, and what the child is given.

    Raises TypeError, ValueError and SessionError for what cannot be forked, before anything is made.
    """

    source: str
    at_step: int
    name: str
    boundary_mode: BoundaryMode
    params: dict[str, Json]
    display_name: str | None
    reason: str | None
    manifest: dict[str, Json] | None
    intervention: dict[str, Json] | None
    tool_policies: Mapping[str, ToolPolicy] | None
    forked_from_channel: str | None = None

    def __post_init__(self) -> None:
        validate_id("channel_id", self.source)
        validate_id("name", self.name)
        require("fork_at_step", self.at_step, int)
        require("params", self.params, dict)
        require("display_name", self.display_name, str, or_none=True)
        require("reason", self.reason, str, or_none=True)
        require("manifest", self.manifest, dict, or_none=True)
        require("intervention", self.intervention, dict, or_none=True)
        if self.tool_policies is not None:
            check_policies(self.tool_policies)
        if self.boundary_mode not in get_args(BoundaryMode):
            raise SessionError(
                f"boundary_mode is {self.boundary_mode!r}; it must be one of {get_args(BoundaryMode)}"
            )
        if self.at_step < 1:
            raise SessionError(f"steps are counted from 1; there is no step {self.at_step}")

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
