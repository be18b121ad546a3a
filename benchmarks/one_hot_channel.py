"""The same pairs, all on one channel, each round from an empty database.

One channel has one head that every write must move, and an empty database has no statistics: where a design
or a plan depends on either, it shows here. The reference has no head and does not mind.
"""

from __future__ import annotations

from functools import partial

from benchmarks.harness import goals
from benchmarks.harness.answers import Answer, Sample, Samples, ratios
from benchmarks.harness.loads import Crowd, from_asyncpg, over_http
from benchmarks.harness.postgres import create_reference
from benchmarks.harness.rounds import Pace, take_turns
from benchmarks.harness.server import fresh_server

QUESTION = "How many pairs per second go through one hot channel?"
CROWD = Crowd(callers=64, channels=1)


def answer(pace: Pace) -> Answer:
    samples: dict[str, list[Sample]] = {}
    for _ in range(pace.rounds):
        for name, measured in one_round(pace).items():
            samples.setdefault(name, []).extend(measured)
    actae, asyncpg = samples.values()
    goal = goals.PAIRS_ON_ONE_HOT_CHANNEL
    return Answer(
        samples=samples, figures=[ratios("pairs on one channel / asyncpg's", actae, asyncpg, goal=goal)]
    )


def one_round(pace: Pace) -> Samples:
    with fresh_server() as server:
        reference_url = create_reference(server.database_url)
        subjects = {
            "Actae, 64": partial(over_http, [server], CROWD, pace),
            "asyncpg, 64": partial(from_asyncpg, reference_url, CROWD, pace),
        }
        return take_turns(subjects, rounds=1)
