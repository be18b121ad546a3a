"""What a request or an answer changes, and what a claim has to wait for.

| the latest bound request of the key | the same input | other input |
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
    ApprovalPendingError,
    ApprovalRejectedError,
)
from actae.domain.approvals import Answer, ApprovalRow, Request, Status, operation_of
from actae.domain.channels import FENCE_KEY, Head
from actae.domain.errors import ActaeError, IdempotencyConflictError, InvalidRequestError
from actae.domain.executions import Claim
from actae.domain.fingerprint import differing_fields
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
        return None
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
    """A question that is asked anew, about the same input or another, is not to be answered any more."""
    if news.binding is None:
        return
    before = view.governing_approval(head.channel_id, news.binding.key_digest)
    if before is not None and before.standing(view.now) == "pending":
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
    if governing.fingerprint != ask.fingerprint:
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


def _mismatch(ask: Claim, governing: ApprovalRow, standing: Status) -> ApprovalMismatchError:
    assert governing.requested_payload is not None, "a claim that differs is read with what was asked"
    error = ApprovalMismatchError(ask.key_name, governing.request_id, approval_status=standing)
    error.details["differing_fields"] = differing_fields(
        operation_of(governing.requested_payload), (ask.tool_name, ask.params, ask.dedup_fields)
    )
    return error
