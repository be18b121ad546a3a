"""Execution groups: make one, add members, look.

A member shows to those whose permissions reach its channel, and a group to those who see one of its members;
a group without members shows to all.
"""

import msgspec

from actae.domain.access import Action, Caller
from actae.domain.canonical_json import canonical
from actae.domain.errors import ChannelDeletedError
from actae.domain.execution_groups import ExecutionGroup, GroupMember, show_member, visible_members
from actae.domain.group_errors import (
    GroupConflictError,
    GroupNotFoundError,
    MemberConflictError,
    MemberNotFoundError,
)
from actae.store import channels as channels_store
from actae.store import execution_groups as store
from actae.store.database import Database, Session, Transaction, story
from actae.store.instance import ping


class AddMember(msgspec.Struct, frozen=True, kw_only=True):
    """Bind a name to a channel."""

    group_id: str
    member_id: str
    channel_id: str
    role: str | None
    metadata: bytes


@story
async def create(tx: Transaction, group_id: str, metadata: bytes, *, caller: Caller) -> ExecutionGroup:
    """The new group, or the one that there is with the same metadata.

    Raises:
        GroupConflictError
    """
    await store.add_group(tx, group_id, metadata, await ping(tx))
    group = await _find(tx, group_id, caller)
    if group is None or canonical(bytes(group.metadata)) != canonical(metadata):
        raise GroupConflictError(group_id)
    return group


@story
async def add_member(tx: Transaction, ask: AddMember, *, caller: Caller) -> GroupMember:
    """The new member, or the one that there is with the same channel, role and metadata.

    Raises:
        GroupNotFoundError, MemberConflictError, ChannelDeletedError
    """
    await require_group(tx, ask.group_id, caller)
    added = await store.add_member(
        tx, ask.group_id, ask.member_id, channel_id=ask.channel_id, role=ask.role, metadata=ask.metadata
    )
    if added:
        await _refuse_deleted(tx, ask.channel_id)
        await store.touch_group(tx, ask.group_id)
    found = await store.get_members(tx, ask.group_id, [ask.member_id])
    member = found[ask.member_id]
    if not added and not _is_same(member, ask):
        raise MemberConflictError(ask.group_id, ask.member_id)
    return show_member(member)


async def list_newest(
    db: Database, *, readable: list[str] | None, skip: int, most: int
) -> list[ExecutionGroup]:
    """Newest first. `readable` are LIKE patterns; None stands for all."""
    return await store.list_groups(db, readable=readable, skip=skip, most=most)


async def list_members(db: Database, group_id: str, *, caller: Caller) -> list[GroupMember]:
    """The members that the caller may read, in the order in which they were added.

    Raises:
        GroupNotFoundError
    """
    await require_group(db, group_id, caller)
    members = await store.list_members(db, group_id)
    readable = visible_members(members, lambda channel_id: caller.permissions.allows("read", channel_id))
    return [show_member(member) for member in readable]


async def require_group(session: Session, group_id: str, caller: Caller) -> ExecutionGroup:
    """The group, if there is one for this caller.

    Raises:
        GroupNotFoundError
    """
    group = await _find(session, group_id, caller)
    if group is None:
        raise GroupNotFoundError(group_id)
    return group


async def require_members(
    session: Session, group_id: str, *member_ids: str, caller: Caller, action: Action
) -> list[GroupMember]:
    """The named members, in this order, on whose channels the caller may do this.

    Raises:
        GroupNotFoundError, MemberNotFoundError, ForbiddenError
    """
    found = await store.get_members(session, group_id, set(member_ids))
    for member_id in member_ids:
        member = found.get(member_id)
        if member is None or not caller.permissions.reaches(member.channel_id):
            await require_group(session, group_id, caller)
            raise MemberNotFoundError(group_id, member_id)
        caller.require(action, member.channel_id)
    return [found[member_id] for member_id in member_ids]


async def _find(session: Session, group_id: str, caller: Caller) -> ExecutionGroup | None:
    group = await store.get_group(session, group_id)
    if group is None:
        return None
    members = await store.list_members(session, group_id)
    shows = not members or visible_members(members, caller.permissions.reaches)
    return group if shows else None


def _is_same(member: GroupMember, ask: AddMember) -> bool:
    return (
        member.channel_id == ask.channel_id
        and member.role == ask.role
        and canonical(bytes(member.metadata)) == canonical(ask.metadata)
    )


async def _refuse_deleted(tx: Transaction, channel_id: str) -> None:
    head = await channels_store.get_head(tx, channel_id)
    if head is not None and head.lifecycle == "deleted":
        raise ChannelDeletedError(channel_id)
