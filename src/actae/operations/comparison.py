"""Compare two channels: the states they are in, and what they did to get there."""

from collections.abc import Callable
from typing import Final, NamedTuple

from msgspec import Raw

from actae.domain.branches import (
    Branch,
    ChannelState,
    Kinship,
    StateDiff,
    diff_branches,
    earlier_hop,
    find_parting,
)
from actae.domain.comparison import SERVER_EVENT_TYPES, SESSION_EVENT_TYPES, Comparison, Deeds, compare_deeds
from actae.domain.errors import ChannelNotFoundError
from actae.domain.executions import ExecutionRow, show
from actae.domain.spending import FIGURES, Bill
from actae.domain.told_effects import BLOCKED, REPLAYED, ToldEffects
from actae.domain.tool_diff import order_keys
from actae.operations.aside import aside
from actae.store import comparison as store
from actae.store.comparison import TellingEvent
from actae.store.database import Database, Transaction, story
from actae.store.forks import get_fork
from actae.store.states import load_latest_state, load_state_version
from actae.store.verification import hold_one_snapshot

CALLS_MAX: Final = 1_000

MayRead = Callable[[str], bool]


class _Pair(NamedTuple):
    """Two channels and what they have in common."""

    left: Branch
    right: Branch
    kinship: Kinship


class _Findings(NamedTuple):
    """Everything that a comparison needs."""

    left: Deeds
    right: Deeds
    kinship: Kinship
    keys: list[str]
    rows: list[ExecutionRow]


async def diff_states(db: Database, left_id: str, right_id: str, *, may_read: MayRead) -> StateDiff:
    """Where the latest states differ, and what both come from, if that channel may be read.

    Raises:
        ChannelNotFoundError
    """
    pair = await _read_states(db, left_id, right_id, may_read)
    return await aside(_size(pair.left) + _size(pair.right), diff_branches, *pair)


async def compare(db: Database, left_id: str, right_id: str, *, may_read: MayRead) -> Comparison:
    """The same, and what differs in manifests, tools, outputs and spending.

    Raises:
        ChannelNotFoundError
    """
    left, right, kinship, keys, rows = await _read_everything(db, left_id, right_id, may_read)
    payloads = sum(len(row.started_payload or b"") + len(row.completed_payload or b"") for row in rows)
    outputs = len(left.output or b"") + len(right.output or b"")
    return await aside(
        _size(left.branch) + _size(right.branch) + payloads + outputs,
        compare_deeds,
        left,
        right,
        kinship,
        keys=keys[:CALLS_MAX],
        truncated=len(keys) > CALLS_MAX,
        executions={row.id: show(row) for row in rows},
    )


def _size(branch: Branch) -> int:
    return len(branch.state or b"")


@story
async def _read_states(tx: Transaction, left_id: str, right_id: str, may_read: MayRead) -> _Pair:
    await hold_one_snapshot(tx)
    return await _read_pair(tx, left_id, right_id, may_read)


@story
async def _read_everything(tx: Transaction, left_id: str, right_id: str, may_read: MayRead) -> _Findings:
    await hold_one_snapshot(tx)
    pair = await _read_pair(tx, left_id, right_id, may_read)
    left, right = await _read_deeds(tx, pair.left), await _read_deeds(tx, pair.right)
    keys = order_keys(left.held, right.held)
    shown = set(keys[:CALLS_MAX])
    wanted = [each for each in (*left.held, *right.held) if each.key_name in shown]
    return _Findings(left, right, pair.kinship, keys, await store.get_executions(tx, wanted))


async def _read_pair(tx: Transaction, left_id: str, right_id: str, may_read: MayRead) -> _Pair:
    branches = await store.load_branches(tx, [left_id, right_id])
    for channel_id in (left_id, right_id):
        if channel_id not in branches:
            raise ChannelNotFoundError(channel_id)
    left, right = branches[left_id], branches[right_id]
    return _Pair(left, right, await _read_kinship(tx, left, right, may_read))


async def _read_kinship(tx: Transaction, left: Branch, right: Branch, may_read: MayRead) -> Kinship:
    parting = find_parting(left.path, right.path)
    if parting is None:
        return Kinship()
    left_hop = None if parting.left_hop is None else await get_fork(tx, parting.left_hop)
    right_hop = None if parting.right_hop is None else await get_fork(tx, parting.right_hop)
    common = None
    if may_read(parting.ancestor_id):
        first = earlier_hop(left_hop, right_hop)
        version = None if first is None else first.source_state_version
        common = await _read_common(tx, parting.ancestor_id, version)
    return Kinship(
        common,
        None if left_hop is None else left_hop.resolved_cursor,
        None if right_hop is None else right_hop.resolved_cursor,
    )


async def _read_common(tx: Transaction, channel_id: str, version: int | None) -> ChannelState | None:
    """The very snapshot that was forked; a cursor may have several. The latest if nobody left."""
    if version is None:
        snapshot = await load_latest_state(tx, channel_id)
    else:
        snapshot = await load_state_version(tx, channel_id, version)
    return None if snapshot is None else ChannelState(channel_id, snapshot.cursor, Raw(snapshot.state))


async def _read_deeds(tx: Transaction, branch: Branch) -> Deeds:
    told, bill = ToldEffects(), Bill()
    pages = store.read_telling_events(tx, branch.channel_id, event_types=(REPLAYED, BLOCKED), words=FIGURES)
    async for page in pages:
        size = sum(len(event.payload) + len(event.metadata or b"") for event in page)
        await aside(size, _listen, page, told, bill)
    held = await store.list_held_effects(tx, branch)
    besides = (*SERVER_EVENT_TYPES, *SESSION_EVENT_TYPES)
    output = await store.get_last_output(tx, branch.channel_id, besides=besides)
    return Deeds(branch, held, told, bill, output)


def _listen(page: list[TellingEvent], told: ToldEffects, bill: Bill) -> None:
    for event in page:
        told.add(event.event_type, event.payload, event.cursor)
        bill.add(event.payload, event.metadata)
