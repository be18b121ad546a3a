"""Puts every invariant to a live database, and says what is broken.

Channels are read in ranges, each in one transaction that sees one moment: nobody has to stop writing.
"""

from collections.abc import Callable, Collection, Iterable
from typing import Final

import msgspec

from actae.domain.audit import Broken
from actae.operations.guard_audit import audit_budgets
from actae.operations.range_audit import LookedAt, RangeAudit
from actae.store import verification as store
from actae.store.database import Database, Transaction, story
from actae.store.verification import Range

RANGE_CHANNELS: Final = 256
BROKEN_MAX: Final = 1_000  # so many are kept; the others are counted


class Report(msgspec.Struct):
    """What was looked at, and what is broken."""

    looked_at: LookedAt
    broken: list[Broken]
    broken_count: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether every invariant holds."""
        return self.broken_count == 0

    def add(self, broken: Iterable[Broken]) -> None:
        """Count what is broken, and keep it while there is room."""
        for each in broken:
            self.broken_count += 1
            if len(self.broken) < BROKEN_MAX:
                self.broken.append(each)


async def verify(
    db: Database,
    channel_ids: Collection[str] | None = None,
    *,
    keys_were_freed: bool = True,
    on_progress: Callable[[Report], object] = lambda _report: None,
) -> Report:
    """Look at the named channels, or at everything there is.

    `on_progress` gets the report so far after each range. A freed key leaves no trace in the log: where none
    was freed, say so, and an operation that was handed out twice is found.

    Raises:
        UnavailableError: the database stayed out of reach, or took too long.
    """
    report = Report(LookedAt(), [])
    ranges = [Range()] if channel_ids is None else [Range(each, each) for each in channel_ids]
    for channels in ranges:
        rest: Range | None = channels
        while rest is not None:
            audit, rest = await _audit_first(db, rest, keys_were_freed)
            report.looked_at.add(audit.looked_at)
            report.add(audit.broken)
            on_progress(report)
    if channel_ids is None:
        report.add(await _find_ids_used_twice(db))
        report.add(await audit_budgets(db))
    return report


async def count_channels(db: Database) -> int:
    """How many channels a verification of everything looks at."""
    return await store.count_channels(db)


@story
async def _audit_first(
    tx: Transaction, channels: Range, keys_were_freed: bool
) -> tuple[RangeAudit, Range | None]:
    """Audit the first channels of a range; with what is left of it."""
    await store.hold_one_snapshot(tx)
    heads = await store.list_heads(tx, channels, most=RANGE_CHANNELS)
    rest = None
    if len(heads) == RANGE_CHANNELS:
        last = heads[-1].channel_id
        channels, rest = channels.up_to(last), channels.after(last)
    audit = RangeAudit(channels, heads, keys_were_freed=keys_were_freed)
    await audit.read(tx)
    return audit, rest


async def _find_ids_used_twice(db: Database) -> list[Broken]:
    return [
        Broken("event_ids_are_unique", channel_id, f"event id {event_id} is used {times} times")
        for event_id, times, channel_id in await store.list_event_ids_used_twice(db, most=BROKEN_MAX)
    ]
