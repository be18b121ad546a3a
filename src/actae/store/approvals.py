"""Approvals: what a batch reads of them, and rows to records."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple
from uuid import UUID

import asyncpg
import msgspec

from actae.domain.approvals import NULL, Approval, ApprovalRow, Request, Status
from actae.domain.events import Record, Transition
from actae.domain.executions import Claim
from actae.domain.literal_json import members_of
from actae.domain.view import View
from actae.store.database import Row, Session, Transaction
from actae.store.pages import Page, read_page
from actae.store.queries import Query, query

READ_APPROVALS = query("read_approvals")
READ_GOVERNING = query("read_governing_approvals")
LIST = query("list_approvals")
LIST_PENDING = query("list_pending_approvals")
LIST_OF_CHANNEL = query("list_channel_approvals")
_EXPIRE = query("expire_approvals")


class GovernedKey(NamedTuple):
    """A key. What was asked about it is read where it differs from the fingerprint, if there is one."""

    channel_id: str
    key_digest: str
    fingerprint: bytes | None


_OF_FEWER_FIELDS = b""  # differs from every fingerprint: only what was asked can be compared


class ApprovalFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which requests to list; None is no condition.

    Either those of one channel, and of them perhaps one request, or those of all channels that match the LIKE
    patterns in `readable`.
    """

    channel_id: str | None
    request_digest: str | None
    readable: list[str] | None
    status: Status | None
    before_event_id: str | None


def news_among(asks: Iterable[object]) -> list[tuple[str, str]]:
    """The requests that events of a batch ask or answer: channel and digest."""
    return [
        (ask.channel_id, ask.approval.request_digest)
        for ask in asks
        if isinstance(ask, Record | Transition) and ask.approval is not None
    ]


async def read_approvals(
    connection: asyncpg.Connection, view: View, requests: Sequence[tuple[str, str]]
) -> None:
    """Tell the view how these requests stand."""
    channel_ids, digests = zip(*requests, strict=True)
    for row in await connection.fetch(READ_APPROVALS.sql, channel_ids, digests):
        view.add_approval(_approval(row))


def governed_among(view: View, asks: Iterable[object]) -> list[GovernedKey]:
    """The keys whose latest request counts: for a claim, or because somebody asks about them anew."""
    keys: list[GovernedKey] = []
    for ask in asks:
        if isinstance(ask, Claim):
            if view.head(ask.channel_id).has_approvals:
                of_all = ask.fingerprint if ask.dedup_fields is None else _OF_FEWER_FIELDS
                keys.append(GovernedKey(ask.channel_id, ask.key_digest, of_all))
        elif isinstance(ask, Record | Transition) and isinstance(ask.approval, Request):
            binding = ask.approval.binding
            if binding is not None and view.head(ask.channel_id).has_approvals:
                keys.append(GovernedKey(ask.channel_id, binding.key_digest, None))
    return keys


async def read_governing_approvals(
    connection: asyncpg.Connection, view: View, keys: Sequence[GovernedKey]
) -> None:
    """Tell the view the latest request of each key."""
    rows = await connection.fetch(READ_GOVERNING.sql, *zip(*keys, strict=True))
    for row in rows:
        view.add_approval(_approval(row, row["requested_payload"]), governs=True)


def _approval(row: Row, requested_payload: bytes | None = None) -> ApprovalRow:
    key_digest = row["key_digest"]
    return ApprovalRow(
        channel_id=row["channel_id"],
        request_digest=_hex(row["request_digest"]),
        request_id=row["request_id"],
        key_digest=None if key_digest is None else _hex(key_digest),
        fingerprint=row["fingerprint"],
        status=row["status"],
        requested_cursor=row["requested_cursor"],
        requested_event_id=row["requested_event_id"],
        expires_at=row["expires_at"],
        decided_cursor=row["decided_cursor"],
        requested_payload=requested_payload,
    )


def _hex(uuid: str) -> str:
    return uuid.replace("-", "")


async def list_approvals(session: Session, wanted: ApprovalFilter, *, most: int) -> Page[Approval]:
    """Newest first; fewer where they are large."""
    statement, conditions = _query_for(wanted)

    async def read(last: Approval | None, count: int) -> list[Approval]:
        before = wanted.before_event_id if last is None else last.requested_event_id
        rows = await session.fetch(
            statement, **conditions, before_event_id=None if before is None else UUID(before), most=count
        )
        return [_shown(row) for row in rows]

    return await read_page(read, most=most, size=_size)


def _query_for(wanted: ApprovalFilter) -> tuple[Query, dict[str, object]]:
    if wanted.channel_id is not None:
        digest = None if wanted.request_digest is None else UUID(wanted.request_digest)
        return LIST_OF_CHANNEL, {
            "channel_id": wanted.channel_id,
            "request_digest": digest,
            "status": wanted.status,
        }
    if wanted.status == "pending":
        return LIST_PENDING, {"readable": wanted.readable}
    return LIST, {"readable": wanted.readable, "status": wanted.status}


async def expire_approvals(tx: Transaction, channel_id: str, key_digest: str) -> None:
    """What was approved under this key is not approved any more. The channel's head is locked."""
    await tx.execute(_EXPIRE, channel_id=channel_id, key_digest=UUID(key_digest))


def _shown(row: Row) -> Approval:
    asked, answered = members_of(row["requested_payload"]), members_of(row["decided_payload"])
    return Approval(
        request_id=row["request_id"],
        channel_id=row["channel_id"],
        status=row["standing"],
        summary=asked.get("summary", NULL),
        details=asked.get("details", NULL),
        operation=asked.get("operation", NULL),
        approval_fields=asked.get("approval_fields", NULL),
        requester=row["requester"],
        requested_at=row["requested_at"],
        requested_cursor=row["requested_cursor"],
        requested_event_id=row["requested_event_id"],
        expires_at=row["expires_at"],
        decided_by=row["decided_by"],
        decided_at=row["decided_at"],
        decided_cursor=row["decided_cursor"],
        reason=answered.get("reason", NULL),
    )


def _size(approval: Approval) -> int:
    parts = (
        approval.summary,
        approval.details,
        approval.operation,
        approval.approval_fields,
        approval.reason,
    )
    return sum(len(bytes(part)) for part in parts)
