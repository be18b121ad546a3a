"""Guards: add one, list them with what is used, remove one.

A change has two steps. The first commits it, with a new revision: batches that are read from then on go by
it. The second waits for the writes that were decided by the revision before. So whoever hears that a tool is
frozen knows that no attempt starts any more, on any server.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import msgspec

from actae.domain.event_ids import EventIds
from actae.domain.guard_errors import GuardConflictError, GuardNotFoundError
from actae.domain.guards import KEEP_SECONDS, Budget, Guard, Rule, window_of
from actae.store import guards as store
from actae.store.database import Database, Transaction, story
from actae.store.guards import UsedBudget
from actae.store.instance import ping

USES_SHOWN: Final = 100
FEW: Final = 500

MayLookAfter = Callable[[Guard], bool]


class AddGuard(msgspec.Struct, frozen=True, kw_only=True):
    """A guard to add. With an id of the caller's own, a repetition finds it there."""

    guard_id: str | None
    channel_pattern: str | None
    tool_name: str | None
    rule: Rule
    created_by: str


class Watched(NamedTuple):
    """A guard, and what is used of it in its present window if it is a budget."""

    guard: Guard
    uses: list[UsedBudget]


class _Changed(NamedTuple):
    guard: Guard
    revision: int


async def add_guard(db: Database, ask: AddGuard) -> Guard:
    """The guard, once every claim obeys it.

    Raises:
        GuardConflictError: the id names another one.
    """
    changed = await _add(db, ask)
    await store.end_earlier_revisions(db, changed.revision)
    return changed.guard


@story
async def _add(tx: Transaction, ask: AddGuard) -> _Changed:
    # The time is told after everybody else's change has ended: what was decided before is older.
    change = await store.begin_change(tx)
    guard = Guard(
        ask.guard_id or EventIds(change.now).next(),
        ask.channel_pattern,
        ask.tool_name,
        ask.rule,
        ask.created_by,
        change.now,
    )
    if not await store.add_guard(tx, guard, change.revision):
        return _Changed(await _same(tx, guard), change.revision)
    return _Changed(guard, change.revision)


async def _same(tx: Transaction, guard: Guard) -> Guard:
    """The guard that has the id, if it says the same."""
    known = (await store.get_guards(tx)).find(guard.guard_id)
    assert known is not None, "an id that is in the way can be seen"
    if (known.channel_pattern, known.tool_name, known.rule) != (
        guard.channel_pattern,
        guard.tool_name,
        guard.rule,
    ):
        raise GuardConflictError(guard.guard_id)
    return known


async def remove_guard(db: Database, guard_id: str, *, may_look_after: MayLookAfter) -> None:
    """Let claims go on without it. What a budget has counted goes too, in small bits.

    Raises:
        GuardNotFoundError
    """
    revision = await _remove(db, guard_id, may_look_after)
    await store.end_earlier_revisions(db, revision)
    while await store.forget_uses_of_guard(db, guard_id, most=FEW) == FEW:
        pass


@story
async def _remove(tx: Transaction, guard_id: str, may_look_after: MayLookAfter) -> int:
    change = await store.begin_change(tx)
    guard = (await store.get_guards(tx)).find(guard_id)
    if guard is None or not may_look_after(guard):
        raise GuardNotFoundError(guard_id)
    await store.remove_guard(tx, guard_id)
    return change.revision


async def list_guards(db: Database, *, may_look_after: MayLookAfter) -> Sequence[Watched]:
    """Those that the caller may look after, the oldest first."""
    now = await ping(db)
    found: list[Watched] = []
    for guard in (await store.get_guards(db)).every:
        if may_look_after(guard):
            uses: list[UsedBudget] = []
            if isinstance(guard.rule, Budget):
                start = window_of(guard.rule, now).start
                uses = await store.list_uses(db, guard.guard_id, start, most=USES_SHOWN)
            found.append(Watched(guard, uses))
    return found


async def forget(db: Database) -> bool:
    """Clear away some of what guards have no use for any more; whether there may be more.

    Raises:
        UnavailableError: the database cannot be had.
    """
    uses = await store.forget_uses(db, keep_seconds=KEEP_SECONDS, most=FEW)
    calls = await store.forget_calls(db, keep_seconds=KEEP_SECONDS, most=FEW)
    return FEW in (uses, calls)
