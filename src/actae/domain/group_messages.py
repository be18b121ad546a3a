"""Messages between members: one event on the sender's channel, one on the recipient's, and a row.

The payload of both events is the envelope; what the caller sent stands in it byte for byte. A message is
named after its delivery: `{recipient's channel}~{cursor}`.
"""

from datetime import datetime
from typing import Final, Literal, NamedTuple

import msgspec

SENT: Final = "message.sent"
RECEIVED: Final = "message.received"

NULL: Final = b"null"

_CONTEXT, _PAYLOAD = b',"causal_context":', b',"payload":'


class GroupMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A message as callers see it."""

    message_id: str
    group_id: str
    from_member_id: str
    to_member_id: str
    type: str
    payload: msgspec.Raw
    causal_context: msgspec.Raw
    source_event_id: str
    delivery_event_id: str
    status: Literal["delivered", "acknowledged"]
    acknowledged_at: datetime | None
    created_at: datetime


class Envelope(NamedTuple):
    """The payload of both events, and where in it the caller's begins."""

    text: bytes
    payload_at: int


class DeliveryRow(NamedTuple):
    """A message as it is stored: its row, and its delivery event."""

    channel_id: str
    cursor: int
    payload_at: int
    acknowledged_at: datetime | None
    delivery_event_id: str
    source_event_id: str
    envelope: bytes
    created_at: datetime


class MessagePlace(NamedTuple):
    """Where the two events of a message stand, and whose it is."""

    source_channel_id: str
    source_cursor: int
    channel_id: str
    cursor: int
    group_id: str
    to_member_id: str

    @property
    def message_id(self) -> str:
        """The public id."""
        return message_id(self.channel_id, self.cursor)


class _Member(msgspec.Struct):
    member: str


class _Head(msgspec.Struct):
    message_id: str
    group_id: str
    from_: _Member = msgspec.field(name="from")
    to: _Member
    type: str


def message_id(channel_id: str, cursor: int) -> str:
    """The public id of what was delivered there."""
    return f"{channel_id}~{cursor}"


def seal(
    id_: str, group_id: str, *, sender: str, recipient: str, type_: str, payload: bytes, causal_context: bytes
) -> Envelope:
    """The envelope of a message; payload and causal context are JSON and stay as they are."""
    head = _encode(_Head(id_, group_id, _Member(sender), _Member(recipient), type_))
    front = b"%b%b%b%b" % (head[:-1], _CONTEXT, causal_context, _PAYLOAD)
    return Envelope(b"%b%b}" % (front, payload), len(front))


def show(row: DeliveryRow) -> GroupMessage:
    """The message out of its envelope. What the caller sent is cut out, never parsed."""
    text = row.envelope
    # A quote inside a JSON string is escaped, so the mark cannot occur before the field itself.
    context_at = text.index(_CONTEXT)
    head = _decode(text[:context_at] + b"}")
    return GroupMessage(
        message_id=head.message_id,
        group_id=head.group_id,
        from_member_id=head.from_.member,
        to_member_id=head.to.member,
        type=head.type,
        payload=msgspec.Raw(text[row.payload_at : -1]),
        causal_context=msgspec.Raw(text[context_at + len(_CONTEXT) : row.payload_at - len(_PAYLOAD)]),
        source_event_id=row.source_event_id,
        delivery_event_id=row.delivery_event_id,
        status="delivered" if row.acknowledged_at is None else "acknowledged",
        acknowledged_at=row.acknowledged_at,
        created_at=row.created_at,
    )


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(_Head).decode
