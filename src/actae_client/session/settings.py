"""How a session behaves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, get_args

from actae_client._calls.arguments import require
from actae_client.session.draft import StepIdentity

_LEASE_SECONDS_MAX = 86_400


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """What the application chose. Raises ValueError and TypeError for what cannot be."""

    display_name: str | None
    state_fn: Callable[[], Any] | None
    snapshot_interval: int
    fence_owner: str | None
    fence_lease_seconds: int
    step_identity: StepIdentity

    def as_arguments(self) -> dict[str, Any]:
        """The same, for the constructor of a session."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def __post_init__(self) -> None:
        if not (self.state_fn is None or callable(self.state_fn)):
            raise TypeError(f"state_fn must be a function, not {type(self.state_fn).__name__}")
        require("display_name", self.display_name, str, or_none=True)
        require("snapshot_interval", self.snapshot_interval, int)
        require("fence_owner", self.fence_owner, str, or_none=True)
        require("fence_lease_seconds", self.fence_lease_seconds, int)
        if self.snapshot_interval < 1:
            raise ValueError(f"snapshot_interval is {self.snapshot_interval}; it is counted in steps")
        if self.fence_owner == "":
            raise ValueError("fence_owner is empty")
        if not 1 <= self.fence_lease_seconds <= _LEASE_SECONDS_MAX:
            raise ValueError(
                f"fence_lease_seconds is {self.fence_lease_seconds}; it must lie between 1 and "
                f"{_LEASE_SECONDS_MAX}"
            )
        if self.step_identity not in get_args(StepIdentity):
            raise ValueError(
                f"step_identity is {self.step_identity!r}; it must be one of {get_args(StepIdentity)}"
            )
