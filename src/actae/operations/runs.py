"""A list of runs: the channels, the most recently active first, each with what it did in numbers."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from actae.domain.runs import RunSummary, tokens_of
from actae.domain.spending import Bill
from actae.operations.aside import aside
from actae.store import runs as store
from actae.store.database import Database
from actae.store.runs import Billed

_WORDS: Final = ("input_tokens", "output_tokens", "cost")


class Place(NamedTuple):
    """Where a page of the most active ended: at an event, or, past the last one, at a channel without any."""

    event_id: str | None = None
    channel_id: str | None = None


class ActiveRuns(NamedTuple):
    """One page, and where the next one begins; None where there is none."""

    runs: list[RunSummary]
    next_place: Place | None


class RunsById(NamedTuple):
    """One page, and the id that the next one follows; None where there is none."""

    runs: list[RunSummary]
    next_id: str | None


async def list_active(
    db: Database, *, readable: list[str] | None, after: Place | None, most: int
) -> ActiveRuns:
    """Channels by their newest event, then those without events by their ids. Deleted ones are left out.

    A page may be short, and even empty, with more to come. A channel that gets an event while somebody turns
    the pages is at the top from then on; all others come once.
    """
    place = after or Place()
    found: list[str] = []
    if place.channel_id is None:
        active, horizon = await store.list_active_runs(
            db, readable=readable, after=place.event_id, most=most + 1
        )
        found = [each.channel_id for each in active[:most]]
        if len(active) > most:
            return ActiveRuns(await _describe(db, found, readable), Place(event_id=active[most - 1].event_id))
        if horizon is not None:
            return ActiveRuns(await _describe(db, found, readable), Place(event_id=horizon))
    silent, next_id = await _list_by_id(
        db, readable, prefix="", silent=True, after=place.channel_id or "", most=most - len(found)
    )
    runs = await _describe(db, found + silent, readable)
    return ActiveRuns(runs, None if next_id is None else Place(channel_id=next_id))


async def list_by_prefix(
    db: Database, prefix: str, *, readable: list[str] | None, after: str | None, most: int
) -> RunsById:
    """Channels whose ids begin so, in the order of their ids. A page may be short, as above."""
    found, next_id = await _list_by_id(
        db, readable, prefix=prefix, silent=False, after=after or "", most=most
    )
    return RunsById(await _describe(db, found, readable), next_id)


async def _list_by_id(
    db: Database, readable: list[str] | None, *, prefix: str, silent: bool, after: str, most: int
) -> tuple[list[str], str | None]:
    found, horizon = await store.list_runs_by_id(
        db, readable=readable, prefix=prefix, silent=silent, after=after, most=most + 1
    )
    if len(found) > most:
        return found[:most], found[most - 1] if most else after
    return found, horizon


async def _describe(db: Database, channel_ids: Sequence[str], readable: list[str] | None) -> list[RunSummary]:
    if not channel_ids:
        return []
    described = await store.describe_runs(db, channel_ids, readable=readable)
    bills = await store.list_newest_bills(db, channel_ids, words=_WORDS)
    size = sum(
        len(bill.payload or b"") + len(bill.metadata or b"") for each in bills.values() for bill in each
    )
    runs = [described[channel_id] for channel_id in channel_ids if channel_id in described]
    return await aside(size, _add_up, runs, bills)


def _add_up(runs: list[RunSummary], bills: dict[str, list[Billed]]) -> list[RunSummary]:
    return [_with_tokens(run, bills[run.channel_id]) if run.channel_id in bills else run for run in runs]


def _with_tokens(run: RunSummary, billed: list[Billed]) -> RunSummary:
    bill = Bill()
    for each in billed:
        if each.payload is not None:
            bill.add(each.payload, each.metadata)
    tokens = tokens_of(bill, partial=store.is_partial(run, billed))
    return msgspec.structs.replace(run, tokens=tokens)
