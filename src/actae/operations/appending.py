"""How a story appends to channels: heads locked in id order, a view to write on, and its writing."""

from actae.domain.view import View
from actae.store import channels as channels_store
from actae.store import forks as forks_store
from actae.store import promotions as promotions_store
from actae.store.database import Transaction
from actae.store.instance import ping


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
    """Write the events and snapshots that were put on the view, and move its heads."""
    changes = view.changes
    for event in changes.events:
        await forks_store.add_event(tx, event, view.now)
    for each in changes.states:
        await forks_store.add_state(
            tx, each.channel_id, version=each.version, cursor=each.cursor, state=each.state, now=view.now
        )
    for head in (*changes.born.values(), *changes.moved.values()):
        await promotions_store.move_head(tx, head, view.now)
