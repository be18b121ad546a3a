"""Stands for sentence embeddings in a dry run: a text is how often it uses each word."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from evidence.judges.embedding_judge import Vector


class WordCounts:
    """Knows no meaning; needs nothing installed; gives the same answer everywhere."""

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One dimension per word that any of the texts uses."""
        counts = [Counter(re.findall(r"\w+", text.lower())) for text in texts]
        words = sorted(set().union(*counts))
        return [[float(count[word]) for word in words] for count in counts]

    def describe(self) -> dict[str, Any]:
        """What a report says about it."""
        return {"embedder": "counts of words, in place of a model"}
