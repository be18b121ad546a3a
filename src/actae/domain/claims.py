"""Who may run an operation: the decision about a claim."""

from datetime import datetime, timedelta
from hmac import compare_digest

import msgspec

from actae.domain.answers import Refused
from actae.domain.approval_decisions import refuse_unapproved
from actae.domain.channels import FENCE_KEY, Head
from actae.domain.errors import ActaeError, IdempotencyKeyMismatchError
from actae.domain.executions import (
    Claim,
    ClaimAnswer,
    Claimed,
    ExecutionRow,
    InProgress,
    Reclaimed,
    Replayed,
    SimilarCall,
    execution_id,
    lifecycle_payload,
    params_of,
    show,
)
from actae.domain.fingerprint import differing_fields
from actae.domain.guard_decisions import admit, count, refuse_frozen
from actae.domain.inheritance import decide_inherited
from actae.domain.late_evidence import contradiction
from actae.domain.outcome_errors import ExecutionAmbiguousError, KeyExpiredError
from actae.domain.tokens import digest_token, make_token
from actae.domain.view import View


def decide_claim(view: View, ask: Claim) -> ClaimAnswer | Refused:
    """Other input is refused before anything else is looked at; then lease, outcome, and what people say."""
    head = view.head(ask.channel_id)
    refusal = head.refusal()
    if refusal is not None:
        return Refused(refusal)
    held = view.execution(ask.channel_id, ask.key_digest)
    if held is None:
        inherited = (
            view.inheritance(ask.channel_id, ask.key_digest, ask.fingerprint) if head.is_fork else None
        )
        if inherited is not None:
            answer = decide_inherited(view, ask, head, inherited)
            if answer is not None:
                return answer
        return _begin(view, ask, head, None)
    if held.fingerprint != ask.fingerprint:
        return Refused(_mismatch(view, ask, held))
    if held.is_live(view.now):
        return _repeated_answer(held, ask) or InProgress(show(held))
    if held.is_ambiguous(view.now):
        return _recover(view, ask, held) or Refused(
            ExecutionAmbiguousError(
                held.id, held.key_name, attempts=held.attempts, is_given_up=held.is_given_up
            )
        )
    if held.expires_at is not None and view.now >= held.expires_at:
        return Refused(KeyExpiredError(held.key_name, held.id, held.expires_at, held_status=held.status))
    if held.status == "completed":
        return _replay(view, ask, held)
    if held.status == "failed" and ask.replays_failure and not held.is_resolved_as_not_applied:
        return _replay(view, ask, held)
    if ask.on_lapse is not None and (late := contradiction(view, held)) is not None:
        return Refused(
            ExecutionAmbiguousError(held.id, held.key_name, attempts=held.attempts, late_evidence_cursor=late)
        )
    return _begin(view, ask, head, held)


def _begin(view: View, ask: Claim, head: Head, held: ExecutionRow | None) -> Claimed | Reclaimed | Refused:
    """A new attempt, if people and guards let it start."""
    refusal = refuse_frozen(view, ask) or refuse_unapproved(view, head, ask)
    if refusal is not None:
        return Refused(refusal)
    admission = admit(view, ask, is_new=held is None)
    if isinstance(admission, ActaeError):
        return Refused(admission)
    row, token = _start(view, ask, held)
    warnings: list[SimilarCall] | msgspec.UnsetType = msgspec.UNSET
    if admission is not None:
        count(view, ask, head, admission, row)
        warnings = admission.similar or msgspec.UNSET
    if held is None:
        return Claimed(show(row), token, warnings=warnings)
    if held.is_known_to_be_without_effect and contradiction(view, held) is None:
        return Reclaimed(show(row), token, unapplied=True, warnings=warnings)
    return Reclaimed(show(row), token, warnings=warnings)


