"""Execution groups: agents that run on their own, each a named member bound to a channel."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Literal

import msgspec

GroupStatus = Literal["active"]


class ExecutionGroup(msgspec.Struct, frozen=True):
    """A group as callers see it."""

    group_id: str
    status: GroupStatus
    metadata: msgspec.Raw
    created_at: datetime
    updated_at: datetime


class GroupMember(msgspec.Struct, frozen=True):
    """A member and its lease. A lapsed lease stays its owner's until somebody else claims the member."""

    group_id: str
    member_id: str
    channel_id: str
    role: str | None
    metadata: msgspec.Raw
    owner_id: str | None  # as it is stored, whoever held it last
    generation: int  # 0 is never claimed
    lease_until: datetime | None  # None is never claimed, or released


def show_member(member: GroupMember) -> GroupMember:
    """The member as callers see it: one that nobody has claimed since its release has no owner."""
    return member if member.lease_until is not None else msgspec.structs.replace(member, owner_id=None)


def visible_members(members: Iterable[GroupMember], may_see: Callable[[str], bool]) -> list[GroupMember]:
    """Those whose channels the caller may see; the others are as if they were not there."""
    return [member for member in members if may_see(member.channel_id)]
