"""Fork a whole group: every member on a fork of its channel, at boundaries that fit together."""

import asyncpg
import msgspec

from actae.domain.access import Caller
from actae.domain.causal_cuts import find_cuts, find_undelivered
from actae.domain.channels import CHANNEL_ID_CHARS_MAX
from actae.domain.errors import (
    ChannelConflictError,
    ChannelDeletedError,
    ForbiddenError,
    IdempotencyConflictError,
    InvalidRequestError,
)
from actae.domain.execution_groups import GroupMember, visible_members
from actae.domain.forks import ForkChannel
from actae.domain.group_errors import GroupConflictError, GroupForkNotFoundError, MemberNotFoundError
from actae.domain.group_forks import (
    ForkedMember,
    ForkGroup,
    GroupFork,
    child_channel_id,
    policy_of,
    show_visible,
)
from actae.domain.identity import identify
from actae.operations.execution_groups import require_group
from actae.operations.forks import draft
from actae.store import channels as channels_store
from actae.store import execution_groups as groups_store
from actae.store import forks as forks_store
from actae.store import group_forks as store
from actae.store.database import Database, Session, Transaction, story
from actae.store.forks import ForkSource
from actae.store.group_forks import GroupHistory
from actae.store.instance import ping

_RACES_MAX = 5

# What a member had done whose channel nobody has written yet.
_NOTHING = ForkSource(0, 0, None, "open", None, None, None, None, 0)


async def fork(db: Database, ask: ForkGroup, *, caller: Caller) -> GroupFork:
    """Make the group with all its channels, or return the receipt of the same fork made before.

    Raises:
        IdempotencyConflictError, GroupConflictError, GroupNotFoundError, MemberNotFoundError,
        InvalidRequestError, ForbiddenError, ChannelConflictError, ChannelDeletedError
    """
    for _ in range(_RACES_MAX):
        try:
            return await _fork(db, ask, caller)
        except asyncpg.UniqueViolationError:
            continue  # Somebody made one of the channels meanwhile; now it can be seen.
    raise GroupConflictError(ask.fork_group_id)


@story
async def _fork(tx: Transaction, ask: ForkGroup, caller: Caller) -> GroupFork:
    found = await store.get_fork(tx, ask.fork_group_id)
    if found is None:
        source = await require_group(tx, ask.source_group_id, caller)
        members = await _require_all_members(tx, ask, caller)
        # Whoever forks under the same id at this moment is waited for here, and found below.
        if await groups_store.add_group(tx, ask.fork_group_id, bytes(source.metadata), await ping(tx)):
            await _make(tx, ask, members)
        found = await store.get_fork(tx, ask.fork_group_id)
    return _same(ask, found, caller)


def _same(ask: ForkGroup, found: tuple[GroupFork, bytes] | None, caller: Caller) -> GroupFork:
    shown = None if found is None else show_visible(found[0], caller.permissions.reaches)
    if found is None or shown is None:
        raise GroupConflictError(ask.fork_group_id)
    if found[1] != ask.content_digest:
        raise IdempotencyConflictError(ask.fork_group_id, what="Group fork")
    return shown


async def _require_all_members(tx: Transaction, ask: ForkGroup, caller: Caller) -> list[GroupMember]:
    """All members of the source, if the caller may read them and write their children."""
    members = await groups_store.list_members(tx, ask.source_group_id)
    names = {each.member_id for each in visible_members(members, caller.permissions.reaches)}
    if ask.intervention_member_id not in names:
        raise MemberNotFoundError(ask.source_group_id, ask.intervention_member_id)
    for member_id in ask.member_policies:
        if member_id not in names:
            raise InvalidRequestError(
                f"Group {ask.source_group_id!r} has no member {member_id!r}.",
                field=f"member_policies.{member_id}",
            )
    for member in members:
        if not caller.permissions.allows("read", member.channel_id):
            raise ForbiddenError(f"This credential may not read all of group {ask.source_group_id!r}.")
        child_id = child_channel_id(ask.fork_group_id, member.member_id)
        if len(child_id) > CHANNEL_ID_CHARS_MAX:
            raise InvalidRequestError(
                f"The channel of member {member.member_id!r} would be {child_id!r}, which is longer than "
                f"{CHANNEL_ID_CHARS_MAX} characters.",
                field="fork_group_id",
            )
        caller.require("write", child_id)
    return members


