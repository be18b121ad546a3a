"""Events and those who follow them: deliveries, PostgreSQL's own notifications, and readers of nothing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Any

from benchmarks.harness.answers import BenchmarkError, Sample
from benchmarks.harness.folders import REPOSITORY
from benchmarks.harness.ledger import written_events
from benchmarks.harness.loads import Crowd, run_load
from benchmarks.harness.rounds import Pace
from benchmarks.harness.server import Server

CHANNEL_PREFIX = "followed"


@dataclass(frozen=True, kw_only=True)
class Delivered(Sample):
    """A round in which events were delivered. What is counted are deliveries, many of one write."""

    reply_p50_ms: float | None = None  # How long a writer waited for its answer.


def delivering(
    written: Server, followed: Server, readers: int, pace: Pace, *, writers: int | None = None
) -> Delivered:
    """Events of one channel on their way to subscribers of the same server or of another one.

    As many writers as are named, as fast as they are answered; without, one event after the other, each
    when the last one has reached everybody.

    Raises:
        BenchmarkError: something was refused, lost, doubled or out of order.
    """
    options = ["--write-url", written.url, "--read-url", followed.url, "--api-key", written.api_key]
    before = written_events(written, CHANNEL_PREFIX, 1)
    told = broadcast("deliveries", options, readers, writers, pace, {written.pid, followed.pid})
    found = written_events(written, CHANNEL_PREFIX, 1) - before
    if told["finished_count"] != found * readers:
        raise BenchmarkError(
            f"{found} events for {readers} readers made {told['finished_count']} deliveries."
        )
    return as_delivered(told)


def notifying(
    server: Server, reference_url: str, readers: int, pace: Pace, *, writers: int | None = None
) -> Delivered:
    """The reference: rows that are stored and notified in one transaction, in a server's PostgreSQL."""
    told = broadcast("notifications", ["--database-url", reference_url], readers, writers, pace, {server.pid})
    return as_delivered(told | {"server_cpu_us": None})  # It has no part in it.


def broadcast(
    module: str, options: list[str], readers: int, writers: int | None, pace: Pace, pids: set[int]
) -> dict[str, Any]:
    crowd = Crowd(callers=writers or 1, channels=1, channel_prefix=CHANNEL_PREFIX)
    command = [sys.executable, "-m", f"benchmarks.load.{module}", *options, *crowd.options(pace)]
    command += ["--readers", str(readers), *([] if writers else ["--in-turn"])]
    return run_load([*command, *(option for pid in pids for option in ("--pid", str(pid)))])


def as_delivered(told: dict[str, Any]) -> Delivered:
    return Delivered(**{field.name: told.get(field.name) for field in fields(Delivered)})


@contextmanager
def idle_readers(
    server: Server, count: int, *, kind: str = "socket", prefix: str = "idle"
) -> Iterator[subprocess.Popen[str]]:
    """So many readers, each with a `socket` or a `stream` on a channel in which nothing happens.

    The process that holds them comes with it; it ends when one of them is told something.

    Raises:
        BenchmarkError: one was refused, or was lost before the end.
    """
    command = [sys.executable, "-m", "benchmarks.load.idle_readers", "--readers", str(count), "--kind", kind]
    command += ["--channel-prefix", prefix, "--url", server.url, "--api-key", server.api_key]
    with subprocess.Popen(
        command,
        cwd=REPOSITORY,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            is_ready = process.stdout.readline() == "ready\n"
            if is_ready:
                yield process
        finally:
            process.stdin.close()
        complaint = process.stderr.read()
    if process.returncode or not is_ready:
        raise BenchmarkError(f"Idle readers failed:\n{complaint[-2000:]}")
