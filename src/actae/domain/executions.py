"""The ledger: its rows, the asks that change them, and what callers get to see.

            claim                    complete
(none) ───────────► running ───────────────────► completed ── claim ─► replayed
                     │  ▲  │ fail ─► failed ──┐
             cancel ─┤  │  │ lapse, reclaim ──┤ claim ─► reclaimed (new token, attempts + 1)
                     ▼  │  └──────────────────┘
                cancelled ────────────────────┘
"""

from collections.abc import Callable
from datetime import datetime
from hashlib import sha256
from typing import Final, Literal, NamedTuple

import msgspec

Status = Literal["running", "completed", "failed", "interrupted", "cancelled", "expired", "ambiguous"]

# What a lapse means: that nobody knows whether the tool ran, or that only once its call was announced. None
# lets the next claimer have the operation.
OnLapse = Literal["ambiguous", "after_dispatch"]

NULL = msgspec.Raw(b"null")

# The digest of no token: a resolution has fenced out whoever held the operation.
NOBODY: Final = b"\0" * 16


def digest_key(key_name: str) -> str:
    """The 128 bits under which a key is stored, as 32 hex digits."""
    return sha256(key_name.encode()).hexdigest()[:32]


def execution_id(channel_id: str, key_digest: str) -> str:
    """The public id: it names its channel, so a call that has only the id knows where to go."""
    return f"{channel_id}~{key_digest}"


class ExecutionRow(msgspec.Struct, frozen=True):
    """One row of the ledger, and the payloads of the two events it points at."""

    channel_id: str
    key_digest: str
    key_name: str
    tool_name: str
    fingerprint: bytes
    status: Status
    attempts: int
    token_digest: bytes
    lease_seconds: int
    lease_until: datetime | None
    started_cursor: int | None
    started_event_id: str | None
    completed_cursor: int | None
    completed_event_id: str | None
    replay_emitted: bool
    created_at: datetime
    updated_at: datetime
    completed_at: datetime | None
    actor: str = "system"
    started_payload: bytes | None = None
    completed_payload: bytes | None = None
    on_lapse: OnLapse | None = None
    expires_at: datetime | None = None

    @property
    def id(self) -> str:
        """The public id."""
        return execution_id(self.channel_id, self.key_digest)

    def is_live(self, now: datetime) -> bool:
        """Whether somebody holds it. What was given up is held by nobody, even if the clock was set back."""
        if self.status != "running" or self.lease_until is None:
            return False
        return now < self.lease_until and not self.is_given_up

    def may_start(self, now: datetime) -> bool:
        """Whether a claim may begin another attempt."""
        return self.status != "completed" and not self.is_live(now)

    def is_ambiguous(self, now: datetime) -> bool:
        """Whether the tool may have run when its owner was lost or gave up: nobody gets it until resolved."""
        return self.status == "running" and self.on_lapse == "ambiguous" and not self.is_live(now)

    def status_at(self, now: datetime) -> Status:
        """How it stands for everybody: `ambiguous` is never stored."""
        return "ambiguous" if self.is_ambiguous(now) else self.status

    @property
    def is_resolved_as_not_applied(self) -> bool:
        """Whether somebody has said that it had no effect; that is no failure of the tool."""
        return self.status == "failed" and self.token_digest == NOBODY

    @property
    def is_known_to_be_without_effect(self) -> bool:
        """Whether it has done nothing for certain, now that nobody holds it.

        Somebody has said so, or its first owner was lost before the call that it would have marked. Of a
        later owner that says nothing: the attempts before may have had their effect.
        """
        is_unmarked = self.status == "running" and self.on_lapse == "after_dispatch" and self.attempts == 1
        return is_unmarked or self.is_resolved_as_not_applied

    @property
    def is_given_up(self) -> bool:
        """Whether its owner has said that it does not know: the lease ended at that moment."""
        return self.status == "running" and self.lease_until == self.updated_at


