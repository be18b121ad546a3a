"""How a story appends to channels: in its own transaction, under the locks of their heads, in id order."""

from actae.domain.events import Event, to_event
from actae.domain.view import View
from actae.store import channels as channels_store
from actae.store import forks as forks_store
from actae.store import promotions as heads_store
from actae.store import steps as steps_store
from actae.store.database import Transaction
from actae.store.instance import ping


async def append_event(
    tx: Transaction,
    channel_id: str,
    event_type: str,
    payload: bytes,
    *,
    actor: str = "system",
    metadata: bytes | None = None,
    depends_on: str | None = None,
) -> Event:
    """Append one event, and make the channel if it does not exist. Locks the head, and keeps it.

    A story that writes several channels locks their heads first, in id order, or opens a view of them all.

    Raises:
        ChannelClosedError, ChannelDeletedError, CounterfactualBlockedError
    """
    view = await open_view(tx, channel_id)
    head = view.head(channel_id)
    refusal = head.refusal()
    if refusal is not None:
        raise refusal
    row = view.append_event(head, event_type, actor, payload, metadata=metadata, depends_on=depends_on)
    await write_view(tx, view)
    return to_event(row, view.now)


async def open_view(tx: Transaction, *channel_ids: str) -> View:
    """The channels as they are now, locked until the transaction ends.

    Those that do not exist yet come into being; a story that then writes to none of them must fail.
    """
    if len(await channels_store.lock_heads(tx, *channel_ids)) < len(set(channel_ids)):
        await channels_store.create_missing(tx, *channel_ids)
        await channels_store.lock_heads(tx, *channel_ids)
    heads = await channels_store.get_heads(tx, *channel_ids)
    return View(await ping(tx), heads)


async def write_view(tx: Transaction, view: View) -> None:
    """Write the events, snapshots and steps that were put on the view, and move its heads."""
    changes = view.changes
    for event in changes.events:
        await forks_store.add_event(tx, event, view.now)
    for each in changes.states:
        await forks_store.add_state(
            tx, each.channel_id, version=each.version, cursor=each.cursor, state=each.state, now=view.now
        )
    for step in changes.steps:
        await steps_store.add_step(tx, step)
    for head in (*changes.born.values(), *changes.moved.values()):
        await heads_store.move_head(tx, head, view.now)
