"""Operations of the ledger, and the answers to a claim.

The four answers share the attributes `status`, `execution`, `result` and `claim_token`, so both
`match claim: case Replayed(result=result)` and `if claim.status == "replayed"` narrow the type.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from actae_client._types.guards import SimilarCall
from actae_client._types.json import Json


@dataclass(frozen=True, slots=True)
class LateEvidence:
    """What a worker reported after the operation had passed to another one, or had ended.

    `says` is `completed` or `failed`, `value` the result or the error that was reported.
    """

    says: str
    cursor: int
    event_id: str
    recorded_at: str
    value: Json

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> LateEvidence:
        """Read a report as the server writes it."""
        return cls(data["says"], data["cursor"], data["event_id"], data["recorded_at"], data["value"])


@dataclass(frozen=True, slots=True)
class ExecutionInfo:
    """One operation of the ledger.

    `status` is `running`, `completed`, `failed`, `interrupted`, `cancelled`, `expired` or
    `ambiguous`: its owner was lost or gave up, and nobody knows whether the tool took effect.
    `attempts` grows by one each time the operation is handed out. Moments are RFC 3339.
    `on_lapse` is `ambiguous` where the owner asked for that, `expires_at` when the key's time ends.
    `late_evidence` is filled by `get_execution`.
    """

    id: str
    channel_id: str
    key_name: str
    tool_name: str
    status: str
    attempts: int
    lease_until: str | None
    started_cursor: int | None
    completed_cursor: int | None
    started_event_id: str | None
    completed_event_id: str | None
    replay_emitted: bool
    params: Json
    result: Json
    error: Json
    created_at: str
    updated_at: str
    completed_at: str | None = None
    on_lapse: str | None = None
    expires_at: str | None = None
    late_evidence: tuple[LateEvidence, ...] = ()

    @classmethod
    def from_dict(
        cls, data: Mapping[str, Any], late_evidence: Sequence[Mapping[str, Any]] = ()
    ) -> ExecutionInfo:
        """Read an operation as the server writes it; keys that are not known are ignored."""
        get = data.get
        return cls(
            data["id"],
            data["channel_id"],
            data["key_name"],
            data["tool_name"],
            data["status"],
            data["attempts"],
            get("lease_until"),
            get("started_cursor"),
            get("completed_cursor"),
            get("started_event_id"),
            get("completed_event_id"),
            get("replay_emitted", False),
            get("params"),
            get("result"),
            get("error"),
            data["created_at"],
            data["updated_at"],
            get("completed_at"),
            get("on_lapse"),
            get("expires_at"),
            tuple(map(LateEvidence.from_dict, late_evidence)),
        )


@dataclass(frozen=True, slots=True)
class Claimed:
    """The operation is new, and the caller owns it: run the tool, then complete with the token.

    `warnings` names operations that a guard takes for the same one.
    """

    execution: ExecutionInfo
    claim_token: str
    warnings: tuple[SimilarCall, ...] = ()
    result: None = field(default=None, init=False)
    status: Literal["claimed"] = field(default="claimed", init=False)


@dataclass(frozen=True, slots=True)
class Reclaimed:
    """The caller took over an attempt that ended or was given up: run the tool, then complete.

    `unapplied` says that the operation is known to have had no effect so far: somebody has resolved it
    so, and no worker has reported a result since; or its first owner was lost before it marked the
    call. Otherwise nobody knows.
    """

    execution: ExecutionInfo
    claim_token: str
    unapplied: bool = False
    warnings: tuple[SimilarCall, ...] = ()
    result: None = field(default=None, init=False)
    status: Literal["reclaimed"] = field(default="reclaimed", init=False)


@dataclass(frozen=True, slots=True)
class Replayed:
    """The operation has ended before; `result` is what it returned. Do not run the tool.

    Who claims with `on_failure="replay"` also gets what failed: then `error` is the error as it was
    recorded, an object with `message`, `error_type` and `stack`. Otherwise `error` is None.
    """

    execution: ExecutionInfo
    result: Json
    error: Json = None
    claim_token: None = field(default=None, init=False)
    status: Literal["replayed"] = field(default="replayed", init=False)


@dataclass(frozen=True, slots=True)
class InProgress:
    """Somebody else holds the operation until `execution.lease_until`. Do not run the tool."""

    execution: ExecutionInfo
    claim_token: None = field(default=None, init=False)
    result: None = field(default=None, init=False)
    status: Literal["in_progress"] = field(default="in_progress", init=False)


OnLapse: TypeAlias = Literal["reclaim", "ambiguous"]
"""What a lapsed lease means: the next claimer runs the tool, or nobody does before it is resolved."""

OnFailure: TypeAlias = Literal["reclaim", "replay"]
"""What a recorded failure means to a claimer: run the tool again, or get the same error."""

Resolution: TypeAlias = Literal["applied", "not_applied", "unknown"]
"""What somebody found out about an operation whose outcome nobody knew."""

Owned: TypeAlias = Claimed | Reclaimed
"""The answers that make the caller the owner; only they carry a token."""

ExecutionClaim: TypeAlias = Claimed | Reclaimed | Replayed | InProgress
"""The answer to a claim."""
