"""Resumes a session of 10 steps and one of 10,000 whose processes were killed, through the Python client.

What a session writes about itself is from its first step then; the server's index of steps says where it was.
The log is not read, so its length should not show. Both have a snapshot at every step, all of one size.
"""

from __future__ import annotations

from functools import partial

from benchmarks.harness import goals
from benchmarks.harness.answers import Answer, ratios
from benchmarks.harness.loads import Crowd, resuming
from benchmarks.harness.postgres import fill_runs
from benchmarks.harness.rounds import Pace, take_turns
from benchmarks.harness.server import fresh_server
from benchmarks.load.workload import channel_name

QUESTION = "Does a session take longer to resume where it is long?"
SHORT, LONG = 10, 10_000  # steps


def answer(pace: Pace) -> Answer:
    crowds = {
        steps: Crowd(callers=1, channels=1, channel_prefix=f"session-{steps}") for steps in (LONG, SHORT)
    }
    with fresh_server() as server:
        fill_runs(
            server.database_url,
            {channel_name(crowd.channel_prefix, 0): steps for steps, crowd in crowds.items()},
        )
        subjects = {
            f"{steps:,} steps": partial(resuming, server, crowd, pace, steps=steps)
            for steps, crowd in crowds.items()
        }
        samples = take_turns(subjects, pace.rounds)
    long, short = samples.values()
    goal = goals.RESUME_OF_A_LONG_SESSION
    return Answer(
        samples=samples,
        figures=[ratios(f"p50, {LONG:,} / {SHORT} steps", long, short, of="p50_ms", goal=goal)],
    )
