"""Who works for a member: a lease with a generation, which fences.

| asked for   | by                                        | answer                                       |
|-------------|-------------------------------------------|----------------------------------------------|
| claim       | the owner, while the lease lives          | renewed, the same generation                 |
| claim       | anybody, when it lapsed or was released   | theirs, the next generation                  |
| claim       | somebody else, while it lives             | refused: `member_lease_held`                 |
| heartbeat   | owner and generation, not released        | renewed, also when it lapsed                 |
| release     | owner and generation                      | released, however often                      |
| acknowledge | owner and generation, not released        | allowed, also when the lease lapsed          |
| any of three| anybody else, or an older generation      | refused: `member_lease_lost`                 |

The generation is the fence, not the clock: a lapsed lease that nobody took over still belongs to its owner.
"""

from datetime import datetime, timedelta
from typing import NamedTuple

import msgspec

from actae.domain.execution_groups import GroupMember
from actae.domain.group_errors import MemberLeaseHeldError, MemberLeaseLostError


class Ownership(NamedTuple):
    """Who says to hold a member, and since which generation."""

    owner_id: str
    generation: int


class MemberLease(msgspec.Struct, frozen=True):
    """A lease as its owner sees it."""

    group_id: str
    member_id: str
    owner_id: str
    generation: int
    lease_until: datetime


def claim(member: GroupMember, owner_id: str, lease_seconds: int, now: datetime) -> MemberLease:
    """The lease of whoever claims now.

    Raises:
        MemberLeaseHeldError
    """
    is_live = member.lease_until is not None and now < member.lease_until
    if is_live and member.owner_id != owner_id:
        assert member.lease_until is not None, "what lives has an end"
        raise MemberLeaseHeldError(member.group_id, member.member_id, lease_until=member.lease_until)
    generation = member.generation if is_live else member.generation + 1
    return _lease(member, Ownership(owner_id, generation), lease_seconds, now)


def renew(member: GroupMember, held: Ownership, lease_seconds: int, now: datetime) -> MemberLease:
    """The lease from now on.

    Raises:
        MemberLeaseLostError
    """
    require_holder(member, held)
    return _lease(member, held, lease_seconds, now)


def require_holder(member: GroupMember, held: Ownership) -> None:
    """Raise MemberLeaseLostError unless the member is held by this owner, and in this generation."""
    require_last_holder(member, held)
    if member.lease_until is None:
        raise _lost(member)


def require_last_holder(member: GroupMember, held: Ownership) -> None:
    """Raise MemberLeaseLostError unless this owner holds the member, or released it and nobody came since."""
    if held != (member.owner_id, member.generation):
        raise _lost(member)


def _lease(member: GroupMember, held: Ownership, lease_seconds: int, now: datetime) -> MemberLease:
    return MemberLease(member.group_id, member.member_id, *held, now + timedelta(seconds=lease_seconds))


def _lost(member: GroupMember) -> MemberLeaseLostError:
    return MemberLeaseLostError(member.group_id, member.member_id, current_generation=member.generation)
