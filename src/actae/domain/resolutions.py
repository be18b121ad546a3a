"""What somebody says about an operation whose outcome nobody knew, and what becomes of it.

| says | the operation |
|---|---|
| applied | completed with the result that is given; it replays from now on |
| not_applied | failed; the next claim gets it |
| unknown | stays as it is; who looked, and what they found, is in the log |

Whoever held it is fenced out by a resolution that settles it: a late report is kept as evidence. A result
that is reported after `not_applied` contradicts it, and then the same has to be said anew to hold.
"""

from typing import Final, Literal

import msgspec

from actae.domain.answers import Refused
from actae.domain.channels import FENCE_KEY, Head
from actae.domain.errors import (
    ExecutionNotFoundError,
    ExecutionTerminalError,
    IdempotencyConflictError,
)
from actae.domain.executions import (
    NOBODY,
    ExecutionRow,
    Settled,
    execution_id,
    lifecycle_payload,
    settled,
    show,
)
from actae.domain.identity import Identity
from actae.domain.late_evidence import contradiction
from actae.domain.outcome_errors import ExecutionInProgressError, ExecutionMovedOnError
from actae.domain.view import View

Outcome = Literal["applied", "not_applied", "unknown"]

RESOLVED: Final = "tool.resolved"


class Resolve(msgspec.Struct, frozen=True):
    """Say what happened. `evidence` is any JSON; `by` is a name for people."""

    channel_id: str
    key_digest: str
    outcome: Outcome
    result: bytes
    by: str
    reason: str | None
    evidence: bytes
    size: int
    identity: Identity | None = None
    attempts: int | None = None  # the attempt that was looked at

    @property
    def operation_digest(self) -> str | None:
        """What the batch looks up to recognise a repetition."""
        return None if self.identity is None else self.identity.operation_digest


def decide_resolve(view: View, ask: Resolve) -> Settled | Refused:
    """A repetition changes nothing; a live owner is not robbed; what is completed stays so.

    Who names the attempt speaks about no other one, which may have begun since they looked.
    """
    row = view.execution(ask.channel_id, ask.key_digest)
    if row is None or row.key_name == FENCE_KEY:
        return Refused(ExecutionNotFoundError(execution_id(ask.channel_id, ask.key_digest)))
    if ask.identity is not None:
        known = view.operation(ask.channel_id, ask.identity.operation_digest)
        if known is not None and known.content_digest != ask.identity.content_digest:
            return Refused(IdempotencyConflictError(ask.identity.operation_id))
        if known is not None:
            return settled(row, view.now)
    if _says_what_is_known(view, row, ask):
        return settled(row, view.now)
    head = view.head(ask.channel_id)
    if head.lifecycle == "deleted":
        refusal = head.refusal()
        assert refusal is not None, "a deleted channel refuses"
        return Refused(refusal)
    if ask.attempts is not None and ask.attempts != row.attempts:
        return Refused(ExecutionMovedOnError(row.id, attempts=row.attempts, looked_at=ask.attempts))
    if row.lease_until is not None and row.is_live(view.now):
        return Refused(ExecutionInProgressError(row.id, lease_until=row.lease_until))
    if row.status == "completed":
        return Refused(ExecutionTerminalError(row.id, held_status=row.status))
    return settled(_resolve(view, head, row, ask), view.now)


def _says_what_is_known(view: View, row: ExecutionRow, ask: Resolve) -> bool:
    """Whether the same was said before, became of it, and was not contradicted since."""
    if ask.outcome == "applied":
        return row.status == "completed" and bytes(show(row).result) == ask.result
    if ask.outcome == "unknown" or row.status != "failed" or contradiction(view, row) is not None:
        return False
    return bytes(show(row).error) == _error(ask)


def _resolve(view: View, head: Head, row: ExecutionRow, ask: Resolve) -> ExecutionRow:
    said = _payload(row, "evidence", ask.evidence, extra=_said(ask))
    told = view.append_event(
        head, RESOLVED, ask.by, said, metadata=_metadata(row), depends_on=row.started_event_id
    )
    if ask.identity is not None:
        view.put_operation(ask.channel_id, ask.identity, cursor=told.cursor, version=None)
    if ask.outcome == "unknown":
        return row
    if ask.outcome == "not_applied" and row.status == "failed" and contradiction(view, row) is None:
        return row
    status: Literal["completed", "failed"] = "completed" if ask.outcome == "applied" else "failed"
    field, value = ("result", ask.result) if status == "completed" else ("error", _error(ask))
    payload = _payload(row, field, value)
    event = view.append_event(
        head,
        f"tool.{status}",
        ask.by,
        payload,
        metadata=_metadata(row),
        depends_on=row.started_event_id,
    )
    ended = msgspec.structs.replace(
        row,
        status=status,
        token_digest=NOBODY,
        lease_until=None,
        on_lapse=None,
        updated_at=view.now,
        completed_at=view.now,
        completed_cursor=event.cursor,
        completed_event_id=event.event_id,
        completed_payload=payload,
    )
    view.begin_attempt(head, ended)  # every column of the row is written, its token too
    return ended


def _payload(row: ExecutionRow, field: str, value: bytes, *, extra: bytes = b"") -> bytes:
    return lifecycle_payload(row.id, row.key_name, row.tool_name, row.attempts, field, value, extra=extra)


def _metadata(row: ExecutionRow) -> bytes:
    return b'{"execution_id":"%b"}' % row.id.encode()


def _said(ask: Resolve) -> bytes:
    said = msgspec.json.encode({"outcome": ask.outcome, "by": ask.by, "reason": ask.reason})
    return b"," + said[1:-1]


def _error(ask: Resolve) -> bytes:
    sentence = f"Resolved as not applied by {ask.by}."
    return msgspec.json.encode({"message": sentence, "error_type": "NotApplied", "stack": None})
