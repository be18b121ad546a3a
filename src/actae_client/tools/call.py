"""What a caller asks for: one tool call under one key, and on which terms."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict

from actae_client._lease import default_heartbeat_interval
from actae_client._types.json import Json
from actae_client.approvals import field_names

OnCancel = Literal["cancel", "hold"]

LEASE_SECONDS_MAX = 86_400
COMPLETION_TIMEOUT_SECONDS = 120.0


class EffectTerms(TypedDict, total=False):
    """How a tool is run; `ActaeToolExecutor.execute` says what each of these does."""

    dedup_fields: Sequence[str] | None
    approval_fields: Sequence[str] | None
    lease_seconds: int
    heartbeat_interval: float | None
    emit_replay_event: bool
    on_cancel: OnCancel
    wait_seconds: float
    completion_timeout: float


class EffectOptions(EffectTerms, total=False):
    """The options of one tool call."""

    cancellation_event: asyncio.Event | None
    approval: str | None


@dataclass(frozen=True, kw_only=True)
class Terms:
    """The options of a tool call, checked. Raises ValueError and TypeError for bad ones."""

    dedup_fields: Sequence[str] | None = None
    approval_fields: Sequence[str] | None = None
    lease_seconds: int = 60
    heartbeat_interval: float | None = None
    emit_replay_event: bool = True
    cancellation_event: asyncio.Event | None = None
    approval: str | None = None
    on_cancel: OnCancel = "cancel"
    wait_seconds: float = 0.0
    completion_timeout: float = COMPLETION_TIMEOUT_SECONDS

    def __post_init__(self) -> None:
        if not isinstance(self.lease_seconds, int) or isinstance(self.lease_seconds, bool):
            raise TypeError("lease_seconds must be an int")
        if not 1 <= self.lease_seconds <= LEASE_SECONDS_MAX:
            raise ValueError(f"lease_seconds is {self.lease_seconds}; it must be 1 to {LEASE_SECONDS_MAX}")
        if not 0 < self.interval < self.lease_seconds:
            raise ValueError("heartbeat_interval must be more than 0 and less than lease_seconds")
        if self.on_cancel not in ("cancel", "hold"):
            raise ValueError(f"on_cancel is {self.on_cancel!r}; it must be 'cancel' or 'hold'")
        if self.approval is not None and not isinstance(self.approval, str):
            raise TypeError("approval must be the question that a person is asked, a str")
        if self.approval_fields is not None:
            field_names("approval_fields", self.approval_fields)
        if self.wait_seconds < 0 or self.completion_timeout <= 0:
            raise ValueError("wait_seconds must not be negative, and completion_timeout must be positive")

    @property
    def interval(self) -> float:
        """Seconds between heartbeats."""
        if self.heartbeat_interval is None:
            return default_heartbeat_interval(self.lease_seconds)
        return self.heartbeat_interval


@dataclass(frozen=True, kw_only=True)
class ToolCall:
    """One call of a tool: where, under which key, with what, and on which terms."""

    channel_id: str
    key_name: str
    tool_name: str
    params: Json
    actor: str
    terms: Terms

    def __post_init__(self) -> None:
        for name in ("channel_id", "key_name", "tool_name", "actor"):
            value = getattr(self, name)
            if not isinstance(value, str):
                raise TypeError(f"{name} must be a str, not {type(value).__name__}")
            if not value:
                raise ValueError(f"{name} must not be empty")
