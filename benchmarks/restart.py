"""Kills the server (SIGKILL) after it has answered load, starts it again, and times the first claim.

The clock runs from the start of the new process to the answer: interpreter, recovery of PostgreSQL,
migrations, first connection. Everything that was answered before the kill must be there afterwards.
"""

from __future__ import annotations

import time
from pathlib import Path

from benchmarks.harness import goals
from benchmarks.harness.answers import Answer, BenchmarkError, Figure
from benchmarks.harness.folders import scratch_folder
from benchmarks.harness.ledger import claim, written_events
from benchmarks.harness.loads import Crowd, over_http
from benchmarks.harness.rounds import Pace
from benchmarks.harness.server import Server, start_server, stop_server

QUESTION = "How soon after a crash is the first claim answered?"
CROWD = Crowd(callers=64)


def answer(pace: Pace) -> Answer:
    with scratch_folder() as data_dir:
        server, first_start = timed_start(data_dir)
        restarts = []
        try:
            for _ in range(pace.rounds):
                over_http([server], CROWD, pace)
                server, seconds = kill_and_restart(server, data_dir)
                restarts.append(seconds)
        finally:
            stop_server(server)
    return Answer(
        figures=[
            Figure(label="first start, database made", values=[first_start], unit="s"),
            Figure(
                label="restart to the first answer", values=restarts, unit="s", goal=goals.RESTART_SECONDS
            ),
        ]
    )


def kill_and_restart(server: Server, data_dir: Path) -> tuple[Server, float]:
    before = written_events(server, CROWD.channel_prefix, CROWD.channels)
    server.process.kill()
    server.process.wait()
    server, seconds = timed_start(data_dir)
    after = written_events(server, CROWD.channel_prefix, CROWD.channels)
    if after != before:
        raise BenchmarkError(f"{before} events were written before the crash and {after} are there after it.")
    return server, seconds


def timed_start(data_dir: Path) -> tuple[Server, float]:
    """A server that has answered its first claim, and how long that took, in seconds."""
    began_at = time.perf_counter()
    server = start_server(data_dir)
    claim(server, "restart", f"restart-{began_at}")
    return server, time.perf_counter() - began_at
