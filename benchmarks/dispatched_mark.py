"""Claims a fresh key and completes it: plainly, on terms that nobody may guess, and with the mark in between.

The mark is one more write that its caller waits for: three requests instead of two. The terms alone are two
columns and one more row in a small index, while the operation is under way.
"""

from __future__ import annotations

from functools import partial

from benchmarks.harness import goals
from benchmarks.harness.answers import Answer, Figure, Samples, ratios
from benchmarks.harness.loads import Crowd, over_http
from benchmarks.harness.rounds import Pace, take_turns
from benchmarks.harness.server import fresh_server

QUESTION = "What does it cost to say, before the tool is called, that it is called?"
CALLERS = (1, 64)
UNITS = {"plain": "pair", "with terms": "pair_on_terms", "with the mark": "marked_pair"}


def answer(pace: Pace) -> Answer:
    with fresh_server() as server:
        subjects = {
            f"{what}, {callers}": partial(over_http, [server], Crowd(callers=callers), pace, unit=unit)
            for callers in CALLERS
            for what, unit in UNITS.items()
        }
        samples = take_turns(subjects, pace.rounds)
    return Answer(samples=samples, figures=figures(samples))


def figures(samples: Samples) -> list[Figure]:
    """What is left of the rate under load, and how much longer a lone caller waits."""
    return [
        ratios(
            "pairs at 64, with the mark / plain",
            samples["with the mark, 64"],
            samples["plain, 64"],
            goal=goals.MARKED_PAIRS,
        ),
        ratios("pairs at 64, with terms / plain", samples["with terms, 64"], samples["plain, 64"]),
        ratios(
            "p50 at 1, with the mark / plain", samples["with the mark, 1"], samples["plain, 1"], of="p50_ms"
        ),
        ratios("p50 at 1, with terms / plain", samples["with terms, 1"], samples["plain, 1"], of="p50_ms"),
    ]
