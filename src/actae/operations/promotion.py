"""Bring a fork's outcome back into its parent, by appending only."""

import msgspec

from actae.domain.errors import ChannelNotFoundError, NotAForkError
from actae.domain.events import to_event
from actae.domain.forks import Fork
from actae.domain.view import View
from actae.operations.appending import open_view, write_view
from actae.store import channels as channels_store
from actae.store import forks as forks_store
from actae.store import promotions as store
from actae.store.database import Transaction, story
from actae.store.events import get_event_at
from actae.store.promotions import Promotion
from actae.store.states import load_latest_state
from actae.store.steps import latest_step_of, step_of_snapshot


@story
async def promote(tx: Transaction, channel_id: str) -> tuple[Promotion, bool]:
    """Append `fork.promoted` to the parent, and the child's state as a new snapshot there, with its step.

    Whoever goes on from a state of nine steps has to count nine; the steps that the parent has recorded
    itself stay where they are. That the parent has moved past the fork
    point is normal; nothing of it is rewritten. A second promotion returns the first; the flag says so.

    Raises:
        ChannelNotFoundError, NotAForkError, ChannelClosedError, ChannelDeletedError,
        CounterfactualBlockedError
    """
    fork = await forks_store.get_fork(tx, channel_id)
    if fork is None:
        if await channels_store.get_head(tx, channel_id) is None:
            raise ChannelNotFoundError(channel_id)
        raise NotAForkError(channel_id)
    # The fork of a member that had written nothing yet has a parent that need not exist until now.
    view = await open_view(tx, channel_id, fork.source_channel_id)
    earlier = await store.get_promotion(tx, channel_id)
    if earlier is not None:
        return earlier, True
    return await _promote(tx, fork, view), False


async def _promote(tx: Transaction, fork: Fork, view: View) -> Promotion:
    child, parent = view.head(fork.channel_id), view.head(fork.source_channel_id)
    refusal = parent.refusal() or child.refusal()
    if refusal is not None:
        raise refusal
    newest = await get_event_at(tx, fork.channel_id, child.cursor)
    snapshot = await load_latest_state(tx, fork.channel_id)
    step = 0
    if snapshot is not None:
        step = await step_of_snapshot(tx, fork.channel_id, snapshot.version, snapshot.cursor)
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
                **({"step_number": step} if step else {}),
            }
        ),
        depends_on=None if newest is None else newest.id,
    )
    version = None
    if snapshot is not None:
        version = view.put_state(parent, cursor=event.cursor, state=snapshot.state, dependencies=None)
    if step > await latest_step_of(tx, parent):
        view.put_step(parent, step, to_event(event, view.now))
    await write_view(tx, view)
    await channels_store.set_outcome(tx, fork.channel_id, "promoted", None)
    made = Promotion(fork.channel_id, parent.channel_id, event.event_id, event.cursor, version)
    await store.add_promotion(tx, made, view.now)
    return made
