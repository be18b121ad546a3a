"""What somebody finds out about an attempt whose outcome nobody knew."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from actae_client._types.executions import LateEvidence
from actae_client._types.json import Json
from actae_client.tools.operation import Operation


@dataclass(frozen=True, slots=True)
class Applied:
    """The effect has happened. `result` is what the tool would have returned; it is stored as one."""

    result: object = None
    evidence: Json = None


@dataclass(frozen=True, slots=True)
class NotApplied:
    """The effect has not happened, and will not any more: the tool may be called."""

    evidence: Json = None


@dataclass(frozen=True, slots=True)
class Unknown:
    """It cannot be told; nobody calls the tool before somebody can."""

    reason: str = "the provider could not tell"
    evidence: Json = None


Verdict: TypeAlias = Applied | NotApplied | Unknown
"""What a probe answers."""


@dataclass(frozen=True, slots=True)
class UncertainOperation(Operation):
    """An operation whose latest attempt, number `attempt`, had an outcome that nobody knows.

    `idempotency_key` is the one that the tool saw. `late_evidence` is what workers reported after
    they had lost the operation.
    """

    params: Json
    late_evidence: tuple[LateEvidence, ...] = ()


Probe: TypeAlias = Callable[[UncertainOperation], Verdict | Awaitable[Verdict]]
"""Asks the provider what became of an attempt."""