class Execution(msgspec.Struct, frozen=True):
    """One operation as callers see it; the claim token is never part of it."""

    id: str
    channel_id: str
    key_name: str
    tool_name: str
    status: Status
    attempts: int
    lease_until: datetime | None
    started_cursor: int | None
    completed_cursor: int | None
    started_event_id: str | None
    completed_event_id: str | None
    replay_emitted: bool
    params: msgspec.Raw
    result: msgspec.Raw
    error: msgspec.Raw
    created_at: datetime
    updated_at: datetime
    completed_at: datetime | None
    on_lapse: Literal["ambiguous"] | msgspec.UnsetType = msgspec.UNSET
    expires_at: datetime | msgspec.UnsetType = msgspec.UNSET


class Claim(msgspec.Struct, frozen=True):
    """Ask for the right to run an operation, or for its outcome.

    `attempt_id` is the caller's: who repeats a claim with it gets the same answer again. `token` is
    what this attempt will hold if it wins, derived from it for each possible number of attempts.
    """

    channel_id: str
    key_name: str
    key_digest: str
    tool_name: str
    params: bytes
    fingerprint: bytes
    lease_seconds: int
    attempt_id: str
    secret: bytes
    size: int
    dedup_fields: list[str] | None = None
    emit_replay_event: bool = False
    actor: str = "system"
    on_lapse: OnLapse | None = None
    replays_failure: bool = False
    ttl_seconds: int | None = None
    requires_approval: bool = False
    approval_request_id: str | None = None

    operation_digest: None = None


class Complete(msgspec.Struct, frozen=True):
    """Record the result."""

    channel_id: str
    key_digest: str
    claim_token: str | None
    result: bytes
    size: int

    operation_digest: None = None


class Fail(msgspec.Struct, frozen=True):
    """Record that the operation failed; `error` is a JSON object with `message`, `error_type`, `stack`."""

    channel_id: str
    key_digest: str
    claim_token: str | None
    error: bytes
    size: int
    outcome_unknown: bool = False  # the tool may have run: hand it to nobody

    operation_digest: None = None


class Dispatch(msgspec.Struct, frozen=True):
    """Say that the tool is about to be called: from now on a lapse is ambiguous."""

    channel_id: str
    key_digest: str
    claim_token: str | None
    size: int = 0

    operation_digest: None = None


class Heartbeat(msgspec.Struct, frozen=True):
    """Extend the lease."""

    channel_id: str
    key_digest: str
    claim_token: str | None
    lease_seconds: int | None = None
    size: int = 0

    operation_digest: None = None


class Cancel(msgspec.Struct, frozen=True):
    """Give the operation up without an outcome."""

    channel_id: str
    key_digest: str
    claim_token: str | None
    size: int = 0

    operation_digest: None = None


class SimilarCall(msgspec.Struct, frozen=True):
    """Another operation with the same tool and input. Who may not read its channel gets none of it."""

    code: Literal["near_duplicate"]
    guard_id: str
    execution_id: str | None
    other_key_name: str | None
    execution_status: str | None
    claimed_at: datetime | None

    @property
    def channel_id(self) -> str | None:
        """Where it is."""
        return None if self.execution_id is None else self.execution_id.rpartition("~")[0]

    def shown_to(self, knows_of: Callable[[str], bool]) -> "SimilarCall":
        """What somebody may know of it."""
        if self.channel_id is None or knows_of(self.channel_id):
            return self
        return SimilarCall(self.code, self.guard_id, None, None, None, None)


class Claimed(msgspec.Struct, frozen=True, tag_field="status", tag="claimed"):
    """The operation is new; the caller owns it and must run it. `warnings` is there if a guard has any."""

    execution: Execution
    claim_token: str
    result: None = None
    warnings: list[SimilarCall] | msgspec.UnsetType = msgspec.UNSET


class Reclaimed(msgspec.Struct, frozen=True, tag_field="status", tag="reclaimed"):
    """Taken over from an attempt that was abandoned or has ended; the caller must run it.

    `unapplied` says that the operation is known to have had no effect so far: that was resolved, and no
    worker has reported a result since; or its first owner was lost before the mark.
    """

    execution: Execution
    claim_token: str
    result: None = None
    unapplied: Literal[True] | msgspec.UnsetType = msgspec.UNSET
    warnings: list[SimilarCall] | msgspec.UnsetType = msgspec.UNSET


