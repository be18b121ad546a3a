"""What a load program counts, and the one line of JSON it prints at the end."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Sequence

clock = time.perf_counter


class Tally:
    """Counts the units of work that end inside a window of `seconds`, after `warm_up_seconds`.

    A unit is whatever the caller times: a claim with its complete, a transition. The window opens with
    `start`, which belongs after the connections are made.
    """

    def __init__(self, seconds: float, warm_up_seconds: float) -> None:
        self._seconds = seconds
        self._warm_up_seconds = warm_up_seconds
        self._latencies: list[float] = []
        self.finished_count = 0
        self.refusals: list[str] = []

    def start(self) -> None:
        self._cpu_at_start = time.process_time()
        self._opens_at = clock() + self._warm_up_seconds
        self._closes_at = self._opens_at + self._seconds

    def is_open(self) -> bool:
        """Whether another unit should begin."""
        return clock() < self._closes_at

    def add(self, began_at: float) -> None:
        """One unit that began at `began_at` has just ended."""
        ended_at = clock()
        self.finished_count += 1
        if self._opens_at <= ended_at < self._closes_at:
            self._latencies.append(ended_at - began_at)

    def refuse(self, what: str) -> None:
        """Something other than success happened; the run is then worth nothing as a measurement."""
        self.refusals.append(what)

    def as_json(self) -> str:
        """What `benchmarks.harness.loads` reads: latencies in milliseconds, CPU in microseconds a unit."""
        latencies = sorted(self._latencies)
        used = time.process_time() - self._cpu_at_start
        return json.dumps(
            {
                "per_second": len(latencies) / self._seconds,
                "p50_ms": 1000 * percentile(latencies, 50),
                "p99_ms": 1000 * percentile(latencies, 99),
                "finished_count": self.finished_count,
                "refusal_count": len(self.refusals),
                "first_refusal": self.refusals[0] if self.refusals else None,
                "load_cpu_us": 1e6 * used / max(1, self.finished_count),
            }
        )


def percentile(ascending: Sequence[float], percent: float) -> float:
    """The nearest-rank percentile; NaN of nothing."""
    if not ascending:
        return math.nan
    return ascending[max(0, math.ceil(percent / 100 * len(ascending)) - 1)]
