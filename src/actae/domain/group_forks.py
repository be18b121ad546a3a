"""Forks of a whole group: what would have happened, had one member gone on differently.

Every member gets a fork of its channel, at a boundary that nothing behind the intervention has reached.
Frozen members stand still there; reactive ones take part.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final, Literal

import msgspec

from actae.domain.forks import Policy

MemberPolicy = Literal["frozen", "reactive"]
MEMBER_POLICIES: Final[tuple[MemberPolicy, ...]] = ("frozen", "reactive")
UNLISTED: Final[MemberPolicy] = "frozen"


class ForkGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Fork a group where one of its members is to go on differently."""

    fork_group_id: str
    source_group_id: str
    intervention_member_id: str
    intervention_cursor: int
    member_policies: Mapping[str, MemberPolicy]
    tool_policies: Mapping[str, Policy]
    content_digest: bytes


class ForkedMember(msgspec.Struct, frozen=True, kw_only=True):
    """A member of the fork. Cursors and message ids are those of the source.

    `resolved_cursor` is the cut: steps and effects up to it are inherited. The state is that of the newest
    snapshot at or before it, from `resolved_state_cursor`, if there is one. `undelivered` are the messages
    that a sender had sent before its cut and that arrived behind this one: the fork does not have them.
    """

    member_id: str
    source_channel_id: str
    channel_id: str
    resolved_cursor: int
    resolved_state_cursor: int
    source_state_version: int
    restorable: bool
    undelivered: list[str]
    policy: MemberPolicy


class GroupFork(msgspec.Struct, frozen=True, kw_only=True):
    """The receipt of a group fork. Only the policies of members ever change."""

    fork_group_id: str
    source_group_id: str
    intervention_member_id: str
    intervention_cursor: int
    member_policies: dict[str, MemberPolicy]
    tool_policies: msgspec.Raw
    members: list[ForkedMember]
    created_at: datetime


def child_channel_id(fork_group_id: str, member_id: str) -> str:
    """The channel of a forked member."""
    return f"{fork_group_id}:{member_id}"


def policy_of(ask: ForkGroup, member_id: str) -> MemberPolicy:
    """What a member is to do; one that is not listed stands still."""
    return ask.member_policies.get(member_id, UNLISTED)


def show_visible(fork: GroupFork, may_see: Callable[[str], bool]) -> GroupFork | None:
    """The receipt as somebody sees it; None if they may see none of the members."""
    members = [member for member in fork.members if may_see(member.channel_id)]
    if not members:
        return None
    policies: dict[str, MemberPolicy] = {member.member_id: member.policy for member in members}
    return msgspec.structs.replace(fork, members=members, member_policies=policies)
