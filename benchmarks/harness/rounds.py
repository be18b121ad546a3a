"""Takes turns, there and back: A, B, C, C, B, A …

A slow minute of the machine falls on every subject alike, and so does what a subject leaves behind, such as
pages to write back and tables to vacuum: whoever comes after it in one round comes before it in the next.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from benchmarks.harness.answers import Sample, Samples

Subject = Callable[[], Sample]


@dataclass(frozen=True, kw_only=True)
class Pace:
    """How long a run may take. The figures of a hurried one are for finding mistakes, not for keeping."""

    rounds: int
    seconds: float  # Of load that counts, per subject and round.
    warm_up_seconds: float
    executions_in_a_large_ledger: int
    idle_readers: int


FULL = Pace(
    rounds=4, seconds=2.0, warm_up_seconds=0.5, executions_in_a_large_ledger=1_000_000, idle_readers=5_000
)
QUICK = Pace(
    rounds=1, seconds=1.0, warm_up_seconds=0.3, executions_in_a_large_ledger=100_000, idle_readers=1_000
)


def take_turns(subjects: Mapping[str, Subject], rounds: int) -> Samples:
    """Every subject once per round, in the order given and then in its reverse."""
    samples: dict[str, list[Sample]] = {name: [] for name in subjects}
    order = list(subjects.items())
    for _ in range(rounds):
        for name, measure in order:
            samples[name].append(measure())
        order.reverse()
    return samples
