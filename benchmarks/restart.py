"""Kills the server (SIGKILL) after it has answered load, starts it again, and times the first claim.

The clock runs from the start of the new process to the answer: interpreter, recovery of PostgreSQL,
migrations, first connection. Everything that was answered before the kill must be there afterwards.
"""

from __future__ import annotations

import time

from benchmarks.harness import goals
from benchmarks.harness.answers import Answer, BenchmarkError, Figure
from benchmarks.harness.folders import scratch_folder
from benchmarks.harness.ledger import claim, written_events
from benchmarks.harness.loads import Crowd, over_http
from benchmarks.harness.rounds import Pace
from benchmarks.harness.server import Server, running_server

QUESTION = "How soon after a crash is the first claim answered?"
CROWD = Crowd(callers=64)


def answer(pace: Pace) -> Answer:
    starts: list[float] = []
    written = 0
    with scratch_folder() as data_dir:
        for number in range(1 + pace.rounds):
            began_at = time.perf_counter()
            with running_server(data_dir) as server:
                claim(server, "restart", f"start-{number}")
                starts.append(time.perf_counter() - began_at)
                must_hold(server, written)
                over_http([server], CROWD, pace)
                written = events_of_the_crowd(server)
                server.process.kill()
    first, *restarts = starts
    return Answer(
        figures=[
            Figure(label="first start, database made", values=[first], unit="s"),
            Figure(label="restart to first answer", values=restarts, unit="s", goal=goals.RESTART_SECONDS),
        ]
    )


def must_hold(server: Server, written: int) -> None:
    """Raises BenchmarkError when the crash has cost or made an event."""
    found = events_of_the_crowd(server)
    if found != written:
        raise BenchmarkError(f"{written} events were written before the crash; {found} are there after it.")


def events_of_the_crowd(server: Server) -> int:
    return written_events(server, CROWD.channel_prefix, CROWD.channels)
