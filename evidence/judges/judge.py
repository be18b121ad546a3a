"""What the suite asks of a judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol

SCORE_MIN: Final = 1
SCORE_MAX: Final = 10


class Part(NamedTuple):
    """What one step of a tail said."""

    step: str
    text: str


Tail = Sequence[Part]


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """How close a tail comes to the baseline's."""

    score: float | None
    """From 1 to 10; None when the judge's answer could not be read, which counts as a failure."""
    rationale: str
    """In the judge's own words."""

    def to_json(self) -> dict[str, Any]:
        """For the report."""
        return {"score": self.score, "rationale": self.rationale}


class Judge(Protocol):
    """Scores a tail against the baseline's. It is not told whether a fork or a re-run wrote it."""

    name: str

    def score(self, title: str, reference: Tail, candidate: Tail) -> Judgement:
        """Both tails have the same steps."""
        ...

    def describe(self) -> dict[str, Any]:
        """What a report says about this judge."""
        ...
