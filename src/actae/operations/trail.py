"""How a channel came to where it is: its ancestry, the state it started with, and what it did."""

from typing import Final

from msgspec import Raw

from actae.domain.access import Permissions
from actae.domain.branches import Branch, ChannelState
from actae.domain.errors import ChannelNotFoundError
from actae.domain.executions import show
from actae.domain.lineage import Ancestor, Trail
from actae.domain.redaction import ancestor_shown, shown
from actae.store import comparison as store
from actae.store.database import Transaction, story
from actae.store.states import load_state_version
from actae.store.verification import hold_one_snapshot

EXECUTIONS_MAX: Final = 1_000

_COPIED_VERSION: Final = 1


@story
async def get_trail(tx: Transaction, channel_id: str, permissions: Permissions) -> Trail:
    """The trail of a channel, all of one moment, as it is shown to who has these permissions.

    Raises:
        ChannelNotFoundError
    """
    await hold_one_snapshot(tx)
    branch = (await store.load_branches(tx, [channel_id])).get(channel_id)
    if branch is None:
        raise ChannelNotFoundError(channel_id)
    ancestry = [
        ancestor_shown(Ancestor(*place), permissions) for place in await store.list_lineage(tx, branch.path)
    ]
    page = await store.list_first_executions(tx, channel_id, most=EXECUTIONS_MAX + 1)
    trail = Trail(
        channel_id=channel_id,
        origin_run_id=ancestry[-1].channel_id,
        ancestry=ancestry,
        boundary=await _read_boundary(tx, branch),
        executions=[show(row) for row in page.rows[:EXECUTIONS_MAX]],
        truncated=page.was_cut or len(page.rows) > EXECUTIONS_MAX,
    )
    return shown(trail, permissions)


async def _read_boundary(tx: Transaction, branch: Branch) -> ChannelState | None:
    """The child's first version is the copy; what the parent does with its own does not touch it."""
    fork = branch.fork
    if fork is None or not fork.restorable:
        return None
    copy = await load_state_version(tx, branch.channel_id, _COPIED_VERSION)
    state = None if copy is None else Raw(copy.state)
    return ChannelState(fork.source_channel_id, fork.resolved_cursor, state)
