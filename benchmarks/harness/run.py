"""Puts questions one after the other; one that fails does not keep the others from being answered."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from benchmarks.harness.answers import Answer, BenchmarkError
from benchmarks.harness.processes import busy_share
from benchmarks.harness.rounds import Pace

LISTENED_SECONDS = 0.5


class Question(Protocol):
    """A script in `benchmarks/`: its sentence, and how it is answered. Its docstring says the rest."""

    QUESTION: str

    def answer(self, pace: Pace) -> Answer:
        """Raises BenchmarkError when there is none."""


@dataclass(frozen=True, kw_only=True)
class Result:
    name: str
    sentence: str
    explanation: str
    answer: Answer | None
    failure: str | None  # Why there is no answer.
    busy_share: float  # How much of the machine others used just before; 0 to 1.
    took_seconds: float

    @property
    def is_good(self) -> bool:
        """Whether there is an answer and no figure in it missed its floor."""
        return self.answer is not None and all(figure.reached != "missed" for figure in self.answer.figures)


def put(name: str, question: Question, pace: Pace) -> Result:
    busy = busy_share(LISTENED_SECONDS)
    began_at = time.monotonic()
    answer, failure = None, None
    try:
        answer = question.answer(pace)
    except BenchmarkError as error:
        failure = str(error)
    return Result(
        name=name,
        sentence=question.QUESTION,
        explanation=inspect.getdoc(question) or "",
        answer=answer,
        failure=failure,
        busy_share=busy,
        took_seconds=time.monotonic() - began_at,
    )


def put_all(
    questions: Mapping[str, Question], pace: Pace, tell: Callable[[Result], None]
) -> Sequence[Result]:
    """Put each in turn; `tell` hears of every result as soon as it is known."""
    results = []
    for name, question in questions.items():
        result = put(name, question, pace)
        tell(result)
        results.append(result)
    return results
