"""What a worker reports after its operation had passed to another one, or had ended: refused, and kept.

It may be the only witness of what happened in the world, so whoever resolves the operation gets to see it.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Final, Literal

import msgspec

from actae.domain.channels import FENCE_KEY
from actae.domain.executions import Complete, ExecutionRow, Fail, lifecycle_payload, show
from actae.domain.tokens import digest_token, is_token
from actae.domain.view import EvidenceRow, View

EVIDENCE: Final = "tool.late_evidence"

# A worker that makes up tokens must not fill the log.
KEPT_MAX: Final = 20


class LateEvidence(msgspec.Struct, frozen=True):
    """One report, as whoever resolves the operation sees it."""

    says: Literal["completed", "failed"]
    cursor: int
    event_id: str
    recorded_at: datetime
    value: msgspec.Raw


_COMPLETED: Final = b',"says":"completed","result":'
_FAILED: Final = b',"says":"failed","error":'


def read_evidence(cursor: int, event_id: str, recorded_at: datetime, payload: bytes) -> LateEvidence:
    """An event that `keep_evidence` has appended, read back without parsing what was reported."""
    says: Literal["completed", "failed"] = "completed"
    before, mark, value = payload.partition(_COMPLETED)
    if not mark:
        says = "failed"
        before, mark, value = payload.partition(_FAILED)
    assert mark, f"late evidence at cursor {cursor} without a report: {before[:200]!r}"
    return LateEvidence(says, cursor, event_id, recorded_at, msgspec.Raw(value[:-1]))


def first_unrecorded(evidence: Iterable[LateEvidence], row: ExecutionRow) -> LateEvidence | None:
    """The first report of an effect that is not the one on record, once there is an outcome.

    An equal result is taken for the same effect, seen by two workers.
    """
    if row.status == "running":
        return None
    recorded = show(row).result if row.status == "completed" else None
    for report in evidence:
        if report.says == "completed" and not (recorded and _is_equal(recorded, report.value)):
            return report
    return None


def _is_equal(one: msgspec.Raw, other: msgspec.Raw) -> bool:
    if bytes(one) == bytes(other):
        return True
    try:
        return bool(msgspec.json.decode(one) == msgspec.json.decode(other))
    except (msgspec.DecodeError, UnicodeDecodeError):  # too odd to be looked into
        return False


def contradiction(view: View, row: ExecutionRow) -> int | None:
    """Where a worker reported a result after somebody had said that there was no effect; None: nowhere."""
    late = view.late_result(row.channel_id, row.key_digest)
    if late is None or row.completed_cursor is None or not row.is_resolved_as_not_applied:
        return None
    return late if late > row.completed_cursor else None


def keep_evidence(view: View, ask: Complete | Fail, row: ExecutionRow) -> None:
    """Keep what the caller reports about an operation that it does not own; once for each token."""
    token = ask.claim_token
    head = view.head(ask.channel_id)
    if token is None or not is_token(token) or row.key_name == FENCE_KEY or head.lifecycle == "deleted":
        return
    token_digest = digest_token(token)
    kept = view.evidence(row.channel_id, row.key_digest)
    if token_digest in kept or len(kept) >= KEPT_MAX:
        return
    field, value = ("result", ask.result) if isinstance(ask, Complete) else ("error", ask.error)
    payload = lifecycle_payload(
        row.id,
        row.key_name,
        row.tool_name,
        row.attempts,
        field,
        value,
        extra=b',"says":"%b"' % (b"completed" if isinstance(ask, Complete) else b"failed"),
    )
    event = view.append_event(
        head,
        EVIDENCE,
        "system",  # whoever holds an old token; the row knows its latest owner alone
        payload,
        metadata=b'{"execution_id":"%b"}' % row.id.encode(),
        depends_on=row.started_event_id,
    )
    view.put_evidence(EvidenceRow(row.channel_id, row.key_digest, token_digest, event.cursor))
    if isinstance(ask, Complete):
        view.tell_late_result(row.channel_id, row.key_digest, event.cursor)
