"""The shape of an answer: what was measured, and the figures that are judged."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks.harness.goals import Goal


class BenchmarkError(Exception):
    """This question has no answer in this run; the message says why."""


@dataclass(frozen=True, kw_only=True)
class Sample:
    """What one round of load on one subject came to. What could not be told is None."""

    per_second: float
    p50_ms: float | None
    p99_ms: float | None
    # CPU that one unit costs, in microseconds: says where the time goes, and says it on a busy machine too.
    server_cpu_us: float | None = None
    postgres_cpu_us: float | None = None
    load_cpu_us: float | None = None


# By subject, in the order of the rounds.
Samples = Mapping[str, Sequence[Sample]]


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One number per round, told as their median with the lowest and the highest beside it."""

    label: str
    values: Sequence[float]
    unit: str = ""
    goal: Goal | None = None

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def spread(self) -> tuple[float, float]:
        return min(self.values), max(self.values)

    @property
    def reached(self) -> str:
        """`aim`, `target`, `floor`, `missed`, or nothing where no goal was set."""
        return self.goal.reached_by(self.median) if self.goal else ""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What was sampled, the figures drawn from it, and sentences to print below."""

    figures: Sequence[Figure]
    samples: Samples = field(default_factory=dict)
    remarks: Sequence[str] = ()


def figure(label: str, samples: Sequence[Sample], *, of: str, unit: str, goal: Goal | None = None) -> Figure:
    """One field of a subject's samples, round by round."""
    return Figure(label=label, values=[getattr(sample, of) for sample in samples], unit=unit, goal=goal)


def ratios(
    label: str,
    above: Sequence[Sample],
    below: Sequence[Sample],
    *,
    of: str = "per_second",
    goal: Goal | None = None,
) -> Figure:
    """One subject over another, round by round, so that what slows a whole round cancels out."""
    pairs = zip(above, below, strict=True)
    return Figure(label=label, values=[getattr(a, of) / getattr(b, of) for a, b in pairs], goal=goal)
