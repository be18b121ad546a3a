"""Claims a key that the root of a line of forks has completed, in its 1st, its 10th and its 100th generation.

Every claim is answered `replayed`, and leaves nothing behind. The root itself is asked too: what a replay
there takes less is what inheriting costs.
"""

from __future__ import annotations

from functools import partial

from benchmarks.harness import goals
from benchmarks.harness.answers import Answer, Figure, Samples, ratios
from benchmarks.harness.ledger import complete, fork_in_a_line
from benchmarks.harness.loads import Crowd, over_http
from benchmarks.harness.rounds import Pace, take_turns
from benchmarks.harness.server import fresh_server
from benchmarks.load.workload import INHERITED_KEY, channel_name

QUESTION = "What does a claim cost that an ancestor answers, however far above?"
DEPTHS = (0, 1, 10, 100)
CALLERS = (1, 64)


def answer(pace: Pace) -> Answer:
    with fresh_server() as server:
        line = [channel_name(prefix(depth), 0) for depth in range(max(DEPTHS) + 1)]
        complete(server, line[0], INHERITED_KEY)
        fork_in_a_line(server, line)
        subjects = {
            subject(depth, callers): partial(
                over_http,
                [server],
                Crowd(callers=callers, channels=1, channel_prefix=prefix(depth)),
                pace,
                unit="replay",
            )
            for callers in CALLERS
            for depth in DEPTHS
        }
        samples = take_turns(subjects, pace.rounds)
    return Answer(samples=samples, figures=figures(samples))


def prefix(depth: int) -> str:
    return f"generation-{depth}"


def subject(depth: int, callers: int) -> str:
    return f"{f'depth {depth}' if depth else 'own row'}, {callers}"


def figures(samples: Samples) -> list[Figure]:
    """Latencies of a lone caller, and what is left of the rate under load."""

    def at(depth: int, callers: int, below: int, goal: goals.Goal | None = None) -> Figure:
        above, under = samples[subject(depth, callers)], samples[subject(below, callers)]
        what = "p50" if callers == 1 else "claims"
        of = "p50_ms" if callers == 1 else "per_second"
        other = f"depth {below}" if below else "own row"
        return ratios(f"{what} at {callers}, depth {depth} / {other}", above, under, of=of, goal=goal)

    return [
        at(1, 1, 0),
        at(10, 1, 1),
        at(100, 1, 1, goals.INHERITED_CLAIM_AT_DEPTH_100),
        at(1, 64, 0),
        at(10, 64, 1),
        at(100, 64, 1),
    ]
