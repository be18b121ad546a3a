"""Consumer groups: several workers share the events of one channel, each event in the hands of one of them.

Delivery is at least once: what a worker does not acknowledge before its lease ends is handed to another one.
Whoever consumes needs read and write on the channel. Observers see how far a group is; who may not observe
its channel does not learn of it. Each call may be repeated, so an `operation_id` is accepted and needs no
memory.
"""

from datetime import datetime
from time import monotonic
from typing import Annotated

import msgspec
from msgspec import Meta, Raw

from actae.domain import errors, group_errors
from actae.domain.access import Action
from actae.domain.consumer_groups import Group, Joined, Offset, Work
from actae.domain.redaction import all_shown
from actae.operations import consumer_groups as operations
from actae.operations.consumer_groups import Member
from actae.transport.fields import (
    NULL,
    ChannelId,
    ConsumerId,
    Cursor,
    GroupId,
    LeaseSeconds,
    OperationId,
    check_channel_id,
    optional_object,
)
from actae.transport.live.news import news_of
from actae.transport.route import Asked, Route
from actae.transport.routes.events import clamp
from actae.transport.services import Services

_LEASE_SECONDS_DEFAULT = 60
_WORK_MOST = 1_000
_LIST_MOST = 10_000


class CreateBody(msgspec.Struct):
    """A group to create. The channel need not exist yet."""

    group_id: GroupId
    channel_id: ChannelId
    metadata: Annotated[Raw, Meta(description="An object of the caller's own, or null.")] = NULL
    operation_id: OperationId | None = None


class LeaseBody(msgspec.Struct):
    """A consumer that joins or stays alive, and for how long."""

    consumer_id: ConsumerId
    lease_seconds: LeaseSeconds = _LEASE_SECONDS_DEFAULT
    operation_id: OperationId | None = None


class WorkBody(msgspec.Struct):
    """A consumer that asks for events."""

    consumer_id: ConsumerId
    limit: Annotated[int, Meta(ge=0, description="At most 1,000; larger values are clamped.")] = 100
    wait_seconds: Annotated[
        float, Meta(ge=0, le=20, description="Where there are no events: how long to wait for some.")
    ] = 0
    operation_id: OperationId | None = None


class AckBody(msgspec.Struct):
    """A consumer that is done with its events, up to and including a cursor."""

    consumer_id: ConsumerId
    cursor: Cursor
    operation_id: OperationId | None = None


class ListQuery(msgspec.Struct):
    """Which groups, and which page of them."""

    channel_id: Annotated[ChannelId | None, Meta(description="Only groups that consume this channel.")] = None
    after: Annotated[str, Meta(description="Exclusive: groups whose ids sort behind it.")] = ""
    limit: Annotated[int, Meta(ge=0, description="At most 10,000; larger values are clamped.")] = _LIST_MOST


class OffsetsQuery(msgspec.Struct):
    """Which page."""

    after: Annotated[str, Meta(description="Exclusive: consumers whose ids sort behind it.")] = ""
    limit: Annotated[int, Meta(ge=0, description="At most 10,000; larger values are clamped.")] = _LIST_MOST


class GroupsReply(msgspec.Struct):
    """Groups by id."""

    groups: list[Group]
    has_more: bool


class OffsetsReply(msgspec.Struct):
    """Consumers by id."""

    offsets: list[Offset]
    has_more: bool


class DeletedReply(msgspec.Struct):
    """What is deleted now."""

    group_id: str
    status: str = "deleted"


class AckedReply(msgspec.Struct):
    """The highest cursor that the consumer acknowledged, and how many events became done by this call."""

    group_id: str
    consumer_id: str
    last_cursor: int
    acked_count: int
    status: str = "acked"


class HeartbeatReply(msgspec.Struct):
    """Until when the lease lasts now."""

    group_id: str
    consumer_id: str
    lease_until: datetime
    status: str = "extended"


