"""Messages between members: send one, read a member's mail, acknowledge."""

import msgspec

from actae.domain.access import Caller
from actae.domain.channels import Head
from actae.domain.errors import ChannelDeletedError, IdempotencyConflictError
from actae.domain.execution_groups import GroupMember
from actae.domain.group_errors import MessageNotFoundError
from actae.domain.group_messages import (
    RECEIVED,
    SENT,
    DeliveryRow,
    Envelope,
    GroupMessage,
    message_id,
    seal,
    show,
)
from actae.domain.identity import Identity
from actae.domain.member_leases import Ownership, require_holder
from actae.domain.view import View
from actae.operations.appending import open_view, write_view
from actae.operations.execution_groups import require_members
from actae.store import channels as channels_store
from actae.store import execution_groups as groups_store
from actae.store import group_messages as store
from actae.store.database import Database, Session, Transaction, story
from actae.store.group_messages import MessageRow, Recipient


class SendMessage(msgspec.Struct, frozen=True, kw_only=True):
    """Send a message from one member to another; payload and causal context are JSON as it was sent."""

    group_id: str
    from_member_id: str
    to_member_id: str
    type: str
    payload: bytes
    causal_context: bytes
    identity: Identity | None = None


@story
async def send(tx: Transaction, ask: SendMessage, *, caller: Caller) -> GroupMessage:
    """Append `message.sent` to the sender's channel and `message.received` to the recipient's, or neither.

    A repetition under the same operation id gets the first message, as it stands now.

    Raises:
        GroupNotFoundError, MemberNotFoundError, ForbiddenError, IdempotencyConflictError,
        ChannelClosedError, ChannelDeletedError, CounterfactualBlockedError
    """
    sender, recipient = await require_members(
        tx, ask.group_id, ask.from_member_id, ask.to_member_id, caller=caller, action="write"
    )
    view = await open_view(tx, sender.channel_id, recipient.channel_id)
    source, target = view.head(sender.channel_id), view.head(recipient.channel_id)
    cursor = target.cursor + (2 if source is target else 1)
    if ask.identity is not None:
        earlier = await _earlier(tx, ask, ask.identity, recipient, cursor)
        if earlier is not None:
            return earlier
    refusal = source.refusal() or target.refusal()
    if refusal is not None:
        raise refusal
    return await _deliver(tx, ask, view, source, target, cursor)


async def _earlier(
    tx: Transaction, ask: SendMessage, identity: Identity, recipient: GroupMember, cursor: int
) -> GroupMessage | None:
    """What the same call delivered before; from now on the id names a message at this cursor."""
    known = await store.add_operation(tx, ask.group_id, identity, cursor=cursor)
    if known is None:
        return None
    if known.content_digest != identity.content_digest:
        raise IdempotencyConflictError(identity.operation_id)
    delivered = await store.get_message(tx, recipient.channel_id, known.cursor)
    if delivered is None:
        raise ChannelDeletedError(recipient.channel_id)
    return show(delivered)


async def _deliver(
    tx: Transaction, ask: SendMessage, view: View, source: Head, target: Head, cursor: int
) -> GroupMessage:
    envelope = _seal(ask, target, cursor)
    sent = view.append_event(source, SENT, ask.from_member_id, envelope.text)
    received = view.append_event(
        target, RECEIVED, ask.from_member_id, envelope.text, depends_on=sent.event_id
    )
    assert received.cursor == cursor, "the heads are locked"
    await write_view(tx, view)
    await store.add_message(
        tx,
        MessageRow(
            target.channel_id,
            cursor,
            ask.group_id,
            ask.to_member_id,
            source.channel_id,
            sent.cursor,
            envelope.payload_at,
        ),
    )
    return show(
        DeliveryRow(
            target.channel_id,
            cursor,
            envelope.payload_at,
            None,
            received.event_id,
            sent.event_id,
            envelope.text,
            view.now,
        )
    )


def _seal(ask: SendMessage, target: Head, cursor: int) -> Envelope:
    return seal(
        message_id(target.channel_id, cursor),
        ask.group_id,
        sender=ask.from_member_id,
        recipient=ask.to_member_id,
        type_=ask.type,
        payload=ask.payload,
        causal_context=ask.causal_context,
    )


async def list_mail(
    db: Database, group_id: str, member_id: str, *, after: tuple[str, int] | None, most: int, caller: Caller
) -> tuple[list[GroupMessage], bool]:
    """A member's messages in the order of delivery, and whether there are more; acknowledged ones too.

    `after` is the place of a message of this member. A page ends early where messages are large.

    Raises:
        GroupNotFoundError, MemberNotFoundError, ForbiddenError, MessageNotFoundError
    """
    (member,) = await require_members(db, group_id, member_id, caller=caller, action="read")
    recipient = Recipient(group_id, member_id)
    if after is not None:
        await _require_mail_of(db, member, recipient, after)
    page = await store.list_messages(
        db, member.channel_id, recipient, after=0 if after is None else after[1], most=most + 1
    )
    return [show(row) for row in page.rows[:most]], page.was_cut or len(page.rows) > most


async def _require_mail_of(
    session: Session, member: GroupMember, recipient: Recipient, place: tuple[str, int]
) -> None:
    is_here = place[0] == member.channel_id
    if not is_here or await store.get_recipient(session, *place) != recipient:
        raise MessageNotFoundError(message_id(*place))


@story
async def acknowledge(tx: Transaction, channel_id: str, cursor: int, held: Ownership) -> GroupMessage:
    """Mark a message as done with, by whoever holds its recipient. A second time changes nothing.

    Raises:
        MessageNotFoundError, MemberLeaseLostError, CounterfactualBlockedError, ChannelDeletedError
    """
    await channels_store.lock_heads(tx, channel_id)
    for head in await channels_store.get_heads(tx, channel_id):
        refusal = head.refusal_of_outcomes()
        if refusal is not None:
            raise refusal
    recipient = await store.get_recipient(tx, channel_id, cursor)
    if recipient is None:
        raise MessageNotFoundError(message_id(channel_id, cursor))
    member = await groups_store.lock_member(tx, *recipient)
    assert member is not None, "members stay"
    require_holder(member, held)
    await store.acknowledge(tx, channel_id, cursor)
    await channels_store.touch_head(tx, channel_id)
    delivered = await store.get_message(tx, channel_id, cursor)
    assert delivered is not None, "its row is there"
    return show(delivered)
