"""A list of runs: the channels, the most recently active first, each with what it did in numbers."""

from collections import OrderedDict
from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from actae.domain.runs import RunSummary, Tokens, tokens_of
from actae.domain.spending import Bill
from actae.operations.aside import aside
from actae.store import runs as store
from actae.store.database import Database
from actae.store.runs import Billed

_WORDS: Final = ("input_tokens", "output_tokens", "cost")
_REMEMBERED_MAX: Final = 10_000  # channels


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


class RunList:
    """Lists runs of one database.

    What a channel's bills come to stays true up to its cursor, because a log only grows. It is remembered, so
    that somebody who looks at a list again and again does not have it added up again and again.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self._tokens: OrderedDict[str, tuple[int, Tokens | None]] = (
            OrderedDict()
        )  # the latest asked for is last

    async def list_active(self, *, readable: list[str] | None, after: Place | None, most: int) -> ActiveRuns:
        """Channels by their newest event, then those without events by their ids. Deleted ones are left out.

        A page may be short, and even empty, with more to come. A channel that gets an event while somebody
        turns the pages is at the top from then on; all others come once.
        """
        place = after or Place()
        found: list[str] = []
        if place.channel_id is None:
            active, horizon = await store.list_active_runs(
                self._db, readable=readable, after=place.event_id, most=most + 1
            )
            found = [each.channel_id for each in active[:most]]
            if len(active) > most:
                horizon = active[most - 1].event_id
            if horizon is not None:
                return ActiveRuns(await self._describe(found, readable), Place(event_id=horizon))
        silent, next_id = await self._list_by_id(
            readable, prefix="", silent=True, after=place.channel_id or "", most=most - len(found)
        )
        runs = await self._describe(found + silent, readable)
        return ActiveRuns(runs, None if next_id is None else Place(channel_id=next_id))

    async def list_by_prefix(
        self, prefix: str, *, readable: list[str] | None, after: str | None, most: int
    ) -> RunsById:
        """Channels whose ids begin so, in the order of their ids. A page may be short, as above."""
        found, next_id = await self._list_by_id(
            readable, prefix=prefix, silent=False, after=after or "", most=most
        )
        return RunsById(await self._describe(found, readable), next_id)

    async def _list_by_id(
        self, readable: list[str] | None, *, prefix: str, silent: bool, after: str, most: int
    ) -> tuple[list[str], str | None]:
        found, horizon = await store.list_runs_by_id(
            self._db, readable=readable, prefix=prefix, silent=silent, after=after, most=most + 1
        )
        if len(found) > most:
            return found[:most], found[most - 1] if most else after
        return found, horizon

    async def _describe(self, channel_ids: Sequence[str], readable: list[str] | None) -> list[RunSummary]:
        if not channel_ids:
            return []
        described = await store.describe_runs(self._db, channel_ids, readable=readable)
        runs = [described[channel_id] for channel_id in channel_ids if channel_id in described]
        totals = {run.channel_id: self._tokens[run.channel_id] for run in runs if self._knows(run)}
        totals |= await self._add_up([run for run in runs if run.channel_id not in totals])
        for channel_id, total in totals.items():
            self._tokens[channel_id] = total
            self._tokens.move_to_end(channel_id)
        while len(self._tokens) > _REMEMBERED_MAX:
            self._tokens.popitem(last=False)
        return [msgspec.structs.replace(run, tokens=totals[run.channel_id][1]) for run in runs]

    def _knows(self, run: RunSummary) -> bool:
        return run.channel_id in self._tokens and self._tokens[run.channel_id][0] == run.cursor

    async def _add_up(self, runs: list[RunSummary]) -> dict[str, tuple[int, Tokens | None]]:
        if not runs:
            return {}
        bills = await store.list_newest_bills(self._db, [run.channel_id for run in runs], words=_WORDS)
        size = sum(len(bill.payload or b"") for each in bills.values() for bill in each)
        totals = await aside(size, _totals, runs, bills)
        return {run.channel_id: (run.cursor, total) for run, total in zip(runs, totals, strict=True)}


def _totals(runs: list[RunSummary], bills: dict[str, list[Billed]]) -> list[Tokens | None]:
    return [_total(run, bills.get(run.channel_id, [])) for run in runs]


def _total(run: RunSummary, billed: list[Billed]) -> Tokens | None:
    bill = Bill()
    for each in billed:
        if each.payload is not None:
            bill.add(each.payload, each.metadata)
    return tokens_of(bill, partial=store.is_partial(run, billed))
