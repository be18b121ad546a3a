"""What a caller asks for: one tool call under one key, and on which terms."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, get_args

from actae_client._lease import default_heartbeat_interval
from actae_client._types.executions import OnFailure, OnLapse
from actae_client._types.json import Json
from actae_client.approvals import field_names
from actae_client.tools.verdicts import Probe

OnCancel = Literal["cancel", "hold", "ambiguous"]

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
    on_lapse: OnLapse
    mark_dispatched: bool
    ambiguous_on: tuple[type[BaseException], ...]
    on_failure: OnFailure
    ttl_seconds: int | None
    reconcile: Probe | None


class EffectOptions(EffectTerms, total=False):
    """The options of one tool call."""

    cancellation_event: asyncio.Event | None
    approval: str | None
    ask: str | None


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
    ask: str | None = None
    on_cancel: OnCancel | None = None
    wait_seconds: float = 0.0
    completion_timeout: float = COMPLETION_TIMEOUT_SECONDS
    on_lapse: OnLapse = "reclaim"
    mark_dispatched: bool = True
    ambiguous_on: tuple[type[BaseException], ...] = ()
    on_failure: OnFailure = "reclaim"
    ttl_seconds: int | None = None
    reconcile: Probe | None = None

    @classmethod
    def of(cls, options: EffectTerms) -> Terms:
        """Those of an effect; the TypeError for an option that is not there names it."""
        unknown = [name for name in options if name not in cls.__dataclass_fields__]
        if unknown:
            names = ", ".join(cls.__dataclass_fields__)
            raise TypeError(f"there is no option {unknown[0]!r} of an effect; there are {names}")
        return cls(**options)

    def __post_init__(self) -> None:
        self._check_lease()
        self._check_outcomes()
        if self.approval is not None and not isinstance(self.approval, str):
            raise TypeError("approval must be the question that a person is asked, a str")
        if self.approval_fields is not None:
            field_names("approval_fields", self.approval_fields)
        for name in ("mark_dispatched", "emit_replay_event"):
            if not isinstance(value := getattr(self, name), bool):
                raise TypeError(f"{name} must be a bool, not {type(value).__name__}")
        _number_of_seconds("wait_seconds", self.wait_seconds)
        _number_of_seconds("completion_timeout", self.completion_timeout)
        if self.wait_seconds < 0 or self.completion_timeout <= 0:
            raise ValueError("wait_seconds must not be negative, and completion_timeout must be positive")

    def _check_lease(self) -> None:
        if not isinstance(self.lease_seconds, int) or isinstance(self.lease_seconds, bool):
            raise TypeError("lease_seconds must be an int")
        if not 1 <= self.lease_seconds <= LEASE_SECONDS_MAX:
            raise ValueError(f"lease_seconds is {self.lease_seconds}; it must be 1 to {LEASE_SECONDS_MAX}")
        _number_of_seconds("heartbeat_interval", self.interval)
        if not 0 < self.interval < self.lease_seconds:
            raise ValueError("heartbeat_interval must be more than 0 and less than lease_seconds")

    def _check_outcomes(self) -> None:
        _one_of("on_lapse", self.on_lapse, OnLapse)
        _one_of("on_failure", self.on_failure, OnFailure)
        if self.on_cancel is not None:
            _one_of("on_cancel", self.on_cancel, OnCancel)
        if self.ttl_seconds is not None and (type(self.ttl_seconds) is not int or self.ttl_seconds < 1):
            raise ValueError(f"ttl_seconds is {self.ttl_seconds!r}; it must be an int of at least 1")
        if not isinstance(self.ambiguous_on, tuple) or not all(map(_is_exception_class, self.ambiguous_on)):
            raise TypeError("ambiguous_on must be a tuple of exception classes")
        if self.ambiguous_on and self.on_lapse != "ambiguous":
            # Who cannot tell after a time-out cannot tell after a crash.
            raise ValueError("ambiguous_on needs on_lapse='ambiguous'")
        if self.reconcile is not None and not callable(self.reconcile):
            raise TypeError(f"reconcile must be a function, not {type(self.reconcile).__name__}")
        if self.ask is not None and not isinstance(self.ask, str):
            raise TypeError("ask must be the question that a person is asked, a str")

    @property
    def dispatches(self) -> bool:
        """Whether the ledger is told just before the tool is called."""
        return self.on_lapse == "ambiguous" and self.mark_dispatched

    @property
    def when_cancelled(self) -> OnCancel:
        """What becomes of the key when the tool was cut off."""
        if self.on_cancel is None:
            return "ambiguous" if self.on_lapse == "ambiguous" else "cancel"
        return self.on_cancel

    def leaves_open(self, error: BaseException) -> bool:
        """Whether the tool may have had its effect though it raised this."""
        if isinstance(error, BaseExceptionGroup) and not isinstance(error, self.ambiguous_on):
            return any(map(self.leaves_open, error.exceptions))
        return isinstance(error, self.ambiguous_on)

    @property
    def interval(self) -> float:
        """Seconds between heartbeats."""
        if self.heartbeat_interval is None:
            return default_heartbeat_interval(self.lease_seconds)
        return self.heartbeat_interval


def _one_of(name: str, value: object, choices: Any) -> None:
    if value not in get_args(choices):
        raise ValueError(f"{name} is {value!r}; it must be {' or '.join(map(repr, get_args(choices)))}")


def _number_of_seconds(name: str, value: object) -> None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise TypeError(f"{name} must be a number of seconds, not {type(value).__name__}")


def _is_exception_class(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseException)


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
