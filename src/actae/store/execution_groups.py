"""Execution groups and their members: rows to records."""

from collections.abc import Iterable
from datetime import datetime

import msgspec

from actae.domain.execution_groups import ExecutionGroup, GroupMember
from actae.domain.member_leases import MemberLease
from actae.store.database import Row, Session, Transaction
from actae.store.queries import query

_ADD = query("add_execution_group")
_GET = query("get_execution_group")
_LIST = query("list_execution_groups")
_TOUCH = query("touch_execution_group")
_ADD_MEMBER = query("add_group_member")
_LIST_MEMBERS = query("list_group_members")
_GET_MEMBERS = query("get_group_members")
_LOCK_MEMBER = query("lock_group_member")
_SET_LEASE = query("set_member_lease")


async def add_group(tx: Transaction, group_id: str, metadata: bytes, now: datetime) -> bool:
    """A new group without members; False if there is one of this name."""
    added = await tx.fetch_one(_ADD, group_id=group_id, metadata=metadata, now=now)
    return added is not None


async def get_group(session: Session, group_id: str) -> ExecutionGroup | None:
    """A group, without its members."""
    row = await session.fetch_one(_GET, group_id=group_id)
    return None if row is None else _group(row)


async def list_groups(
    session: Session, *, readable: list[str] | None, skip: int, most: int
) -> list[ExecutionGroup]:
    """Those that somebody with these LIKE patterns may see, newest first."""
    return [_group(row) for row in await session.fetch(_LIST, readable=readable, skip=skip, most=most)]


async def touch_group(tx: Transaction, group_id: str) -> None:
    """Mark a group as changed."""
    await tx.execute(_TOUCH, group_id=group_id)


async def add_member(
    tx: Transaction, group_id: str, member_id: str, *, channel_id: str, role: str | None, metadata: bytes
) -> bool:
    """A new member; False if the group has one of this name."""
    added = await tx.fetch_one(
        _ADD_MEMBER,
        group_id=group_id,
        member_id=member_id,
        channel_id=channel_id,
        role=role,
        metadata=metadata,
    )
    return added is not None


async def list_members(session: Session, group_id: str) -> list[GroupMember]:
    """All members, in the order in which they were added."""
    return [_member(row) for row in await session.fetch(_LIST_MEMBERS, group_id=group_id)]


async def get_members(session: Session, group_id: str, member_ids: Iterable[str]) -> dict[str, GroupMember]:
    """Those of the named members that there are."""
    rows = await session.fetch(_GET_MEMBERS, group_id=group_id, member_ids=list(member_ids))
    return {row["member_id"]: _member(row) for row in rows}


async def lock_member(tx: Transaction, group_id: str, member_id: str) -> GroupMember | None:
    """A member as it is now; nobody else changes its lease before this transaction ends."""
    row = await tx.fetch_one(_LOCK_MEMBER, group_id=group_id, member_id=member_id)
    return None if row is None else _member(row)


async def put_lease(tx: Transaction, lease: MemberLease) -> None:
    """Write the lease of a locked member."""
    await tx.execute(_SET_LEASE, **msgspec.structs.asdict(lease))


async def end_lease(tx: Transaction, member: GroupMember) -> None:
    """Release a locked member; who held it last is remembered."""
    await tx.execute(
        _SET_LEASE,
        group_id=member.group_id,
        member_id=member.member_id,
        owner_id=member.owner_id,
        generation=member.generation,
        lease_until=None,
    )


def _group(row: Row) -> ExecutionGroup:
    group_id, status, metadata, *moments = row
    return ExecutionGroup(group_id, status, msgspec.Raw(metadata), *moments)


def _member(row: Row) -> GroupMember:
    group_id, member_id, channel_id, role, metadata, *lease = row
    return GroupMember(group_id, member_id, channel_id, role, msgspec.Raw(metadata), *lease)
