"""What is written to one channel, and how it reaches everybody who follows it."""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from typing import Any

from benchmarks.harness.processes import cpu_seconds
from benchmarks.load.options import load_options
from benchmarks.load.tally import Tally
from benchmarks.load.workload import PARAMS

ALL_WITHIN_SECONDS = 60


class Broadcast:
    """Counts deliveries, each of one event to one reader; many readers make many of one write.

    Events carry the moment at which their writing began: a delivery lasts from the writer's request to the
    reader's socket. Writers and readers share one process, and so a clock.
    """

    def __init__(self, asked: argparse.Namespace) -> None:
        self._reader_count = asked.readers
        self._pids = asked.pid
        self._deliveries, self._replies = (Tally(asked.seconds, asked.warm_up) for _ in range(2))
        self._heard_count = 0
        self._awaited_count = 0
        self._awaited: asyncio.Future[None] | None = None

    def start(self) -> None:
        """Open the window. Readers and writers are connected already: that is no part of what is measured."""
        self._used_before = cpu_seconds(self._pids)
        self._deliveries.start()
        self._replies.start()

    def is_open(self) -> bool:
        """Whether another event should be written."""
        return self._deliveries.is_open()

    def wrote(self, began_at_ns: int) -> None:
        """The writer of an event has just had its answer."""
        self._replies.add(began_at_ns / 1e9)

    def hear(self, began_at_ns: int) -> None:
        """One reader has just got the event whose writing began then."""
        self._deliveries.add(began_at_ns / 1e9)
        self._heard_count += 1
        if self._heard_count == self._awaited_count:
            self._go_on()

    def refuse(self, why: str) -> None:
        """Some writer or reader has failed: nobody needs to wait any more."""
        self._deliveries.refuse(why)
        self._go_on()

    def everyone_heard(self) -> asyncio.Future[None]:
        """Done as soon as what was written so far has reached everybody, or never will."""
        loop = asyncio.get_running_loop()
        self._awaited = done = loop.create_future()
        self._awaited_count = self._replies.finished_count * self._reader_count
        if self._heard_count >= self._awaited_count or self._deliveries.refusals:
            self._go_on()
        else:
            too_late = loop.call_later(ALL_WITHIN_SECONDS, self._tell_who_lacks)
            done.add_done_callback(lambda _: too_late.cancel())
        return done

    def _tell_who_lacks(self) -> None:
        lacking = self._awaited_count - self._heard_count
        self.refuse(f"{lacking} of {self._awaited_count} deliveries never came")

    def _go_on(self) -> None:
        if self._awaited is not None and not self._awaited.done():
            self._awaited.set_result(None)

    def as_json(self) -> str:
        """What a tally tells of the deliveries; how long a reply took, and what a delivery cost others."""
        used = cpu_seconds(self._pids) - self._used_before
        count = max(1, self._deliveries.finished_count)
        told: dict[str, Any] = json.loads(self._deliveries.as_json())
        told["reply_p50_ms"] = json.loads(self._replies.as_json())["p50_ms"]
        told["server_cpu_us"] = 1e6 * used.servers / count
        told["postgres_cpu_us"] = 1e6 * used.postgres / count
        return json.dumps(told)


def broadcast_options(description: str) -> argparse.ArgumentParser:
    """The command line that both kinds of broadcast share."""
    parser = load_options(description)
    parser.add_argument("--readers", type=int, default=1)
    parser.add_argument(
        "--in-turn", action="store_true", help="write the next event when everybody has the last; one caller"
    )
    parser.add_argument(
        "--pid", action="append", type=int, default=[], help="of a server whose CPU is counted"
    )
    return parser


def now_ns() -> int:
    """The moment that an event carries, on the tally's clock."""
    return time.perf_counter_ns()


def timed(moment: int) -> str:
    """The payload of every event: what all load writes, with a moment in front."""
    return f'{{"at":{moment},{PARAMS[1:]}'


def moment_in(text: bytes, begin: int, end: int) -> int:
    """The moment that an event carries, found without decoding the rest.

    Raises:
        LookupError: there is none.
    """
    start = text.find(b'"at":', begin, end)
    if start < 0:
        raise LookupError(f"no moment in {text[begin : begin + 400]!r}")
    return int(text[start + 5 : text.index(b",", start, end)])
