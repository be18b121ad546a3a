"""Guards: rows to records, and how they change."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

import msgspec

from actae.domain.access import like_of
from actae.domain.guards import Guard, Guards, Rule, UseKey
from actae.store.database import Row, Session, Transaction, story
from actae.store.queries import query

READ_GUARDS = query("read_guards")
_MOVE_STATE = query("move_guard_state")
_ADD_REVISION = query("add_guard_revision")
_END_REVISIONS = query("end_guard_revisions")
_MARK_OBEYED = query("mark_guards_obeyed")
_ADD = query("add_guard")
_REMOVE = query("remove_guard")
_LIST_USES = query("list_budget_uses")
_GET_USES = query("get_budget_uses")
_WERE_DELETED = query("find_channel_deleted_since")
_FORGET_USES = query("forget_budget_uses")
_FORGET_USES_OF_GUARD = query("forget_uses_of_guard")
_FORGET_CALLS = query("forget_recent_calls")


class Change(NamedTuple):
    """A change of guards that is under way: the revision that it makes, and when."""

    revision: int
    now: datetime


class UsedBudget(NamedTuple):
    """What is used of a budget in one window; the channel is empty where channels share it."""

    channel_id: str
    window_start: datetime
    window_end: datetime | None
    used: Decimal


def to_guards(rows: Sequence[Row]) -> Guards:
    """All guards, the oldest first, with their revision."""
    return Guards(rows[0]["revision"], [_guard(row) for row in rows if row["guard_id"] is not None])


def _guard(row: Row) -> Guard:
    return Guard(
        row["guard_id"],
        row["channel_pattern"],
        row["tool_name"],
        msgspec.json.decode(row["settings"], type=Rule),
        row["created_by"],
        row["created_at"],
        row["obeyed_at"],
    )


async def get_guards(session: Session) -> Guards:
    """All guards as they are now."""
    return to_guards(await session.fetch(READ_GUARDS))


async def begin_change(tx: Transaction) -> Change:
    """Make the next revision, which batches go by from the commit on. Others who change guards wait."""
    row = await tx.fetch_one(_MOVE_STATE)
    assert row is not None, "the migration made the row"
    await tx.execute(_ADD_REVISION, revision=row["revision"])
    return Change(*row)


@story
async def end_earlier_revisions(tx: Transaction, revision: int) -> None:
    """Wait for the writes that were decided by the guards before; none comes after."""
    await tx.execute(_END_REVISIONS, revision=revision)
    await tx.execute(_MARK_OBEYED, revision=revision)


async def add_guard(tx: Transaction, guard: Guard, revision: int) -> bool:
    """Whether it was added: its id was free."""
    row = await tx.fetch_one(
        _ADD,
        guard_id=guard.guard_id,
        kind=guard.kind,
        channel_pattern=guard.channel_pattern,
        tool_name=guard.tool_name,
        settings=msgspec.json.encode(guard.rule),
        created_by=guard.created_by,
        created_at=guard.created_at,
        revision=revision,
    )
    return row is not None


async def remove_guard(tx: Transaction, guard_id: str) -> bool:
    """Whether it was there."""
    return await tx.fetch_one(_REMOVE, guard_id=guard_id) is not None


async def list_uses(
    session: Session, guard_id: str, window_start: datetime, *, most: int
) -> list[UsedBudget]:
    """What is used of a budget in a window, the most used first."""
    rows = await session.fetch(_LIST_USES, guard_id=guard_id, window_start=window_start, most=most)
    return [UsedBudget(*row) for row in rows]


async def get_uses(session: Session, guard_id: str) -> dict[UseKey, Decimal]:
    """Everything that a budget has counted and that is not cleared away."""
    rows = await session.fetch(_GET_USES, guard_id=guard_id)
    return {UseKey(row["channel_id"], guard_id, row["window_start"]): row["used"] for row in rows}


async def were_channels_deleted(session: Session, guard: Guard) -> bool:
    """Whether a channel that the guard looks at was deleted since it came."""
    pattern = None if guard.channel_pattern is None else like_of(guard.channel_pattern)
    row = await session.fetch_one(_WERE_DELETED, pattern=pattern, since=guard.created_at)
    return row is not None


async def forget_uses(session: Session, *, keep_seconds: float, most: int) -> int:
    """Forget some of the windows that ended so long ago; how many."""
    return _count(await session.fetch_one(_FORGET_USES, keep_seconds=keep_seconds, most=most))


async def forget_uses_of_guard(session: Session, guard_id: str, *, most: int) -> int:
    """Forget some of what a guard that is gone has counted; how many."""
    return _count(await session.fetch_one(_FORGET_USES_OF_GUARD, guard_id=guard_id, most=most))


async def forget_calls(session: Session, *, keep_seconds: float, most: int) -> int:
    """Forget some of the calls that nobody asks for any more, for so long; how many."""
    return _count(await session.fetch_one(_FORGET_CALLS, keep_seconds=keep_seconds, most=most))


def _count(row: Row | None) -> int:
    assert row is not None, "a count has a row"
    return int(row["forgotten"])
