"""What a request or an answer changes, and what a claim has to wait for.

| the latest bound request of the key | the same in what binds | another call |
|---|---|---|
| none | goes on | goes on |
| pending | 409 approval_pending | 409 approval_mismatch |
| approved | goes on | 409 approval_mismatch |
| rejected | 409 approval_rejected | 409 approval_mismatch |
| expired | 409 approval_expired | 409 approval_mismatch |

This is asked of claims that are about to start an attempt, and of no others: what was completed is replayed,
and who holds a live lease is left alone.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

import msgspec

from actae.domain.approval_errors import (
    ApprovalExpiredError,
    ApprovalMismatchError,
    ApprovalNotFoundError,
    ApprovalNotNeededError,
    ApprovalPendingError,
    ApprovalRejectedError,
)
from actae.domain.approvals import Answer, ApprovalRow, Request, Status, operation_of
from actae.domain.channels import FENCE_KEY, Head
from actae.domain.errors import ActaeError, IdempotencyConflictError, InvalidRequestError
from actae.domain.executions import Claim
from actae.domain.fingerprint import FieldDifference, FingerprintRefusal, differing_fields, fingerprint
from actae.domain.view import EventRow, View

_NEXT: Final[Mapping[tuple[Status, str | None], Status]] = {
    ("pending", "approved"): "approved",
    ("pending", "rejected"): "rejected",
    ("pending", "expired"): "expired",
    # Withdrawn. Who runs already is not stopped, but nobody runs it again.
    ("approved", "rejected"): "rejected",
}


def refuse_news(view: View, channel_id: str, news: Request | Answer) -> ActaeError | None:
    """Why a request or an answer is not taken, if it is not."""
    known = view.approval(channel_id, news.request_digest)
    if known is None:
        return _refuse_needless(view, channel_id, news) if isinstance(news, Request) else None
    if isinstance(news, Request):
        # Otherwise the answer to the first question would count for the second.
        is_another = news.binding is not None and news.binding != known.binding
        return IdempotencyConflictError(news.request_id) if is_another else None
    if news.verdict is None and known.binding is not None:
        return InvalidRequestError(
            f"The decision on request {known.request_id!r} must be 'approved' or 'rejected'.",
            field="payload.decision",
        )
    return None


def _refuse_needless(view: View, channel_id: str, news: Request) -> ActaeError | None:
    """Nobody is to decide about what has happened."""
    held = None if news.key_digest is None else view.execution(channel_id, news.key_digest)
    if held is None or held.status != "completed":
        return None
    return ApprovalNotNeededError(held.key_name, execution_id=held.id)


def keep_news(view: View, head: Head, news: Request | Answer, event: EventRow) -> None:
    """Remember what a request or an answer says, once its event is in the log."""
    known = view.approval(head.channel_id, news.request_digest)
    if isinstance(news, Request):
        if known is None:
            _supersede(view, head, news, event.cursor)
            view.put_approval(head, _row_of(news, event, view.now))
        return
    if known is None:
        return
    standing = known.standing(view.now)
    status = _NEXT.get((standing, news.verdict), standing)
    if status != standing:
        view.put_approval(head, msgspec.structs.replace(known, status=status, decided_cursor=event.cursor))
    elif status != known.status:  # its deadline has passed, and now it is written down
        view.put_approval(head, msgspec.structs.replace(known, status=status))


def _supersede(view: View, head: Head, news: Request, cursor: int) -> None:
    """Once it is asked anew, about the same input or another, the answer to the latest question counts.

    So nobody is to answer the one before any more, and a yes that it had got is a yes to nothing.
    """
    if news.binding is None:
        return
    before = view.governing_approval(head.channel_id, news.binding.key_digest)
    if before is not None and before.standing(view.now) in ("pending", "approved"):
        view.put_approval(head, msgspec.structs.replace(before, status="superseded", decided_cursor=cursor))


def _row_of(news: Request, event: EventRow, now: datetime) -> ApprovalRow:
    seconds = news.timeout_seconds
    return ApprovalRow(
        channel_id=event.channel_id,
        request_digest=news.request_digest,
        request_id=news.request_id,
        key_digest=None if news.binding is None else news.binding.key_digest,
        fingerprint=None if news.binding is None else news.binding.fingerprint,
        status="pending",
        requested_cursor=event.cursor,
        requested_event_id=event.event_id,
        expires_at=None if seconds is None else now + timedelta(seconds=seconds),
        requested_payload=event.payload,
    )


def refuse_unapproved(view: View, head: Head, ask: Claim) -> ActaeError | None:
    """Why this claim may not start an attempt, as far as people have a say in it."""
    insists = ask.requires_approval or ask.approval_request_id is not None
    if not (insists or head.has_approvals) or ask.key_name == FENCE_KEY:
        return None
    governing = view.governing_approval(ask.channel_id, ask.key_digest)
    if governing is None or ask.approval_request_id not in (None, governing.request_id):
        return _not_found(ask, governing) if insists else None
    if not _is_what_was_asked(governing, ask):
        return _mismatch(ask, governing, governing.standing(view.now))
    match governing.standing(view.now):
        case "approved":
            return None
        case "pending":
            return ApprovalPendingError(ask.key_name, governing.request_id)
        case "rejected":
            return ApprovalRejectedError(
                ask.key_name, governing.request_id, decided_cursor=governing.decided_cursor
            )
        case "expired":
            return ApprovalExpiredError(ask.key_name, governing.request_id)
        case "superseded":
            raise AssertionError("the latest request of a key has none after it")


def _not_found(ask: Claim, governing: ApprovalRow | None) -> ApprovalNotFoundError:
    return ApprovalNotFoundError(
        ask.key_name,
        ask.approval_request_id,
        governing_request_id=None if governing is None else governing.request_id,
    )


def _is_what_was_asked(governing: ApprovalRow, ask: Claim) -> bool:
    """Whether the claim is the call that somebody was asked about, in everything that binds.

    The fingerprint of a claim with `dedup_fields` leaves out what would be done as well, so it says nothing
    here. The digest of all params is made for the few claims that need it.
    """
    if ask.dedup_fields is None and ask.fingerprint == governing.fingerprint:
        return True
    tool_name, params, fields = operation_of(_payload_of(governing))
    if fields is None and ask.dedup_fields is None:
        return False
    try:
        asked = fingerprint(ask.tool_name, ask.params, fields)
    except FingerprintRefusal:  # the fields that bind are not there
        return False
    return asked == fingerprint(tool_name, params, fields)


def _mismatch(ask: Claim, governing: ApprovalRow, standing: Status) -> ApprovalMismatchError:
    error = ApprovalMismatchError(ask.key_name, governing.request_id, approval_status=standing)
    error.details["differing_fields"] = _difference(governing, ask)
    return error


def _difference(governing: ApprovalRow, ask: Claim) -> list[FieldDifference]:
    tool_name, params, fields = operation_of(_payload_of(governing))
    try:
        return differing_fields((tool_name, params, fields), (ask.tool_name, ask.params, fields))
    except FingerprintRefusal:
        return differing_fields((tool_name, params, None), (ask.tool_name, ask.params, None))


def _payload_of(governing: ApprovalRow) -> bytes:
    assert governing.requested_payload is not None, "a claim that differs is read with what was asked"
    return governing.requested_payload
