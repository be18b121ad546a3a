"""Channels by their activity, for a list of runs: rows to records."""

from collections.abc import Sequence
from typing import Final, NamedTuple
from uuid import UUID

from actae.domain.channels import FENCE_KEY
from actae.domain.runs import EffectCounts, LastEvent, RunSummary
from actae.store.database import Row, Session
from actae.store.queries import query

FIND_EVENT_HORIZON = query("find_event_horizon")
LIST_ACTIVE = query("list_active_runs")
FIND_CHANNEL_HORIZON = query("find_channel_horizon")
LIST_BY_ID = query("list_runs_by_id")
_DESCRIBE = query("describe_runs")
_LIST_BILLS = query("list_newest_bills")

WALKED_MAX: Final = 20_000  # events, or channels, that one page looks at, whether or not it finds something

_FORKS_MAX: Final = 100
_EFFECTS_MAX: Final = 1_000
_BILLED_EVENTS_MAX: Final = 1_000  # looked at, of each channel
_BILLS_MAX: Final = 100  # read, of each channel
_BILLED_BYTES_MAX: Final = 2**20

_ABOVE_ALL_IDS: Final = "~"  # the characters of channel ids come before it


class ActiveRun(NamedTuple):
    """A channel and its newest event."""

    channel_id: str
    event_id: str


class Billed(NamedTuple):
    """An event that mentions a figure; the payload is None where the events before it were not looked at."""

    payload: bytes | None
    metadata: bytes | None


async def list_active_runs(
    session: Session, *, readable: list[str] | None, after: str | None, most: int
) -> tuple[list[ActiveRun], str | None]:
    """Channels whose newest event is older than the event `after`, newest first, and how far the walk came.

    None is the end of the log. The walk ends before the page is read: a channel that gets an event in between
    is above it, and no other one can be missed.
    """
    before = None if after is None else UUID(after)
    row = await session.fetch_one(FIND_EVENT_HORIZON, after=before, passed=WALKED_MAX - 1)
    horizon = None if row is None else row["event_id"]
    rows = await session.fetch(
        LIST_ACTIVE,
        after=before,
        until=None if horizon is None else UUID(horizon),
        readable=readable,
        most=most,
    )
    return [ActiveRun(*row) for row in rows], horizon


async def list_runs_by_id(
    session: Session, *, readable: list[str] | None, prefix: str, silent: bool, after: str, most: int
) -> tuple[list[str], str | None]:
    """Channels in the order of their ids, and how far the walk came; None is the end.

    With `silent` only those without events.
    """
    bounds = {"after": after, "begin": prefix, "end": prefix + _ABOVE_ALL_IDS}
    row = await session.fetch_one(FIND_CHANNEL_HORIZON, **bounds, passed=WALKED_MAX - 1)
    horizon = None if row is None else row["channel_id"]
    rows = await session.fetch(
        LIST_BY_ID, **bounds, until=horizon, silent=silent, readable=readable, most=most
    )
    return [row["channel_id"] for row in rows], horizon


async def describe_runs(
    session: Session, channel_ids: Sequence[str], *, readable: list[str] | None
) -> dict[str, RunSummary]:
    """What is known of these channels, without tokens. Deleted ones are left out."""
    rows = await session.fetch(
        _DESCRIBE,
        channel_ids=list(channel_ids),
        readable=readable,
        forks_max=_FORKS_MAX,
        effects_max=_EFFECTS_MAX,
        fence_key=FENCE_KEY,
    )
    return {row["channel_id"]: _to_run(row) for row in rows}


async def list_newest_bills(
    session: Session, channel_ids: Sequence[str], *, words: Sequence[str]
) -> dict[str, list[Billed]]:
    """Of each channel the newest events with one of these words as keys; a few may be of another kind."""
    rows = await session.fetch(
        _LIST_BILLS,
        channel_ids=list(channel_ids),
        words_like=[f'%"{word}"%' for word in words],
        looked_at_max=_BILLED_EVENTS_MAX,
        bytes_max=_BILLED_BYTES_MAX,
        told_max=_BILLS_MAX,
    )
    bills: dict[str, list[Billed]] = {}
    for row in rows:
        bills.setdefault(row["channel_id"], []).append(Billed(row["payload"], row["metadata"]))
    return bills


def is_partial(run: RunSummary, bills: Sequence[Billed]) -> bool:
    """Whether events of the run were not looked at."""
    return (
        run.cursor > _BILLED_EVENTS_MAX
        or len(bills) >= _BILLS_MAX
        or any(bill.payload is None for bill in bills)
    )


_PLAIN: Final = tuple(
    name for name in RunSummary.__struct_fields__ if name not in {"effects", "tokens", "last_event"}
)


def _to_run(row: Row) -> RunSummary:
    last_event = None
    if row["event_type"] is not None:
        last_event = LastEvent(row["cursor"], row["event_type"], row["actor"], row["recorded_at"])
    return RunSummary(
        **{name: row[name] for name in _PLAIN},
        effects=EffectCounts(*(row[name] for name in EffectCounts.__struct_fields__)),
        last_event=last_event,
    )