def _start(view: View, ask: Claim, held: ExecutionRow | None) -> tuple[ExecutionRow, str]:
    """A new attempt: a new token, a new lease, a new `tool.started`."""
    now = view.now
    head = view.head(ask.channel_id)
    attempts = 1 if held is None else held.attempts + 1
    id_ = execution_id(ask.channel_id, ask.key_digest)
    token = make_token(ask.secret, id_, attempts, ask.attempt_id)
    cursor = event_id = payload = None
    if ask.key_name != FENCE_KEY:
        payload = lifecycle_payload(
            id_, ask.key_name, ask.tool_name, attempts, "params", ask.params, extra=_dedup_note(ask)
        )
        event = view.append_event(head, "tool.started", ask.actor, payload, metadata=execution_metadata(id_))
        cursor, event_id = event.cursor, event.event_id
    row = ExecutionRow(
        ask.channel_id,
        ask.key_digest,
        ask.key_name,
        ask.tool_name,
        ask.fingerprint,
        "running",
        attempts,
        digest_token(token),
        ask.lease_seconds,
        now + timedelta(seconds=ask.lease_seconds),
        cursor,
        event_id,
        None,
        None,
        False,  # in the order of the fields; by name this row costs twice as much
        now if held is None else held.created_at,
        now,
        None,
        ask.actor,
        payload,
        None,
        ask.on_lapse,
        _expiry(view, ask) if held is None else held.expires_at,
    )
    view.begin_attempt(head, row)
    return row, token


def _recover(view: View, ask: Claim, held: ExecutionRow) -> Claimed | Reclaimed | None:
    """The answer to this very attempt was lost, so its tool was never called: it gets a lease anew.

    Only if nothing was heard of it since: a mark, a heartbeat or a report says that the answer had arrived.
    """
    if held.updated_at != held.created_at or _repeated_answer(held, ask) is None:
        return None
    lease_until = view.now + timedelta(seconds=ask.lease_seconds)
    held = msgspec.structs.replace(held, lease_until=lease_until, updated_at=view.now)
    view.change_attempt(view.head(held.channel_id), held)
    return _repeated_answer(held, ask)


def _expiry(view: View, ask: Claim) -> datetime | None:
    return None if ask.ttl_seconds is None else view.now + timedelta(seconds=ask.ttl_seconds)


def _replay(view: View, ask: Claim, held: ExecutionRow) -> Replayed:
    if held.status == "failed":
        failed = show(held)
        return Replayed(failed, failed.result, error=failed.error)
    if ask.emit_replay_event and not held.replay_emitted:
        head = view.head(ask.channel_id)
        held = msgspec.structs.replace(held, replay_emitted=True, updated_at=view.now)
        completed_at = str(held.completed_cursor).encode()
        payload = lifecycle_payload(
            held.id, held.key_name, held.tool_name, held.attempts, "completed_cursor", completed_at
        )
        view.append_event(
            head,
            "tool.replayed",
            ask.actor,
            payload,
            metadata=execution_metadata(held.id),
            depends_on=held.started_event_id,
        )
        view.change_attempt(head, held)
    execution = show(held)
    return Replayed(execution, execution.result)


def _repeated_answer(held: ExecutionRow, ask: Claim) -> Claimed | Reclaimed | None:
    """The first answer again, if this very attempt holds the lease: its reply was lost."""
    token = make_token(ask.secret, held.id, held.attempts, ask.attempt_id)
    if not compare_digest(digest_token(token), held.token_digest):
        return None
    answer = Claimed if held.attempts == 1 else Reclaimed
    return answer(show(held), token)


def _mismatch(view: View, ask: Claim, held: ExecutionRow) -> IdempotencyKeyMismatchError:
    error = IdempotencyKeyMismatchError(
        held.key_name,
        execution_id=held.id,
        held_status=held.status_at(view.now),
        first_claimed_at=held.created_at,
    )
    differing = differing_fields(
        (held.tool_name, bytes(params_of(held)), dedup_fields_of(held)),
        (ask.tool_name, ask.params, ask.dedup_fields),
    )
    error.details["differing_fields"] = differing
    return error


def execution_metadata(execution_id: str) -> bytes:
    """The metadata of a lifecycle event."""
    return b'{"execution_id":"%b"}' % execution_id.encode()


class _Note(msgspec.Struct):
    dedup_fields: list[str] | None = None


def _dedup_note(ask: Claim) -> bytes:
    """Which fields made the identity, kept beside the params so that a mismatch can be explained."""
    if ask.dedup_fields is None:
        return b""
    return b',"dedup_fields":' + msgspec.json.encode(ask.dedup_fields)


def dedup_fields_of(row: ExecutionRow) -> list[str] | None:
    """Which fields of the params made the identity of the latest attempt; None is all."""
    if row.started_payload is None:
        return None
    before_params = row.started_payload[: row.started_payload.find(b',"params":')] + b"}"
    return msgspec.json.decode(before_params, type=_Note).dedup_fields
