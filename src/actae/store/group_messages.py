"""Messages of groups: rows to records."""

from typing import NamedTuple
from uuid import UUID

from actae.domain.group_messages import DeliveryRow
from actae.domain.identity import Identity
from actae.store.database import Session, Transaction
from actae.store.pages import Page, read_page
from actae.store.queries import query

_ADD_OPERATION = query("add_message_operation")
_GET_OPERATION = query("get_message_operation")
_ADD = query("add_group_message")
_LIST = query("list_group_messages")
_GET = query("get_group_message")
_GET_RECIPIENT = query("get_message_recipient")
_ACKNOWLEDGE = query("acknowledge_group_message")


class KnownSending(NamedTuple):
    """What an operation id named before: the digest of the content, and the cursor of the delivery."""

    content_digest: bytes
    cursor: int


class Recipient(NamedTuple):
    """Whose message it is."""

    group_id: str
    member_id: str


class MessageRow(NamedTuple):
    """A message as its row is written."""

    channel_id: str
    cursor: int
    group_id: str
    to_member_id: str
    source_channel_id: str
    source_cursor: int
    payload_at: int


async def add_operation(
    tx: Transaction, group_id: str, identity: Identity, *, cursor: int
) -> KnownSending | None:
    """Remember an operation id; what it named before, if it was used."""
    digest = UUID(identity.operation_digest)
    added = await tx.fetch_one(
        _ADD_OPERATION,
        group_id=group_id,
        operation_digest=digest,
        content_digest=identity.content_digest,
        cursor=cursor,
    )
    if added is not None:
        return None
    known = await tx.fetch_one(_GET_OPERATION, group_id=group_id, operation_digest=digest)
    assert known is not None, "an operation id that is in the way can be seen"
    return KnownSending(*known)


async def add_message(tx: Transaction, row: MessageRow) -> None:
    """The row of a message, beside its two events."""
    await tx.execute(_ADD, **row._asdict())


async def get_message(session: Session, channel_id: str, cursor: int) -> DeliveryRow | None:
    """A message by the place of its delivery."""
    row = await session.fetch_one(_GET, channel_id=channel_id, cursor=cursor)
    return None if row is None else DeliveryRow(*row)


async def get_recipient(session: Session, channel_id: str, cursor: int) -> Recipient | None:
    """Whose message was delivered there, if one was."""
    row = await session.fetch_one(_GET_RECIPIENT, channel_id=channel_id, cursor=cursor)
    return None if row is None else Recipient(*row)


async def list_messages(
    session: Session, channel_id: str, recipient: Recipient, *, after: int, most: int
) -> Page[DeliveryRow]:
    """A member's mail behind a cursor, in the order of delivery; fewer where messages are large."""

    async def read(last: DeliveryRow | None, count: int) -> list[DeliveryRow]:
        rows = await session.fetch(
            _LIST,
            channel_id=channel_id,
            group_id=recipient.group_id,
            to_member_id=recipient.member_id,
            after=after if last is None else last.cursor,
            most=count,
        )
        return [DeliveryRow(*row) for row in rows]

    return await read_page(read, most=most, size=lambda row: len(row.envelope))


async def acknowledge(tx: Transaction, channel_id: str, cursor: int) -> None:
    """Mark a message; the first time counts."""
    await tx.execute(_ACKNOWLEDGE, channel_id=channel_id, cursor=cursor)