async def create(services: Services, asked: Asked) -> Group:
    """Create a group, which begins at the channel's first event. One that is there already is the reply, and
    keeps its metadata.
    """
    body: CreateBody = asked.body
    group_id = check_channel_id(body.group_id, "group_id")
    channel_id = check_channel_id(body.channel_id)
    asked.caller.require("write", channel_id)
    metadata = optional_object(body.metadata, "metadata")
    return await operations.create(services.db, group_id, channel_id, metadata)


async def list_by_name(services: Services, asked: Asked) -> GroupsReply:
    """Groups of all channels that may be observed, or of one; each with how far it is."""
    asked.caller.require_any("observe")
    query: ListQuery = asked.query
    permissions = asked.caller.permissions
    if query.channel_id is not None:
        asked.caller.require("observe", check_channel_id(query.channel_id))
    most = clamp(query.limit, 0, _LIST_MOST)
    found, has_more = await operations.list_by_name(
        services.db,
        channel_id=query.channel_id,
        readable=permissions.observable_like(),
        after=query.after,
        most=most,
    )
    return GroupsReply(all_shown(found, permissions), has_more)


async def delete(services: Services, asked: Asked) -> DeletedReply:
    """Forget a group, its consumers, and how far they were. The events stay."""
    channel_id = await _channel_of(services, asked, "delete")
    group_id = asked.path["group_id"]
    if channel_id is None:
        raise group_errors.GroupNotFoundError(group_id)
    await operations.delete(services.db, channel_id, group_id)
    return DeletedReply(group_id)


async def join(services: Services, asked: Asked) -> Joined:
    """Begin to consume, or begin anew. While the last lease is live, what is in the consumer's hands stays
    there; afterwards it may be handed to others. What was acknowledged is never handed out again. A group
    that was deleted and made anew has another `group_created_at`.
    """
    body: LeaseBody = asked.body
    return await operations.join(services.db, await _member(services, asked), body.lease_seconds)


async def claim_work(services: Services, asked: Asked) -> Work:
    """The events in the consumer's hands, if there are any; else the next free ones, which are in its hands
    from now on. So a repetition brings the same events. A reply ends at about 32 MiB. The lease is not
    extended, neither by asking nor by waiting. `is_finished` says that nothing is left to ask for: all is
    done, and the channel is closed.
    """
    body: WorkBody = asked.body
    most = clamp(body.limit, 0, _WORK_MOST)
    member = await _member(services, asked)
    work = await operations.claim_work(services.db, member, most)
    if work.events or work.is_finished or most == 0 or body.wait_seconds == 0:
        return work
    until = monotonic() + body.wait_seconds
    async with news_of(services, asked, member.channel_id) as news:
        while True:
            work = await operations.claim_work(services.db, member, most)
            left = until - monotonic()
            if work.events or work.is_finished or left <= 0 or not await news.are_waited_for(left):
                return work
            await _require_still(services, asked, member)


async def ack(services: Services, asked: Asked) -> AckedReply:
    """What is in the consumer's hands, up to and including the cursor, is done: nobody is handed it again."""
    body: AckBody = asked.body
    member = await _member(services, asked)
    acked = await operations.ack(services.db, member, body.cursor)
    last_cursor = acked.changed.consumer.last_cursor
    return AckedReply(member.group_id, member.consumer_id, last_cursor, acked.acked_count)


async def heartbeat(services: Services, asked: Asked) -> HeartbeatReply:
    """Keep a live lease: it ends so many seconds from now. One that has lapsed is not revived; join again."""
    body: LeaseBody = asked.body
    member = await _member(services, asked)
    kept = await operations.heartbeat(services.db, member, body.lease_seconds)
    return HeartbeatReply(member.group_id, member.consumer_id, kept.lease_until)


async def list_offsets(services: Services, asked: Asked) -> OffsetsReply:
    """Where each consumer of a group stands."""
    query: OffsetsQuery = asked.query
    channel_id = await _channel_of(services, asked, "observe")
    group_id = asked.path["group_id"]
    if channel_id is None:
        raise group_errors.GroupNotFoundError(group_id)
    most = clamp(query.limit, 0, _LIST_MOST)
    found = await operations.list_offsets(services.db, channel_id, group_id, after=query.after, most=most + 1)
    return OffsetsReply(found[:most], len(found) > most)


