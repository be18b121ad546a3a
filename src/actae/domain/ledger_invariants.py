"""What must always hold of the ledger: of a row by itself, and of a row beside the log."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from actae.domain.channels import FENCE_KEY
from actae.domain.executions import ExecutionRow, digest_key, execution_id
from actae.domain.late_evidence import EVIDENCE
from actae.domain.lifecycles import Life

_ENDED: Final = frozenset({"completed", "failed", "cancelled"})


class EvidencePlace(NamedTuple):
    """Where a report that came too late should be, and what is there."""

    channel_id: str
    cursor: int
    key_digest: str
    event_type: str | None
    metadata: bytes | None
    has_operation: bool


def ledger_row_is_sound(row: ExecutionRow) -> Iterator[str]:
    """The row by itself: its key, its lease, its end."""
    if row.key_digest != digest_key(row.key_name):
        yield f"it is not stored under the digest of its key {row.key_name!r}"
    if (row.status == "running") != (row.lease_until is not None):
        yield f"it is {row.status}, with {'no' if row.lease_until is None else 'a'} lease"
    if (row.status in _ENDED) != (row.completed_at is not None):
        yield f"it is {row.status}, with {'no' if row.completed_at is None else 'a'} moment at which it ended"
    if row.on_lapse is not None and row.status != "running":
        yield f"it is {row.status}, and would be ambiguous"
    if row.attempts < 1:
        yield f"it was handed out {row.attempts} times"


def ledger_agrees_with_the_log(row: ExecutionRow, life: Life | None) -> Iterator[str]:
    """The row points at the events of its latest attempt, and stands as they say."""
    if row.key_name == FENCE_KEY:
        if life is not None or row.started_cursor is not None or row.completed_cursor is not None:
            yield "the session fence has events, and should have none"
        return
    if life is None:
        yield "its start is not in the log"
        return
    if row.attempts != life.attempt:
        yield f"it counts {row.attempts} attempts, and the latest in the log is {life.attempt}"
    if (row.started_cursor, row.started_event_id) != (life.started_cursor, life.started_event_id):
        yield f"it started at cursor {row.started_cursor}, and in the log at {life.started_cursor}"
    outcome = row.status if row.status in ("completed", "failed") else None
    if outcome != life.outcome:
        yield f"it is {row.status}, and in the log its latest attempt {_how(life)}"
    if (row.completed_cursor, row.completed_event_id) != (life.outcome_cursor, life.outcome_event_id):
        yield f"it ended at cursor {row.completed_cursor}, and in the log at {life.outcome_cursor}"
    if row.replay_emitted != life.is_replay_told:
        yield f"its row says that a replay was {'' if row.replay_emitted else 'not '}told; the log differs"


def late_evidence_agrees_with_the_log(evidence: EvidencePlace) -> Iterator[str]:
    """A report leads to the event that tells it, and is about an operation that is there."""
    about = b'{"execution_id":"%b"}' % execution_id(evidence.channel_id, evidence.key_digest).encode()
    if evidence.event_type != EVIDENCE:
        there = evidence.event_type or "nothing"
        yield f"a report should be at cursor {evidence.cursor}, and there is {there}"
    elif evidence.metadata != about:
        yield f"the report at cursor {evidence.cursor} is about another operation"
    if not evidence.has_operation:
        yield f"the report at cursor {evidence.cursor} has outlived its operation"


def _how(life: Life) -> str:
    return "has no outcome" if life.outcome is None else f"is {life.outcome}"
