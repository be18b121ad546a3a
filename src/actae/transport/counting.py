"""Who counts what: facts, requests and responses on their way past, each for the price of an addition."""

from bisect import bisect_left
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import replace
from typing import Any

from actae.observations import (
    AskPoisoned,
    BatchCommitted,
    BatchIsolated,
    ChannelRemoved,
    DatabaseLost,
    EmbeddedRestarted,
    EmbeddedRestartFailed,
    HintsLost,
    LeaseTakenOver,
    Observation,
    Observer,
    RaceLost,
    RemovalFailed,
    RequestFailed,
    StaleOwnerRefused,
    TailFailed,
    WakeupFailed,
    WakeupFired,
    WakeupPutOff,
)
from actae.transport.asgi import Receive, Scope, Send
from actae.transport.route import Asked, Handler, Route
from actae.transport.services import Services
from actae.transport.tally import BATCH_ASKS, BATCH_MICROSECONDS, RESPONSE_STATUSES, Tally

Application = Callable[[Scope, Receive, Send], Awaitable[None]]

_COUNTED_BY_NAME = {
    RaceLost: "races_lost",
    BatchIsolated: "batches_isolated",
    AskPoisoned: "asks_poisoned",
    DatabaseLost: "database_lost",
    LeaseTakenOver: "leases_taken_over",
    RequestFailed: "requests_failed",
    EmbeddedRestarted: "embedded_restarts",
    EmbeddedRestartFailed: "embedded_restarts_failed",
    WakeupFired: "wakeups_fired",
    WakeupPutOff: "wakeups_put_off",
    WakeupFailed: "wakeups_failed",
    ChannelRemoved: "channels_removed",
    RemovalFailed: "removals_failed",
    HintsLost: "hints_lost",
    TailFailed: "tail_failed",
}


def counting_facts(tally: Tally) -> Observer:
    """Counts what is observed."""
    count_batch = _batch_counter(tally)

    def count(fact: Observation) -> None:
        if isinstance(fact, BatchCommitted):
            count_batch(fact)
        elif isinstance(fact, StaleOwnerRefused):
            tally.add(f"stale_owners_refused.{fact.call}")
        elif (name := _COUNTED_BY_NAME.get(type(fact))) is not None:
            tally.add(name)

    return count


def _batch_counter(tally: Tally) -> Callable[[BatchCommitted], None]:
    numbers, place = tally.numbers, tally.place
    batches, asks, events = place("batches"), place("batch_asks"), place("batch_events")
    elapsed, waiting = place("batch_microseconds"), place("writer_waiting")
    first_size, first_duration = place("batch_asks.0"), place("batch_microseconds.0")

    def count(fact: BatchCommitted) -> None:
        microseconds = int(fact.seconds * 1_000_000)
        numbers[batches] += 1
        numbers[asks] += fact.asks
        numbers[events] += fact.events
        numbers[elapsed] += microseconds
        numbers[waiting] = fact.waiting
        numbers[first_size + bisect_left(BATCH_ASKS, fact.asks)] += 1
        numbers[first_duration + bisect_left(BATCH_MICROSECONDS, microseconds)] += 1

    return count


def counting_requests(routes: Iterable[Route], tally: Tally) -> list[Route]:
    """The same routes; each counts what reaches its handler."""
    return [replace(route, handler=_counting(route, tally)) for route in routes]


def _counting(route: Route, tally: Tally) -> Handler:
    numbers, place = tally.numbers, tally.place(f"requests.{route.operation}")
    handler = route.handler

    def count(services: Services, asked: Asked) -> Awaitable[object]:
        numbers[place] += 1
        return handler(services, asked)

    return count


def counting_responses(app: Application, tally: Tally) -> Application:
    """The same application; responses are counted by status."""
    numbers, other = tally.numbers, tally.place("responses.other")
    places = {status: tally.place(f"responses.{status}") for status in RESPONSE_STATUSES}

    def count(scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        if scope["type"] != "http":
            return app(scope, receive, send)

        def send_counted(message: MutableMapping[str, Any]) -> Awaitable[None]:
            if "status" in message:
                numbers[places.get(message["status"], other)] += 1
            return send(message)

        return app(scope, receive, send_counted)

    return count
