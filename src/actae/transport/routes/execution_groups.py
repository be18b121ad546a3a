"""Execution groups: agents that run on their own, each a named member bound to a channel, with a lease.

A group names no channel of its own, so any write permission may start one. Adding a member needs write on its
channel, and so does its lease; a member that may be neither read nor written is as if it were not there.
"""

from typing import Annotated

import msgspec
from msgspec import Meta, Raw

from actae.domain import errors, group_errors
from actae.domain.execution_groups import ExecutionGroup, GroupMember
from actae.domain.member_leases import MemberLease, Ownership
from actae.operations import execution_groups as operations
from actae.operations import member_leases as leases
from actae.operations.execution_groups import AddMember
from actae.transport.fields import (
    NULL,
    ChannelId,
    Cursor,
    GroupId,
    LeaseSeconds,
    MemberId,
    Name,
    OperationId,
    check_channel_id,
    is_channel_id,
    optional_object,
)
from actae.transport.route import Asked, Route
from actae.transport.routes.events import clamp
from actae.transport.services import Services

METADATA_BYTES_MAX = 65_536

_LIST_MOST = 1_000
_DEFAULT_LEASE_SECONDS = 60

Metadata = Annotated[Raw, Meta(description="An object, kept as sent; at most 64 KiB.")]


class CreateGroupBody(msgspec.Struct):
    """A group to start. The same one twice is one, so the operation id needs no memory."""

    group_id: GroupId
    metadata: Metadata = NULL
    operation_id: OperationId | None = None


class AddMemberBody(msgspec.Struct):
    """A member to add; its channel need not exist yet. The same one twice is one."""

    member_id: MemberId
    channel_id: ChannelId
    role: Name | None = None
    metadata: Metadata = NULL
    operation_id: OperationId | None = None


class ClaimMemberBody(msgspec.Struct):
    """Who wants to work for the member, and for how long without a sign of life."""

    owner_id: Name
    lease_seconds: LeaseSeconds = _DEFAULT_LEASE_SECONDS
    operation_id: OperationId | None = None


class RenewLeaseBody(msgspec.Struct):
    """Who holds the member, and for how long from now."""

    owner_id: Name
    generation: Cursor
    lease_seconds: LeaseSeconds = _DEFAULT_LEASE_SECONDS
    operation_id: OperationId | None = None


class ReleaseLeaseBody(msgspec.Struct):
    """Who held the member."""

    owner_id: Name
    generation: Cursor
    operation_id: OperationId | None = None


class ListGroupsQuery(msgspec.Struct):
    """Which page."""

    limit: Annotated[int, Meta(ge=0, description="At most 1,000; larger values are clamped.")] = _LIST_MOST
    offset: Annotated[int, Meta(ge=0, le=2**63 - 1)] = 0


class GroupReply(msgspec.Struct):
    """The group."""

    group: ExecutionGroup


class GroupsReply(msgspec.Struct):
    """Newest first."""

    groups: list[ExecutionGroup]
    has_more: bool


class MemberReply(msgspec.Struct):
    """The member."""

    member: GroupMember


class MembersReply(msgspec.Struct):
    """In the order in which they were added."""

    members: list[GroupMember]


class LeaseReply(msgspec.Struct):
    """The lease."""

    lease: MemberLease


class ReleasedReply(msgspec.Struct):
    """The member is free."""

    group_id: str
    member_id: str
    status: str = "released"


async def create(services: Services, asked: Asked) -> GroupReply:
    """Start a group, or get the one that there is with the same metadata."""
    asked.caller.require_any("write")
    body: CreateGroupBody = asked.body
    group_id = check_channel_id(body.group_id, "group_id")
    metadata = _metadata(body.metadata)
    return GroupReply(await operations.create(services.db, group_id, metadata, caller=asked.caller))


async def list_newest(services: Services, asked: Asked) -> GroupsReply:
    """Groups, newest first: those without members, and those with one that may be read."""
    asked.caller.require_any("read")
    query: ListGroupsQuery = asked.query
    most = clamp(query.limit, 0, _LIST_MOST)
    readable = asked.caller.permissions.readable_like()
    found = await operations.list_newest(services.db, readable=readable, skip=query.offset, most=most + 1)
    return GroupsReply(found[:most], len(found) > most)


async def add_member(services: Services, asked: Asked) -> MemberReply:
    """Bind a name to a channel, for good."""
    asked.caller.require_any("write")
    body: AddMemberBody = asked.body
    ask = AddMember(
        group_id=group_id_of(asked),
        member_id=check_channel_id(body.member_id, "member_id"),
        channel_id=check_channel_id(body.channel_id),
        role=body.role,
        metadata=_metadata(body.metadata),
    )
    asked.caller.require("write", ask.channel_id)
    return MemberReply(await operations.add_member(services.db, ask, caller=asked.caller))


