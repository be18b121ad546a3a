"""Bring a fork's outcome back into its parent, by appending only."""

from typing import cast

import msgspec

from actae.domain.channels import Head, Lifecycle
from actae.domain.errors import ChannelNotFoundError, NotAForkError
from actae.domain.forks import Fork
from actae.domain.view import View
from actae.store import channels as channels_store
from actae.store import forks as forks_store
from actae.store import promotions as store
from actae.store.channels import HeadRow
from actae.store.database import Transaction, story
from actae.store.events import get_event_at
from actae.store.instance import ping
from actae.store.promotions import Promotion
from actae.store.states import load_latest_state


@story
async def promote(tx: Transaction, channel_id: str) -> tuple[Promotion, bool]:
    """Append `fork.promoted` to the parent, and the child's state as a new snapshot there.

    That the parent has moved past the fork point is normal; nothing of it is rewritten. A second
    promotion returns the first; the flag says so.

    Raises:
        ChannelNotFoundError, NotAForkError, ChannelClosedError, ChannelDeletedError
    """
    fork = await forks_store.get_fork(tx, channel_id)
    if fork is None:
        if await channels_store.get_head(tx, channel_id) is None:
            raise ChannelNotFoundError(channel_id)
        raise NotAForkError(channel_id)
    await channels_store.lock_heads(tx, channel_id, fork.source_channel_id)
    earlier = await store.get_promotion(tx, channel_id)
    if earlier is not None:
        return earlier, True
    return await _promote(tx, fork), False


async def _promote(tx: Transaction, fork: Fork) -> Promotion:
    child = await channels_store.get_head(tx, fork.channel_id)
    parent_row = await channels_store.get_head(tx, fork.source_channel_id)
    assert child is not None, "a fork without its head"
    assert parent_row is not None, "a fork without its parent"
    parent = _head(fork.source_channel_id, parent_row)
    refusal = parent.refusal() or _head(fork.channel_id, child).refusal()
    if refusal is not None:
        raise refusal
    now = await ping(tx)
    view = View(now, [parent])
    newest = await get_event_at(tx, fork.channel_id, child.cursor)
    event = view.append_event(
        parent,
        "fork.promoted",
        "system",
        msgspec.json.encode(
            {
                "fork_channel_id": fork.channel_id,
                "fork_head_cursor": child.cursor,
                "fork_state_version": child.latest_version or None,
                "source_cursor": fork.resolved_cursor,
            }
        ),
        depends_on=None if newest is None else newest.id,
    )
    await forks_store.add_event(tx, event, now)
    version = None
    snapshot = await load_latest_state(tx, fork.channel_id)
    if snapshot is not None:
        version = view.put_state(parent, cursor=event.cursor, state=snapshot.state, dependencies=None)
        await forks_store.add_state(
            tx, parent.channel_id, version=version, cursor=event.cursor, state=snapshot.state, now=now
        )
    await store.move_head(tx, parent, now)
    await channels_store.set_outcome(tx, fork.channel_id, "promoted", None)
    made = Promotion(fork.channel_id, parent.channel_id, event.event_id, event.cursor, version)
    await store.add_promotion(tx, made, now)
    return made


def _head(channel_id: str, row: HeadRow) -> Head:
    chain_hash = None if row.chain_hash is None else bytes.fromhex(row.chain_hash)
    return Head(
        channel_id,
        row.revision,
        row.cursor,
        chain_hash,
        row.version,
        row.latest_version,
        row.latest_version_cursor,
        row.latest_step,
        cast(Lifecycle, row.lifecycle),
    )
