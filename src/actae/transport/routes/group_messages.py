"""Messages between the members of an execution group.

Sending writes one event to the channel of each of the two, and needs write on both; reading a member's mail
needs read on its channel, acknowledging needs write and the member's lease.
"""

from typing import Annotated

import msgspec
from msgspec import Meta, Raw

from actae.domain import errors, group_errors
from actae.domain.fingerprint import content_digest
from actae.domain.group_messages import NULL as NO_CONTEXT
from actae.domain.group_messages import GroupMessage
from actae.domain.identity import Identity, identify
from actae.domain.member_leases import Ownership
from actae.operations import group_messages as operations
from actae.operations.group_messages import SendMessage
from actae.transport.digests import digest_aside
from actae.transport.fields import (
    NULL,
    Cursor,
    EventType,
    MemberId,
    Name,
    OperationId,
    optional_object,
    split_message_id,
)
from actae.transport.operation_ids import operation_id_of
from actae.transport.route import Asked, Route
from actae.transport.routes.events import clamp
from actae.transport.routes.execution_groups import group_id_of, member_id_of
from actae.transport.services import Services

_LIST_MOST = 1_000


class SendBody(msgspec.Struct):
    """A message from one member to another."""

    from_member_id: MemberId
    to_member_id: MemberId
    type: EventType
    payload: Annotated[Raw, Meta(description="Any JSON.")]
    causal_context: Annotated[Raw, Meta(description="An object: what led to the message.")] = NULL
    operation_id: OperationId | None = None


class MailQuery(msgspec.Struct):
    """Which piece of the mail."""

    limit: Annotated[int, Meta(description="At most 1,000; larger values are clamped.")] = 100
    after: Annotated[str | None, Meta(description="A message id, exclusive.")] = None


class AckBody(msgspec.Struct):
    """Who holds the recipient."""

    owner_id: Name
    generation: Cursor
    operation_id: OperationId | None = None


class MessageReply(msgspec.Struct):
    """The message."""

    message: GroupMessage


class MessagesReply(msgspec.Struct):
    """In the order of their delivery. Where they are large there are fewer than asked for."""

    messages: list[GroupMessage]
    has_more: bool


async def send(services: Services, asked: Asked) -> MessageReply:
    """Deliver a message: both events, or neither. No lease is needed.

    The operation id belongs to the group, and may stand in the header `Idempotency-Key` instead.
    """
    body: SendBody = asked.body
    context = optional_object(body.causal_context, "causal_context")
    ask = SendMessage(
        group_id=group_id_of(asked),
        from_member_id=body.from_member_id,
        to_member_id=body.to_member_id,
        type=body.type,
        payload=bytes(body.payload),
        causal_context=NO_CONTEXT if context is None else context,
        identity=await _identity(asked, body, context),
    )
    return MessageReply(await operations.send(services.db, ask, caller=asked.caller))


async def _identity(asked: Asked, body: SendBody, context: bytes | None) -> Identity | None:
    operation_id = operation_id_of(body.operation_id, asked.headers)
    if operation_id is None:
        return None
    content = await digest_aside(
        len(bytes(body.payload)) + len(context or b""),
        content_digest,
        body.from_member_id,
        body.to_member_id,
        body.type,
        bytes(body.payload),
        context,
    )
    return identify("execution_groups.messages.send", operation_id, content)


async def list_mail(services: Services, asked: Asked) -> MessagesReply:
    """All messages to a member, the oldest first, acknowledged ones too."""
    query: MailQuery = asked.query
    found, has_more = await operations.list_mail(
        services.db,
        group_id_of(asked),
        member_id_of(asked),
        after=None if query.after is None else split_message_id(query.after),
        most=clamp(query.limit, 0, _LIST_MOST),
        caller=asked.caller,
    )
    return MessagesReply(found, has_more)


async def acknowledge(services: Services, asked: Asked) -> MessageReply:
    """Mark a message as done with; only whoever holds its recipient may. A second time is the same."""
    body: AckBody = asked.body
    channel_id, cursor = split_message_id(asked.path["message_id"])
    asked.caller.require("write", channel_id)
    held = Ownership(body.owner_id, body.generation)
    return MessageReply(await operations.acknowledge(services.db, channel_id, cursor, held))


_MEMBER_ERRORS = (group_errors.GroupNotFoundError, group_errors.MemberNotFoundError)

ROUTES = (
    Route(
        method="POST",
        path="/execution-groups/{group_id}/messages",
        operation="execution_groups.messages.send",
        summary="Send a message from one member to another",
        handler=send,
        body=SendBody,
        reply=MessageReply,
        errors=(
            *_MEMBER_ERRORS,
            errors.IdempotencyConflictError,
            errors.ChannelClosedError,
            errors.ChannelDeletedError,
            errors.CounterfactualBlockedError,
        ),
    ),
    Route(
        method="GET",
        path="/execution-groups/{group_id}/members/{member_id}/messages",
        operation="execution_groups.messages.list",
        summary="The mail of a member",
        handler=list_mail,
        query=MailQuery,
        reply=MessagesReply,
        errors=(*_MEMBER_ERRORS, group_errors.MessageNotFoundError),
    ),
    Route(
        method="POST",
        path="/execution-group-messages/{message_id}/ack",
        operation="execution_groups.messages.ack",
        summary="Acknowledge a message",
        handler=acknowledge,
        body=AckBody,
        reply=MessageReply,
        errors=(
            group_errors.MessageNotFoundError,
            group_errors.MemberLeaseLostError,
            errors.ChannelDeletedError,
            errors.CounterfactualBlockedError,
        ),
    ),
)
