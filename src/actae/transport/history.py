"""The last hour of a server: what the tally said every ten seconds, and what changed in between."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from itertools import pairwise
from typing import Annotated, Final, NamedTuple

import msgspec
from msgspec import Meta

from actae.transport.sampling import Sampler, resident_bytes
from actae.transport.tally import BATCH_MICROSECONDS, Tally

INTERVAL_SECONDS: Final = 10
_POINTS: Final = 3_600 // INTERVAL_SECONDS
_SHORTEST_SECONDS: Final = 1.0  # of the interval that has not ended yet

_CLAIM: Final = "requests.executions.claim"

Rates = Annotated[list[float], Meta(description="In each second of the interval.")]
Measures = Annotated[list[float | None], Meta(description="Null where nothing happened.")]
Levels = Annotated[list[int], Meta(description="At the end of the interval.")]


class Series(msgspec.Struct, frozen=True):
    """As many points in each list, the oldest first: one per interval, and one for the interval that has not
    ended yet. `times` are the ends, in seconds since 1970.
    """

    times: list[int]
    requests_per_second: Rates
    claims_per_second: Rates
    events_per_second: Rates
    batch_milliseconds_p50: Measures
    batch_milliseconds_p99: Measures
    batch_asks: Annotated[list[float | None], Meta(description="Writes in a batch, on average.")]
    writer_waiting: Levels
    pool_active: Levels
    stream_lag: Annotated[list[int], Meta(description="Events that the slowest live reader is behind.")]
    subscribers: Levels
    memory_bytes: Annotated[list[int | None], Meta(description="Null where the system does not tell.")]


class Sample(NamedTuple):
    """What had been counted at one moment, and how the levels were."""

    seconds: float  # of a clock that does not jump
    time: int  # since 1970
    requests: int
    claims: int
    events: int
    batches: int
    batch_asks: int
    batch_durations: tuple[int, ...]  # by bucket
    databases_lost: int
    writer_waiting: int
    pool_active: int
    stream_lag: int
    subscribers: int
    memory_bytes: int | None


class History:
    """Remembers an hour, for all processes that share the tally."""

    def __init__(self, tally: Tally, sampler: Sampler, clock: Callable[[], float] = time.monotonic) -> None:
        self._tally = tally
        self._sampler = sampler
        self._clock = clock
        self._requests = list(tally.names("requests").values())
        self._durations = [f"batch_microseconds.{place}" for place in range(len(BATCH_MICROSECONDS) + 1)]
        self._samples: deque[Sample] = deque([self._look()], maxlen=_POINTS + 1)

    def sample(self) -> None:
        """An interval has ended."""
        self._samples.append(self._look())

    def series(self) -> Series:
        """What there is to draw."""
        samples = self._so_far()
        points = [_point(before, after) for before, after in pairwise(samples)]
        columns = list(zip(*points, strict=True)) or [()] * len(Series.__struct_fields__)
        return Series(*(list(column) for column in columns))

    def databases_lost(self) -> int:
        """How often a connection to the database was lost in this hour."""
        samples = self._so_far()
        return samples[-1].databases_lost - samples[0].databases_lost

    def _so_far(self) -> Sequence[Sample]:
        now = self._look()
        samples = list(self._samples)
        return [*samples, now] if now.seconds - samples[-1].seconds >= _SHORTEST_SECONDS else samples

    def _look(self) -> Sample:
        self._sampler.sample()
        total, each = self._tally.total, self._tally.each
        memory = [resident_bytes(pid) for pid in each("pid") if pid]
        return Sample(
            seconds=self._clock(),
            time=int(time.time()),
            requests=sum(map(total, self._requests)),
            claims=total(_CLAIM),
            events=total("batch_events"),
            batches=total("batches"),
            batch_asks=total("batch_asks"),
            batch_durations=tuple(map(total, self._durations)),
            databases_lost=total("database_lost"),
            writer_waiting=total("writer_waiting"),
            pool_active=total("pool_active"),
            stream_lag=max(each("websocket_lag_most")),
            subscribers=total("websocket_consumers"),
            memory_bytes=sum(filter(None, memory)) or None,
        )


def _point(before: Sample, after: Sample) -> tuple[object, ...]:
    """In the order of the series."""
    seconds = max(after.seconds - before.seconds, 0.001)
    batches = after.batches - before.batches
    durations = [
        late - early for early, late in zip(before.batch_durations, after.batch_durations, strict=True)
    ]
    return (
        after.time,
        round((after.requests - before.requests) / seconds, 3),
        round((after.claims - before.claims) / seconds, 3),
        round((after.events - before.events) / seconds, 3),
        _milliseconds(durations, 0.5),
        _milliseconds(durations, 0.99),
        round((after.batch_asks - before.batch_asks) / batches, 2) if batches else None,
        after.writer_waiting,
        after.pool_active,
        after.stream_lag,
        after.subscribers,
        after.memory_bytes,
    )


def _milliseconds(durations: Sequence[int], share: float) -> float | None:
    found = percentile(durations, BATCH_MICROSECONDS, share)
    return None if found is None else round(found / 1_000, 3)


def percentile(counts: Sequence[int], bounds: Sequence[int], share: float) -> float | None:
    """What so large a share of the values does not exceed, as far as buckets tell; None without values.

    Within a bucket values are taken to lie evenly. What is above the last bound counts as the bound.
    """
    wanted = share * sum(counts)
    if wanted <= 0:
        return None
    lower, passed = 0, 0
    for count, bound in zip(counts, bounds, strict=False):
        if count and passed + count >= wanted:
            return lower + (bound - lower) * (wanted - passed) / count
        lower, passed = bound, passed + count
    return float(bounds[-1])


@asynccontextmanager
async def keep_remembered(history: History) -> AsyncIterator[None]:
    """While the block runs, every interval is remembered."""
    remembering = asyncio.create_task(_remember_for_ever(history), name="actae history")
    try:
        yield
    finally:
        remembering.cancel()
        with suppress(asyncio.CancelledError):
            await remembering


async def _remember_for_ever(history: History) -> None:
    while True:
        await asyncio.sleep(INTERVAL_SECONDS)
        history.sample()
