"""Forks a run of 10 events and one of 100,000, at its end and in its middle, one fork after the other.

A fork copies one snapshot and no event, so the length of the log should not show. Both runs have a snapshot
at every step, all of one size. Each round adds forks to both, which later ones must not mind either.
"""

from __future__ import annotations

from functools import partial

from benchmarks.harness import goals
from benchmarks.harness.answers import Answer, ratios
from benchmarks.harness.loads import Crowd, over_http
from benchmarks.harness.postgres import fill_runs
from benchmarks.harness.rounds import Pace, take_turns
from benchmarks.harness.server import fresh_server
from benchmarks.load.workload import channel_name

QUESTION = "Does a fork take longer where the run is long?"
SHORT, LONG = 10, 100_000  # events
END, MIDDLE = "end", "middle"


def answer(pace: Pace) -> Answer:
    crowds = {
        events: Crowd(callers=1, channels=1, channel_prefix=f"run-{events}") for events in (LONG, SHORT)
    }
    with fresh_server() as server:
        fill_runs(
            server.database_url,
            {channel_name(crowd.channel_prefix, 0): events - 1 for events, crowd in crowds.items()},
        )
        subjects = {
            f"{events:,}, {place}": partial(over_http, [server], crowd, pace, unit="fork", fork_cursor=cursor)
            for events, crowd in crowds.items()
            for place, cursor in ((END, 0), (MIDDLE, events // 2))
        }
        samples = take_turns(subjects, pace.rounds)
    figures = [
        ratios(
            f"p50 at the {place}, {LONG:,} / {SHORT}",
            samples[f"{LONG:,}, {place}"],
            samples[f"{SHORT:,}, {place}"],
            of="p50_ms",
            goal=goals.FORK_OF_A_LONG_RUN,
        )
        for place in (END, MIDDLE)
    ]
    return Answer(samples=samples, figures=figures)
