"""Forks of groups: rows to records, and the history that their cuts are made from."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

import msgspec

from actae.domain.channels import Lifecycle
from actae.domain.group_forks import ForkedMember, ForkGroup, GroupFork
from actae.domain.group_messages import MessagePlace
from actae.store.database import Session, Transaction
from actae.store.queries import query

_READ_HISTORY = query("read_group_history")
_ADD = query("add_group_fork")
_ADD_MEMBER = query("add_group_fork_member")
_GET = query("get_group_fork")
_LIST_MEMBERS = query("list_group_fork_members")
_THAW_MEMBER = query("thaw_group_fork_member")
_THAW_HEAD = query("thaw_head")


class GroupHistory(NamedTuple):
    """Where some channels stand, and the messages between them, as of one moment."""

    heads: dict[str, int]
    lifecycles: dict[str, Lifecycle]
    messages: list[MessagePlace]


async def read_history(session: Session, channel_ids: Iterable[str]) -> GroupHistory:
    """The history of these channels. One that does not exist stands at 0 and is open."""
    history = GroupHistory({}, {}, [])
    for row in await session.fetch(_READ_HISTORY, channel_ids=sorted(set(channel_ids))):
        channel_id, cursor, lifecycle, source_id, source_cursor, delivery_cursor, *recipient = row
        history.heads[channel_id] = cursor or 0
        history.lifecycles[channel_id] = lifecycle or "open"
        if source_id is not None:
            place = MessagePlace(source_id, source_cursor, channel_id, delivery_cursor, *recipient)
            history.messages.append(place)
    return history


async def add_fork(tx: Transaction, ask: ForkGroup, now: datetime) -> None:
    """The receipt, without its members."""
    await tx.execute(
        _ADD,
        fork_group_id=ask.fork_group_id,
        source_group_id=ask.source_group_id,
        intervention_member_id=ask.intervention_member_id,
        intervention_cursor=ask.intervention_cursor,
        tool_policies=msgspec.json.encode(ask.tool_policies),
        content_digest=ask.content_digest,
        now=now,
    )


async def add_member(
    tx: Transaction,
    fork_group_id: str,
    member_id: str,
    *,
    resolved_cursor: int,
    undelivered: list[str],
    policy: str,
) -> None:
    """What became of one member."""
    await tx.execute(
        _ADD_MEMBER,
        fork_group_id=fork_group_id,
        member_id=member_id,
        resolved_cursor=resolved_cursor,
        undelivered=undelivered,
        policy=policy,
    )


async def get_fork(session: Session, fork_group_id: str) -> tuple[GroupFork, bytes] | None:
    """The receipt with all its members, and the digest of the request that it answers."""
    row = await session.fetch_one(_GET, fork_group_id=fork_group_id)
    if row is None:
        return None
    values = dict(row)
    content_digest, tool_policies = values.pop("content_digest"), values.pop("tool_policies")
    members = await _list_members(session, fork_group_id)
    policies = {member.member_id: member.policy for member in members}
    fork = GroupFork(
        members=members, member_policies=policies, tool_policies=msgspec.Raw(tool_policies), **values
    )
    return fork, content_digest


async def thaw(tx: Transaction, fork_group_id: str, member: ForkedMember) -> None:
    """Let a frozen member take part. The head of its channel is locked."""
    await tx.execute(_THAW_MEMBER, fork_group_id=fork_group_id, member_id=member.member_id)
    await tx.execute(_THAW_HEAD, channel_id=member.channel_id)


async def _list_members(session: Session, fork_group_id: str) -> list[ForkedMember]:
    rows = await session.fetch(_LIST_MEMBERS, fork_group_id=fork_group_id)
    return [ForkedMember(**dict(row)) for row in rows]