async def _require_still(services: Services, asked: Asked, member: Member) -> None:
    """Whoever has waited may have lost the right meanwhile."""
    caller = await services.authenticator.identify(asked.headers)
    for action in ("read", "write"):
        caller.require(action, member.channel_id)


async def _member(services: Services, asked: Asked) -> Member:
    body: LeaseBody | WorkBody | AckBody = asked.body
    consumer_id = check_channel_id(body.consumer_id, "consumer_id")
    channel_id = await _channel_of(services, asked, "read", "write")
    group_id = asked.path["group_id"]
    if channel_id is None:
        raise operations.no_such_group(group_id, consumer_id)
    return Member(channel_id, group_id, consumer_id)


async def _channel_of(services: Services, asked: Asked, *needed: Action) -> str | None:
    """The channel of the group in the path; None also where the caller may not know of it.

    Raises:
        ForbiddenError: the caller may know of it, and may not do this.
    """
    group_id = check_channel_id(asked.path["group_id"], "group_id")
    caller = asked.caller
    for action in needed:
        caller.require_any(action)
    channel_id = await operations.find_channel(services.db, group_id)
    if channel_id is None:
        return None
    missing = [action for action in needed if not caller.permissions.allows(action, channel_id)]
    if missing and not caller.permissions.allows("observe", channel_id):
        return None
    for action in missing:
        caller.require(action, channel_id)
    return channel_id


_CONSUMER_ERRORS = (errors.InvalidRequestError, errors.InvalidJsonError, group_errors.ConsumerNotFoundError)
_GROUP_ERRORS = (errors.InvalidRequestError, group_errors.GroupNotFoundError)

ROUTES = (
    Route(
        method="POST",
        path="/groups",
        operation="groups.create",
        summary="Create a consumer group",
        handler=create,
        body=CreateBody,
        reply=Group,
        errors=(
            errors.InvalidRequestError,
            errors.InvalidJsonError,
            group_errors.GroupConflictError,
            errors.ChannelDeletedError,
        ),
    ),
    Route(
        method="GET",
        path="/groups",
        operation="groups.list",
        summary="Consumer groups, and how far they are",
        handler=list_by_name,
        query=ListQuery,
        reply=GroupsReply,
        errors=(errors.InvalidRequestError,),
    ),
    Route(
        method="DELETE",
        path="/groups/{group_id}",
        operation="groups.delete",
        summary="Forget a consumer group",
        handler=delete,
        reply=DeletedReply,
        errors=_GROUP_ERRORS,
    ),
    Route(
        method="POST",
        path="/groups/{group_id}/join",
        operation="groups.join",
        summary="Begin to consume, with a lease",
        handler=join,
        body=LeaseBody,
        reply=Joined,
        errors=_CONSUMER_ERRORS,
    ),
    Route(
        method="POST",
        path="/groups/{group_id}/work",
        operation="groups.claim_work",
        summary="Be handed events",
        handler=claim_work,
        body=WorkBody,
        reply=Work,
        errors=_CONSUMER_ERRORS,
    ),
    Route(
        method="POST",
        path="/groups/{group_id}/ack",
        operation="groups.ack",
        summary="Acknowledge events up to a cursor",
        handler=ack,
        body=AckBody,
        reply=AckedReply,
        errors=_CONSUMER_ERRORS,
    ),
    Route(
        method="POST",
        path="/groups/{group_id}/heartbeat",
        operation="groups.heartbeat",
        summary="Keep a live lease",
        handler=heartbeat,
        body=LeaseBody,
        reply=HeartbeatReply,
        errors=_CONSUMER_ERRORS,
    ),
    Route(
        method="GET",
        path="/groups/{group_id}/offsets",
        operation="groups.offsets.get",
        summary="Where each consumer stands",
        handler=list_offsets,
        query=OffsetsQuery,
        reply=OffsetsReply,
        errors=_GROUP_ERRORS,
    ),
)