async def list_members(services: Services, asked: Asked) -> MembersReply:
    """The members that may be read."""
    asked.caller.require_any("read")
    return MembersReply(await operations.list_members(services.db, group_id_of(asked), caller=asked.caller))


async def claim(services: Services, asked: Asked) -> LeaseReply:
    """Take a member that nobody holds, or renew the lease of one's own.

    The generation grows with each new owner, and fences the ones before.
    """
    body: ClaimMemberBody = asked.body
    return LeaseReply(
        await leases.claim(
            services.db, *_member_of(asked), body.owner_id, body.lease_seconds, caller=asked.caller
        )
    )


async def heartbeat(services: Services, asked: Asked) -> LeaseReply:
    """Renew a lease, also one that lapsed, unless somebody took the member over."""
    body: RenewLeaseBody = asked.body
    held = Ownership(body.owner_id, body.generation)
    return LeaseReply(
        await leases.heartbeat(services.db, *_member_of(asked), held, body.lease_seconds, caller=asked.caller)
    )


async def release(services: Services, asked: Asked) -> ReleasedReply:
    """Let a member go. A second time is the same, until somebody else claims it."""
    body: ReleaseLeaseBody = asked.body
    group_id, member_id = _member_of(asked)
    held = Ownership(body.owner_id, body.generation)
    await leases.release(services.db, group_id, member_id, held, caller=asked.caller)
    return ReleasedReply(group_id, member_id)


def group_id_of(asked: Asked) -> str:
    """The group in the path; an id that no group can have is one that none has."""
    value = asked.path["group_id"]
    if not is_channel_id(value):
        raise group_errors.GroupNotFoundError(value[:300])
    return value


def member_id_of(asked: Asked) -> str:
    """The member in the path."""
    group_id, value = asked.path.get("group_id", ""), asked.path["member_id"]
    if not is_channel_id(value):
        raise group_errors.MemberNotFoundError(group_id[:300], value[:300])
    return value


def _member_of(asked: Asked) -> tuple[str, str]:
    return group_id_of(asked), member_id_of(asked)


def _metadata(value: Raw) -> bytes:
    raw = optional_object(value, "metadata") or b"{}"
    if len(raw) > METADATA_BYTES_MAX:
        raise errors.InvalidRequestError(
            f"'metadata' has {len(raw)} bytes; {METADATA_BYTES_MAX} is the most.",
            field="metadata",
            limit=METADATA_BYTES_MAX,
        )
    return raw


_MEMBER_ERRORS = (group_errors.GroupNotFoundError, group_errors.MemberNotFoundError)

ROUTES = (
    Route(
        method="POST",
        path="/execution-groups",
        operation="execution_groups.create",
        summary="Start an execution group",
        handler=create,
        body=CreateGroupBody,
        reply=GroupReply,
        errors=(group_errors.GroupConflictError,),
    ),
    Route(
        method="GET",
        path="/execution-groups",
        operation="execution_groups.list",
        summary="Execution groups, newest first",
        handler=list_newest,
        query=ListGroupsQuery,
        reply=GroupsReply,
    ),
    Route(
        method="POST",
        path="/execution-groups/{group_id}/members",
        operation="execution_groups.members.add",
        summary="Add a member to an execution group",
        handler=add_member,
        body=AddMemberBody,
        reply=MemberReply,
        errors=(
            group_errors.GroupNotFoundError,
            group_errors.MemberConflictError,
            errors.ChannelDeletedError,
        ),
    ),
    Route(
        method="GET",
        path="/execution-groups/{group_id}/members",
        operation="execution_groups.members.list",
        summary="The members of an execution group",
        handler=list_members,
        reply=MembersReply,
        errors=(group_errors.GroupNotFoundError,),
    ),
    Route(
        method="POST",
        path="/execution-groups/{group_id}/members/{member_id}/claim",
        operation="execution_groups.members.claim",
        summary="Take a member, or renew the lease on it",
        handler=claim,
        body=ClaimMemberBody,
        reply=LeaseReply,
        errors=(
            *_MEMBER_ERRORS,
            group_errors.MemberLeaseHeldError,
            errors.ChannelDeletedError,
            errors.CounterfactualBlockedError,
        ),
    ),
    Route(
        method="POST",
        path="/execution-groups/{group_id}/members/{member_id}/heartbeat",
        operation="execution_groups.members.heartbeat",
        summary="Renew the lease on a member",
        handler=heartbeat,
        body=RenewLeaseBody,
        reply=LeaseReply,
        errors=(*_MEMBER_ERRORS, group_errors.MemberLeaseLostError),
    ),
    Route(
        method="POST",
        path="/execution-groups/{group_id}/members/{member_id}/release",
        operation="execution_groups.members.release",
        summary="Let a member go",
        handler=release,
        body=ReleaseLeaseBody,
        reply=ReleasedReply,
        errors=(*_MEMBER_ERRORS, group_errors.MemberLeaseLostError),
    ),
)