async def _make(tx: Transaction, ask: ForkGroup, members: list[GroupMember]) -> None:
    history = await store.read_history(tx, (member.channel_id for member in members))
    _refuse_deleted(history)
    (changed,) = (each for each in members if each.member_id == ask.intervention_member_id)
    _refuse_beyond(ask, history.heads[changed.channel_id])
    cuts = find_cuts(history.heads, history.messages, changed.channel_id, ask.intervention_cursor)
    undelivered = find_undelivered(cuts, history.messages)
    await _refuse_taken(tx, ask, members)
    # Sources are held in the order of their ids, like everything that is locked.
    for member in sorted(members, key=lambda each: each.channel_id):
        await _fork_channel(tx, ask, member, cuts[member.channel_id])
    await store.add_fork(tx, ask, await ping(tx))
    for member in members:
        await groups_store.add_member(
            tx,
            ask.fork_group_id,
            member.member_id,
            channel_id=child_channel_id(ask.fork_group_id, member.member_id),
            role=member.role,
            metadata=bytes(member.metadata),
        )
        missed = [
            each.message_id
            for each in undelivered
            if (each.group_id, each.to_member_id) == (ask.source_group_id, member.member_id)
        ]
        await store.add_member(
            tx,
            ask.fork_group_id,
            member.member_id,
            resolved_cursor=cuts[member.channel_id],
            undelivered=missed,
            policy=policy_of(ask, member.member_id),
        )


def _refuse_beyond(ask: ForkGroup, head: int) -> None:
    """The receipt would name a boundary at which nothing was cut."""
    if ask.intervention_cursor > head:
        raise InvalidRequestError(
            f"The channel of member {ask.intervention_member_id!r} ends at cursor {head}; there is no "
            f"{ask.intervention_cursor} to cut it at.",
            field="intervention_cursor",
            latest_cursor=head,
        )


def _refuse_deleted(history: GroupHistory) -> None:
    for channel_id, lifecycle in history.lifecycles.items():
        if lifecycle == "deleted":
            raise ChannelDeletedError(channel_id)


async def _refuse_taken(tx: Transaction, ask: ForkGroup, members: list[GroupMember]) -> None:
    children = (child_channel_id(ask.fork_group_id, each.member_id) for each in members)
    for head in await channels_store.get_heads(tx, *children):
        if head.lifecycle == "deleted":
            raise ChannelDeletedError(head.channel_id)
        raise ChannelConflictError(head.channel_id)


async def _fork_channel(tx: Transaction, ask: ForkGroup, member: GroupMember, cut: int) -> None:
    """The member's channel up to the cut: with the state of the newest snapshot by then, if there is one."""
    source_id, child_id = member.channel_id, child_channel_id(ask.fork_group_id, member.member_id)
    read = await forks_store.read_fork_source(tx, source_id, cut, boundary=cut, with_state=True)
    source = read or _NOTHING
    if source.lifecycle == "deleted":
        raise ChannelDeletedError(source_id)
    reason = f"member {member.member_id!r} of a fork of group {ask.source_group_id!r}"
    wanted = ForkChannel(
        source_channel_id=source_id,
        new_channel_id=child_id,
        at_cursor=cut,
        identity=identify("execution_groups.forks.create", child_id, ask.content_digest),
        reason=reason,
        tool_policies=msgspec.json.encode(ask.tool_policies) if ask.tool_policies else None,
        copy_state=source.state is not None,
        fork_group_id=ask.fork_group_id,
    )
    made = await draft(tx, wanted, source, boundary=cut)
    await forks_store.add_fork(
        tx,
        made.fork,
        started=made.started,
        state=source.state,
        display_name=None,
        reason=reason,
        experiment_metadata=None,
        lifecycle="frozen" if policy_of(ask, member.member_id) == "frozen" else "open",
    )


async def get(db: Database, fork_group_id: str, *, caller: Caller) -> GroupFork:
    """The receipt of a group fork as the caller may read it, with the policies that its members have now.

    Raises:
        GroupForkNotFoundError
    """
    fork = await _require_fork(db, fork_group_id, caller)
    shown = show_visible(fork, lambda channel_id: caller.permissions.allows("read", channel_id))
    if shown is None:
        raise GroupForkNotFoundError(fork_group_id)
    return shown


@story
async def promote(tx: Transaction, fork_group_id: str, member_id: str, *, caller: Caller) -> GroupFork:
    """Let a frozen member take part from now on; one that does already is left as it is.

    Raises:
        GroupForkNotFoundError, MemberNotFoundError, ForbiddenError, ChannelDeletedError
    """
    member = await _require_forked(tx, fork_group_id, member_id, caller)
    await channels_store.lock_heads(tx, member.channel_id)
    for head in await channels_store.get_heads(tx, member.channel_id):
        if head.lifecycle == "deleted":
            raise ChannelDeletedError(member.channel_id)
    await store.thaw(tx, fork_group_id, member)
    return await _require_fork(tx, fork_group_id, caller)


async def _require_forked(
    session: Session, fork_group_id: str, member_id: str, caller: Caller
) -> ForkedMember:
    fork = await _require_fork(session, fork_group_id, caller)
    for member in fork.members:
        if member.member_id == member_id:
            caller.require("write", member.channel_id)
            return member
    raise MemberNotFoundError(fork_group_id, member_id)


async def _require_fork(session: Session, fork_group_id: str, caller: Caller) -> GroupFork:
    found = await store.get_fork(session, fork_group_id)
    shown = None if found is None else show_visible(found[0], caller.permissions.reaches)
    if shown is None:
        raise GroupForkNotFoundError(fork_group_id)
    return shown
