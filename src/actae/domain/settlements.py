"""What the holder of a claim token may do: complete, fail, heartbeat, mark, cancel.

The token is the fence, not the clock: a lapsed lease that nobody took over still belongs to its owner.
A closed channel still takes the outcome of an effect that has happened.
"""

from datetime import timedelta
from hmac import compare_digest
from typing import Literal

import msgspec

from actae.domain.answers import Refused
from actae.domain.channels import FENCE_KEY
from actae.domain.claims import execution_metadata
from actae.domain.errors import ExecutionNotFoundError, ExecutionNotOwnedError, ExecutionTerminalError
from actae.domain.executions import (
    Cancel,
    Complete,
    Dispatch,
    ExecutionRow,
    Fail,
    Heartbeat,
    Settled,
    execution_id,
    lifecycle_payload,
    settled,
    show,
)
from actae.domain.late_evidence import keep_evidence
from actae.domain.tokens import digest_token
from actae.domain.view import View

_HELD = frozenset({"running", "interrupted", "expired"})


def decide_complete(view: View, ask: Complete) -> Settled | Refused:
    """Store the result; a repetition by the same owner returns what is stored."""
    row = _owned(view, ask)
    if isinstance(row, Refused):
        return _with_evidence(view, ask, row)
    if row.status == "completed":
        return _settled(row)
    if row.status not in _HELD:
        return Refused(ExecutionTerminalError(row.id, held_status=row.status))
    return _settled(_end(view, row, "completed", "result", ask.result))


def decide_fail(view: View, ask: Fail) -> Settled | Refused:
    """Store the error. It never overwrites a result: runners send it when a reply got lost."""
    row = _owned(view, ask)
    if isinstance(row, Refused):
        return _with_evidence(view, ask, row)
    if row.status in ("completed", "failed"):
        return _settled(row)
    if row.status not in _HELD:
        return Refused(ExecutionTerminalError(row.id, held_status=row.status))
    if ask.outcome_unknown and row.key_name != FENCE_KEY:  # a session can always be taken over
        return settled(row if row.is_given_up else _give_up(view, row, ask.error), view.now)
    return _settled(_end(view, row, "failed", "error", ask.error))


def decide_dispatch(view: View, ask: Dispatch) -> Settled | Refused:
    """The tool is about to be called: a lapse before this could be reclaimed, one after it is ambiguous.

    A lease that lapsed and that nobody took over is revived, so that nobody speaks for an owner at work.
    """
    row = _owned(view, ask)
    if isinstance(row, Refused):
        return row
    if row.status not in _HELD or row.is_given_up:
        return Refused(ExecutionNotOwnedError(row.id, held_status=row.status_at(view.now)))
    is_live = row.is_live(view.now)
    if row.on_lapse == "after_dispatch" or not is_live:
        row = msgspec.structs.replace(
            row,
            status="running",
            on_lapse=None if row.on_lapse is None else "ambiguous",
            lease_until=row.lease_until if is_live else view.now + timedelta(seconds=row.lease_seconds),
            updated_at=view.now,
        )
        view.change_attempt(view.head(row.channel_id), row)
    return _settled(row)


def decide_heartbeat(view: View, ask: Heartbeat) -> Settled | Refused:
    """Extend the lease, or revive one that lapsed and that nobody took over; not one that was given up."""
    row = _owned(view, ask)
    if isinstance(row, Refused):
        return row
    if row.status not in _HELD or row.is_given_up:
        return Refused(ExecutionNotOwnedError(row.id, held_status=row.status_at(view.now)))
    seconds = row.lease_seconds if ask.lease_seconds is None else ask.lease_seconds
    row = msgspec.structs.replace(
        row, status="running", lease_until=view.now + timedelta(seconds=seconds), updated_at=view.now
    )
    view.change_attempt(view.head(row.channel_id), row)
    return _settled(row)


def decide_cancel(view: View, ask: Cancel) -> Settled | Refused:
    """Free the key without an outcome and without an event. What was given up needs a word instead."""
    row = _owned(view, ask)
    if isinstance(row, Refused):
        return row
    if row.is_given_up:
        return Refused(ExecutionNotOwnedError(row.id, held_status=row.status_at(view.now)))
    if row.status == "cancelled":
        return _settled(row)
    if row.status not in _HELD:
        return Refused(ExecutionTerminalError(row.id, held_status=row.status))
    row = msgspec.structs.replace(
        row,
        status="cancelled",
        lease_until=None,
        on_lapse=None,
        updated_at=view.now,
        completed_at=view.now,
    )
    view.change_attempt(view.head(row.channel_id), row)
    return _settled(row)


def _owned(view: View, ask: Complete | Fail | Heartbeat | Cancel | Dispatch) -> ExecutionRow | Refused:
    row = view.execution(ask.channel_id, ask.key_digest)
    if row is None:
        return Refused(ExecutionNotFoundError(execution_id(ask.channel_id, ask.key_digest)))
    token = ask.claim_token
    if token is None or not compare_digest(digest_token(token), row.token_digest):
        return Refused(ExecutionNotOwnedError(row.id, held_status=row.status_at(view.now)))
    return row


def _with_evidence(view: View, ask: Complete | Fail, refused: Refused) -> Refused:
    row = view.execution(ask.channel_id, ask.key_digest)
    if row is not None:
        keep_evidence(view, ask, row)
    return refused


def _give_up(view: View, row: ExecutionRow, error: bytes) -> ExecutionRow:
    """Its owner does not know whether the tool took effect: the lease ends, and nobody gets it."""
    head = view.head(row.channel_id)
    view.append_event(
        head,
        "tool.ambiguous",
        row.actor,
        lifecycle_payload(row.id, row.key_name, row.tool_name, row.attempts, "error", error),
        metadata=execution_metadata(row.id),
        depends_on=row.started_event_id,
    )
    row = msgspec.structs.replace(row, on_lapse="ambiguous", lease_until=view.now, updated_at=view.now)
    view.change_attempt(head, row)
    return row


def _end(
    view: View, row: ExecutionRow, status: Literal["completed", "failed"], field: str, value: bytes
) -> ExecutionRow:
    head = view.head(row.channel_id)
    cursor = event_id = payload = None
    if row.key_name != FENCE_KEY:
        id_ = row.id
        payload = lifecycle_payload(id_, row.key_name, row.tool_name, row.attempts, field, value)
        event = view.append_event(
            head,
            f"tool.{status}",
            row.actor,
            payload,
            metadata=execution_metadata(id_),
            depends_on=row.started_event_id,
        )
        cursor, event_id = event.cursor, event.event_id
    ended = msgspec.structs.replace(
        row,
        status=status,
        lease_until=None,
        on_lapse=None,
        updated_at=view.now,
        completed_at=view.now,
        completed_cursor=cursor,
        completed_event_id=event_id,
        completed_payload=payload,
    )
    view.change_attempt(head, ended)
    return ended


def _settled(row: ExecutionRow) -> Settled:
    return Settled(row.status, show(row))
