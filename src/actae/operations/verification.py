"""Puts every invariant to a live database, and says what is broken.

Channels are read in ranges, each in one transaction that sees one moment: nobody has to stop writing.
"""

from collections.abc import Callable, Collection, Iterable
from typing import Final

import msgspec

from actae.domain.audit import Broken
from actae.operations.range_audit import RangeAudit
from actae.store import verification as store
from actae.store.database import Database, Transaction, story
from actae.store.verification import Range

RANGE_CHANNELS: Final = 256
BROKEN_MAX: Final = 1_000  # so many are kept; the others are counted


class Report(msgspec.Struct):
    """What was looked at, and what is broken."""

    channels: int = 0
    events: int = 0
    snapshots: int = 0
    operations: int = 0
    steps: int = 0
    executions: int = 0
    broken_count: int = 0
    broken: list[Broken] = msgspec.field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        """Whether every invariant holds."""
        return self.broken_count == 0

    def add(self, audit: RangeAudit) -> None:
        """Add what was found in one range."""
        self.channels += audit.channels
        self.events += audit.events
        self.snapshots += audit.snapshots
        self.operations += audit.operations
        self.steps += audit.steps
        self.executions += audit.executions
        self.add_broken(audit.broken)

    def add_broken(self, broken: Iterable[Broken]) -> None:
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
    report = Report()
    ranges = [Range()] if channel_ids is None else [Range(each, each) for each in channel_ids]
    for channels in ranges:
        rest: Range | None = channels
        while rest is not None:
            audit = RangeAudit(rest, keys_were_freed=keys_were_freed)
            rest = await _read_range(db, audit)
            report.add(audit)
            on_progress(report)
    if channel_ids is None:
        report.add_broken(await _find_ids_used_twice(db))
    return report


async def count_channels(db: Database) -> int:
    """How many channels a verification of everything looks at."""
    return await store.count_channels(db)


@story
async def _read_range(tx: Transaction, audit: RangeAudit) -> Range | None:
    """Feed the audit the first channels of its range; what is left of the range."""
    await store.hold_one_snapshot(tx)
    heads = await store.list_heads(tx, audit.range, most=RANGE_CHANNELS)
    rest = None
    if len(heads) == RANGE_CHANNELS:
        rest = audit.range.after(heads[-1].channel_id)
        audit.end_at(heads[-1].channel_id)
    await audit.read(tx, heads)
    return rest


async def _find_ids_used_twice(db: Database) -> list[Broken]:
    return [
        Broken("event_ids_are_unique", channel_id, f"event id {event_id} is used {times} times")
        for event_id, times, channel_id in await store.list_event_ids_used_twice(db, most=BROKEN_MAX)
    ]
