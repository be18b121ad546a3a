"""What may be expected of every cell of a crash test."""

from __future__ import annotations

from enum import StrEnum


class Expectation(StrEnum):
    """Something that holds in every cell, whatever the agent was killed at."""

    NO_DUPLICATES = "no-duplicates"
    NO_LOSSES = "no-losses"
    NO_STUCK = "no-stuck"

    @property
    def looks_at(self) -> str:
        """The property of a matrix that must be empty."""
        return self.removeprefix("no-")


DEFAULT_EXPECTATIONS = (Expectation.NO_DUPLICATES, Expectation.NO_LOSSES)
