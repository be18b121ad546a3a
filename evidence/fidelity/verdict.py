"""When a scenario passes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

Scores = Sequence[float | None]


@dataclass(frozen=True, kw_only=True)
class Bar:
    """What a fork has to reach, in points of the judge's scale from 1 to 10."""

    threshold: float
    tolerance: float
    """How far below the control the fork may be."""

    def is_reached(self, score: float | None) -> bool:
        """Whether a score is good enough by itself."""
        return score is not None and score >= self.threshold


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What the scores of one judge come to in one scenario. Means are over the samples."""

    fork_mean: float | None
    control_mean: float | None
    unrelated_score: float | None
    """Of another scenario's tail. A judge that likes it as well as the others says nothing."""
    unreadable_count: int
    """Of forks and controls; a score that is missing cannot pass."""
    reaches_threshold: bool
    is_not_worse: bool

    @property
    def passes(self) -> bool:
        return self.reaches_threshold and self.is_not_worse and self.unreadable_count == 0

    def to_json(self) -> dict[str, Any]:
        """For the report."""
        return {**asdict(self), "passes": self.passes}


def decide(forks: Scores, controls: Scores, unrelated: float | None, bar: Bar) -> Verdict:
    """The fork reaches the threshold, and is not worse than the control beyond the tolerance."""
    fork, control = mean(forks), mean(controls)
    return Verdict(
        fork_mean=fork,
        control_mean=control,
        unrelated_score=unrelated,
        unreadable_count=sum(score is None for score in (*forks, *controls)),
        reaches_threshold=bar.is_reached(fork),
        is_not_worse=fork is not None and control is not None and fork >= control - bar.tolerance,
    )


def mean(scores: Scores) -> float | None:
    """Of those that could be read; None if none could."""
    known = [score for score in scores if score is not None]
    return fmean(known) if known else None