class Replayed(msgspec.Struct, frozen=True, tag_field="status", tag="replayed"):
    """Completed before; here is the recorded result. Do not run it.

    Who asked for it with `on_failure` also gets a recorded failure: then `execution.status` is `failed`, and
    `error` is what was recorded.
    """

    execution: Execution
    result: msgspec.Raw
    claim_token: None = None
    error: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class InProgress(msgspec.Struct, frozen=True, tag_field="status", tag="in_progress"):
    """Another owner holds a live lease."""

    execution: Execution
    result: None = None
    claim_token: None = None


ClaimAnswer = Claimed | Reclaimed | Replayed | InProgress


def shown_to(answer: ClaimAnswer, knows_of: Callable[[str], bool]) -> ClaimAnswer:
    """The answer without what is on channels that the caller may not know of."""
    if not isinstance(answer, Claimed | Reclaimed) or not answer.warnings:
        return answer
    warnings = [each.shown_to(knows_of) for each in answer.warnings]
    return msgspec.structs.replace(answer, warnings=warnings)


class Settled(NamedTuple):
    """How the operation stands after complete, fail, heartbeat or cancel."""

    status: Status
    execution: Execution


def settled(row: ExecutionRow, now: datetime) -> Settled:
    """How the operation stands, as callers see it."""
    status = row.status_at(now)
    if status != row.status:
        row = msgspec.structs.replace(row, status=status)
    return Settled(status, show(row))


def show(row: ExecutionRow) -> Execution:
    """The row as callers see it."""
    outcome = NULL
    if row.completed_payload is not None:
        outcome = _last_field(row.completed_payload, _RESULT if row.status == "completed" else _ERROR)
    return Execution(
        id=execution_id(row.channel_id, row.key_digest),
        channel_id=row.channel_id,
        key_name=row.key_name,
        tool_name=row.tool_name,
        status=row.status,
        attempts=row.attempts,
        lease_until=row.lease_until,
        started_cursor=row.started_cursor,
        completed_cursor=row.completed_cursor,
        started_event_id=row.started_event_id,
        completed_event_id=row.completed_event_id,
        replay_emitted=row.replay_emitted,
        params=params_of(row),
        result=outcome if row.status == "completed" else NULL,
        error=outcome if row.status == "failed" else NULL,
        created_at=row.created_at,
        updated_at=row.updated_at,
        completed_at=row.completed_at,
        on_lapse="ambiguous" if row.on_lapse is not None else msgspec.UNSET,
        expires_at=row.expires_at if row.expires_at is not None else msgspec.UNSET,
    )


def params_of(row: ExecutionRow) -> msgspec.Raw:
    """The params of the latest attempt. The fence, which writes no events, has an empty object."""
    if row.started_payload is None:
        return msgspec.Raw(b"{}")
    return _last_field(row.started_payload, _PARAMS)


_encode = msgspec.json.Encoder().encode


def lifecycle_payload(
    execution_id: str,
    key_name: str,
    tool_name: str,
    attempt: int,
    field: str,
    value: bytes,
    *,
    extra: bytes = b"",
) -> bytes:
    """The payload of a lifecycle event. The caller's value stands last, byte for byte as it was sent."""
    return b'{"execution_id":"%b","key_name":%b,"tool_name":%b,"attempt":%d%b,"%b":%b}' % (
        execution_id.encode(),
        _encode(key_name),
        _encode(tool_name),
        attempt,
        extra,
        field.encode(),
        value,
    )


_PARAMS, _RESULT, _ERROR = b',"params":', b',"result":', b',"error":'


def _last_field(payload: bytes, mark: bytes) -> msgspec.Raw:
    """The value that `lifecycle_payload` put last, without parsing it.

    A quote inside a JSON string is escaped, so the mark cannot occur before the field itself:
    what precedes it are our own fields.
    """
    return msgspec.Raw(payload[payload.index(mark) + len(mark) : -1])
