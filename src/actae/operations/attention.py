"""What somebody should look at, most urgent first, in sentences."""

from collections.abc import Iterator
from typing import Annotated, Final, Literal, NamedTuple

import msgspec
from msgspec import Meta

from actae.store.census import Counts, Freezes

Kind = Literal[
    "database_lost",
    "ambiguous",
    "approvals_pending",
    "writer_queue",
    "lapsed",
    "open_long",
    "wakeups_due",
    "consumer_lag",
    "frozen_tools",
    "uncounted",
]

_OPEN_LONG_SECONDS: Final = 3_600
_DUE_LONG_SECONDS: Final = 60
_BEHIND_EVENTS: Final = 10_000


class Attention(msgspec.Struct, frozen=True):
    """One thing to look at."""

    kind: Kind
    count: int
    oldest_seconds: Annotated[float | None, Meta(description="Since when, where that is known.")]
    text: str
    href: Annotated[str | None, Meta(description="The console's page about it, if there is one.")]


class Situation(NamedTuple):
    """Everything that is looked at. The database was lost so often within the hour."""

    counts: Counts
    freezes: Freezes | None
    databases_lost: int
    writes_waiting: int
    writes_waiting_max: int


def list_attention(found: Situation) -> list[Attention]:
    """In the order of urgency; empty when all is well."""
    return [*_server(found), *_decisions(found.counts), *_work(found.counts), *_guards(found), *_gaps(found)]


def _server(found: Situation) -> Iterator[Attention]:
    if (lost := found.databases_lost) > 0:
        times = "once" if lost == 1 else f"{lost} times"
        yield Attention(
            "database_lost", lost, None, f"The database was lost {times} within the last hour", "/health"
        )
    waiting = found.writes_waiting
    if waiting * 2 >= found.writes_waiting_max:
        text = f"{waiting} writes wait for the database; at {found.writes_waiting_max} they are refused"
        yield Attention("writer_queue", waiting, None, text, "/health")


def _decisions(counts: Counts) -> Iterator[Attention]:
    """What waits for a person."""
    ambiguous, approvals = counts.ambiguous_executions, counts.pending_approvals
    if ambiguous is not None and (count := ambiguous.waiting) > 0:
        text = f"{_many(count, 'operation has', 'operations have')} an outcome that nobody knows"
        yield Attention("ambiguous", count, ambiguous.oldest_seconds, text, "/ledger?status=ambiguous")
    if approvals is not None and (count := approvals.waiting) > 0:
        text = f"{_many(count, 'operation waits', 'operations wait')} for somebody's approval"
        yield Attention("approvals_pending", count, approvals.oldest_seconds, text, "/approvals")


def _work(counts: Counts) -> Iterator[Attention]:
    """What no worker goes on with."""
    executions, wakeups, events = counts.open_executions, counts.pending_wakeups, counts.unconsumed_events
    if executions is not None:
        if (lapsed := executions.lapsed) > 0:
            text = f"{_many(lapsed, 'operation was', 'operations were')} left by a worker and not taken over"
            yield Attention("lapsed", lapsed, None, text, "/ledger?status=lapsed")
        elif executions.oldest_seconds > _OPEN_LONG_SECONDS:
            seconds = executions.oldest_seconds
            text = f"An operation has been open for {_long(seconds)}, and its worker still holds it"
            yield Attention("open_long", 1, seconds, text, "/ledger?status=running")
    if wakeups is not None and wakeups.oldest_due_seconds > _DUE_LONG_SECONDS:
        count, seconds = wakeups.due, wakeups.oldest_due_seconds
        text = f"{_many(count, 'wake-up', 'wake-ups')} should have fired, the oldest {_long(seconds)} ago"
        yield Attention("wakeups_due", count, seconds, text, None)
    if events is not None and events.stranded > 0:
        text = f"{_many(events.stranded, 'event is', 'events are')} in the hands of consumers that are gone"
        yield Attention("consumer_lag", events.stranded, None, text, None)
    elif events is not None and events.furthest_behind > _BEHIND_EVENTS:
        text = f"A consumer group is {events.furthest_behind} events behind"
        yield Attention("consumer_lag", events.furthest_behind, None, text, None)


def _guards(found: Situation) -> Iterator[Attention]:
    if found.freezes is not None and (count := found.freezes.standing) > 0:
        text = f"{_many(count, 'freeze keeps', 'freezes keep')} operations from being started"
        yield Attention("frozen_tools", count, found.freezes.oldest_seconds, text, None)


def _gaps(found: Situation) -> Iterator[Attention]:
    """What the database could not tell in time is not well for that."""
    unknown = sum(count is None for count in (*found.counts[:5], found.freezes))
    if unknown > 0:
        text = (
            f"The database did not answer {_many(unknown, 'question', 'questions')} about this page in time"
        )
        yield Attention("uncounted", unknown, None, text, "/health")


def _many(count: int, one: str, more: str) -> str:
    return f"{count} {one if count == 1 else more}"


def _long(seconds: float) -> str:
    for size, name in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            return _many(int(seconds // size), name, f"{name}s")
    return _many(int(seconds), "second", "seconds")
