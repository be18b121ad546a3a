"""Two server processes on one database, 32 callers each, all writing the same 64 channels; and one alone.

Two writers race for every head. Nothing is gained on a machine whose cores are already busy; little should be
lost, and the cursors must stay gapless, which is checked after every round.
"""

from __future__ import annotations

from functools import partial

from benchmarks.harness import goals
from benchmarks.harness.answers import Answer, ratios
from benchmarks.harness.folders import scratch_folder
from benchmarks.harness.loads import Crowd, over_http
from benchmarks.harness.rounds import Pace, take_turns
from benchmarks.harness.server import fresh_server, running_server

QUESTION = "What do two servers that write the same channels cost each other?"
CROWD = Crowd(callers=64)


def answer(pace: Pace) -> Answer:
    with (
        fresh_server() as first,
        scratch_folder() as folder,
        running_server(folder, database_url=first.database_url) as second,
    ):
        subjects = {
            "two servers, 64": partial(over_http, [first, second], CROWD, pace),
            "one server, 64": partial(over_http, [first], CROWD, pace),
        }
        samples = take_turns(subjects, pace.rounds)
    two, one = samples.values()
    goal = goals.TWO_SERVERS_OVER_ONE
    return Answer(samples=samples, figures=[ratios("pairs of two servers / of one", two, one, goal=goal)])
