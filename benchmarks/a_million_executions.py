"""The same pairs with ten thousand and with a million completed executions in the ledger.

Two servers, two databases of one cluster, and the new executions join the channels that hold the old ones.
"""

from __future__ import annotations

from functools import partial

from benchmarks.harness import goals
from benchmarks.harness.answers import Answer, ratios
from benchmarks.harness.folders import scratch_folder
from benchmarks.harness.loads import Crowd, over_http
from benchmarks.harness.postgres import create_database, fill_ledger
from benchmarks.harness.rounds import FULL, Pace, take_turns
from benchmarks.harness.server import fresh_server, running_server

QUESTION = "Does the ledger slow down as it grows?"
CROWD = Crowd(callers=64)
SMALL = 10_000


def answer(pace: Pace) -> Answer:
    large = pace.executions_in_a_large_ledger
    with fresh_server() as small_server, scratch_folder() as folder:
        large_url = create_database(small_server.database_url, "large_ledger")
        with running_server(folder, database_url=large_url) as large_server:
            fill_ledger(small_server.database_url, execution_count=SMALL, channel_count=CROWD.channels)
            fill_ledger(large_url, execution_count=large, channel_count=CROWD.channels)
            subjects = {
                f"{large:,} executions": partial(over_http, [large_server], CROWD, pace),
                f"{SMALL:,} executions": partial(over_http, [small_server], CROWD, pace),
            }
            samples = take_turns(subjects, pace.rounds)
    at_large, at_small = samples.values()
    goal = goals.THROUGHPUT_AT_A_MILLION if large >= FULL.executions_in_a_large_ledger else None
    figures = [ratios(f"pairs at {large:,} / at {SMALL:,}", at_large, at_small, goal=goal)]
    return Answer(samples=samples, figures=figures)
