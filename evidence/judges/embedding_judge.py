"""A judge without opinions: how close the sentence embeddings of two tails are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

from evidence.judges.judge import SCORE_MAX, SCORE_MIN, Judgement, Tail

Vector = Sequence[float]

_DIGITS = 6  # further ones depend on the machine


class Embedder(Protocol):
    """Turns texts into vectors."""

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector per text."""
        ...

    def describe(self) -> dict[str, Any]:
        """What a report says about it."""
        ...


class EmbeddingJudge:
    """Compares step with step: 1 + 9 times the mean cosine, a negative one counting as 0.

    It sees what a text is about and how it is put, and not whether it is true: a wrong amount costs it
    hardly anything.
    """

    name = "embeddings"

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def score(self, title: str, reference: Tail, candidate: Tail) -> Judgement:
        """The cosine of each step is the rationale."""
        vectors = self._embedder.embed([part.text for part in (*reference, *candidate)])
        pairs = zip(vectors[: len(reference)], vectors[len(reference) :], strict=True)
        cosines = [cosine(one, other) for one, other in pairs]
        mean = math.fsum(cosines) / len(cosines)
        said = ", ".join(f"{part.step} {each:.4f}" for part, each in zip(candidate, cosines, strict=True))
        score = SCORE_MIN + (SCORE_MAX - SCORE_MIN) * max(0.0, mean)
        return Judgement(score=round(score, _DIGITS), rationale=f"Cosine per step: {said}.")

    def describe(self) -> dict[str, Any]:
        """What a report says about this judge."""
        return {"judge": self.name, **self._embedder.describe()}


def cosine(one: Vector, other: Vector) -> float:
    """Of the angle between two vectors; 0 if one of them is nothing."""
    lengths = math.hypot(*one) * math.hypot(*other)
    product = math.fsum(left * right for left, right in zip(one, other, strict=True))
    return product / lengths if lengths else 0.0
