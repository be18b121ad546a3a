"""How a channel came to where it is: its ancestry, the state it started with, and what it did."""

from collections.abc import Callable
from typing import Final

import msgspec
from msgspec import Raw

from actae.domain.branches import Branch, ChannelState
from actae.domain.errors import ChannelNotFoundError
from actae.domain.executions import Execution, show
from actae.store import comparison as store
from actae.store.database import Transaction, story
from actae.store.states import load_state_version
from actae.store.verification import hold_one_snapshot

EXECUTIONS_MAX: Final = 1_000

_COPIED_VERSION: Final = 1


class Ancestor(msgspec.Struct, frozen=True):
    """One channel on the way up; its name and reason are null where it may not be read."""

    channel_id: str
    parent_channel_id: str | None
    forked_at_cursor: int
    display_name: str | None
    reason: str | None


class Trail(msgspec.Struct, frozen=True):
    """The decisions behind a channel.

    `ancestry` begins with the channel and ends with the root. `boundary` is the parent's snapshot as it was
    copied, null if none was; its `state` is null if the copy was deleted since. `executions` are the
    channel's own operations, oldest first, without the session fence.
    """

    channel_id: str
    origin_run_id: str
    ancestry: list[Ancestor]
    boundary: ChannelState | None
    executions: list[Execution]
    truncated: bool


@story
async def get_trail(tx: Transaction, channel_id: str, *, may_read: Callable[[str], bool]) -> Trail:
    """The trail of a channel, all of one moment.

    Raises:
        ChannelNotFoundError
    """
    await hold_one_snapshot(tx)
    branch = (await store.load_branches(tx, [channel_id])).get(channel_id)
    if branch is None:
        raise ChannelNotFoundError(channel_id)
    ancestry = [
        Ancestor(*place) if may_read(place.channel_id) else Ancestor(*place[:3], None, None)
        for place in await store.list_lineage(tx, branch.path)
    ]
    found = await store.list_first_executions(tx, channel_id, most=EXECUTIONS_MAX + 1)
    return Trail(
        channel_id=channel_id,
        origin_run_id=ancestry[-1].channel_id,
        ancestry=ancestry,
        boundary=await _read_boundary(tx, branch),
        executions=[show(row) for row in found[:EXECUTIONS_MAX]],
        truncated=len(found) > EXECUTIONS_MAX,
    )


async def _read_boundary(tx: Transaction, branch: Branch) -> ChannelState | None:
    """The child's first version is the copy; what the parent does with its own does not touch it."""
    fork = branch.fork
    if fork is None or not fork.restorable:
        return None
    copy = await load_state_version(tx, branch.channel_id, _COPIED_VERSION)
    state = None if copy is None else Raw(copy.state)
    return ChannelState(fork.source_channel_id, fork.resolved_cursor, state)
