"""Consumer groups: create, look, join, be handed events, acknowledge them, stay alive, delete.

Every story about a consumer takes the group's lock, looks, decides and writes what changed, so consumers of
one group come one after the other, whichever servers they talk to.
"""

from typing import NamedTuple, TypeVar

from actae.domain.answers import Refused
from actae.domain.consumer_groups import (
    Acked,
    Group,
    GroupView,
    Joined,
    Offset,
    Work,
    decide_ack,
    decide_heartbeat,
    decide_join,
    decide_work,
    reserve,
    show_joined,
    show_offset,
)
from actae.domain.errors import ChannelDeletedError
from actae.domain.group_errors import ConsumerNotFoundError, GroupConflictError, GroupNotFoundError
from actae.store import consumer_groups as store
from actae.store.channels import get_head, lock_heads
from actae.store.database import Database, Transaction, story
from actae.store.events import list_events_at

T = TypeVar("T")


class Member(NamedTuple):
    """A consumer of a group, and the channel that the group consumes."""

    channel_id: str
    group_id: str
    consumer_id: str


@story
async def create(tx: Transaction, group_id: str, channel_id: str, metadata: bytes | None) -> Group:
    """The new group, or the one that is there: its metadata stay what they were.

    Raises:
        GroupConflictError, ChannelDeletedError
    """
    await lock_heads(tx, channel_id)
    head = await get_head(tx, channel_id)
    if head is not None and head.lifecycle == "deleted":
        raise ChannelDeletedError(channel_id)
    await store.add_group(tx, group_id, channel_id, metadata)
    group = await store.get_group(tx, channel_id, group_id)
    if group is None:
        raise GroupConflictError(group_id)
    return group


async def find_channel(db: Database, group_id: str) -> str | None:
    """The channel that a group consumes; None where there is no such group."""
    return await store.find_channel(db, group_id)


async def list_by_name(
    db: Database, *, channel_id: str | None, readable: list[str] | None, after: str, most: int
) -> tuple[list[Group], bool]:
    """Groups by name, from behind one on, and whether there are more.

    `readable` are LIKE patterns of channels; None stands for all.
    """
    page = await store.list_groups(db, channel_id=channel_id, readable=readable, after=after, most=most + 1)
    return page.rows[:most], page.was_cut or len(page.rows) > most


async def list_offsets(
    db: Database, channel_id: str, group_id: str, *, after: str, most: int
) -> list[Offset]:
    """Where each consumer stands, by name, from behind one on."""
    return await store.list_offsets(db, channel_id, group_id, after=after, most=most)


@story
async def delete(tx: Transaction, channel_id: str, group_id: str) -> None:
    """Forget a group, its consumers, and how far they were.

    Raises:
        GroupNotFoundError
    """
    if not await store.delete_group(tx, channel_id, group_id):
        raise GroupNotFoundError(group_id)


@story
async def join(tx: Transaction, member: Member, lease_seconds: int) -> Joined:
    """Begin, or begin anew, with a lease.

    Raises:
        ConsumerNotFoundError: there is no such group.
    """
    view = await _look(tx, member)
    changed = decide_join(view, lease_seconds)
    await store.write_change(tx, member.channel_id, view, changed)
    return show_joined(view, changed)


@story
async def heartbeat(tx: Transaction, member: Member, lease_seconds: int) -> Offset:
    """Keep a live lease.

    Raises:
        ConsumerNotFoundError
    """
    view = await _look(tx, member)
    changed = _accepted(decide_heartbeat(view, lease_seconds))
    await store.write_change(tx, member.channel_id, view, changed)
    return show_offset(view, changed)


@story
async def claim_work(tx: Transaction, member: Member, most: int) -> Work:
    """Events that are in this consumer's hands from now on, or were already; fewer where they are large.

    Exactly what is delivered is reserved. If the reply is lost, asking again brings the same events.

    Raises:
        ConsumerNotFoundError
    """
    view = await _look(tx, member)
    delivery = _accepted(decide_work(view, most))
    events = await list_events_at(tx, member.channel_id, delivery.cursors)
    if events and not delivery.is_again:
        changed = reserve(view, [event.cursor for event in events])
        await store.write_change(tx, member.channel_id, view, changed)
    is_finished = view.is_all_done and await store.is_finished(
        tx, member.channel_id, cursor=view.latest_cursor
    )
    return Work(member.group_id, member.consumer_id, view.consumer.leased_until, events, is_finished)


@story
async def ack(tx: Transaction, member: Member, cursor: int) -> Acked:
    """What this consumer has in its hands, up to a cursor, is done.

    Raises:
        ConsumerNotFoundError, InvalidRequestError
    """
    view = await _look(tx, member)
    acked = _accepted(decide_ack(view, cursor))
    await store.write_change(tx, member.channel_id, view, acked.changed)
    return acked


async def _look(tx: Transaction, member: Member) -> GroupView:
    view = await store.lock_group(tx, *member)
    if view is None:
        raise no_such_group(member.group_id, member.consumer_id)
    return view


def no_such_group(group_id: str, consumer_id: str) -> ConsumerNotFoundError:
    """What a consumer is told of a group that is not there, or that it may not know of."""
    return ConsumerNotFoundError(group_id, consumer_id, "there is no such group")


def _accepted(decided: T | Refused) -> T:
    if isinstance(decided, Refused):
        raise decided.error
    return decided
