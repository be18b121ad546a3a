"""Counts what a model was asked, whatever becomes of the answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evidence.models.model import Completion, Message, Model, Usage


class Meter:
    """A model with a meter in front of it: the second witness of every sum in a report."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._read: list[Usage] = []

    @property
    def calls(self) -> int:
        """How often the model was asked."""
        return len(self._read)

    @property
    def usage(self) -> Usage:
        """The tokens of all calls."""
        return Usage(
            input_tokens=sum(usage.input_tokens for usage in self._read),
            output_tokens=sum(usage.output_tokens for usage in self._read),
        )

    def complete(self, messages: Sequence[Message], *, temperature: float, seed: int) -> Completion:
        """What the model answers."""
        completion = self._model.complete(messages, temperature=temperature, seed=seed)
        self._read.append(completion.usage)
        return completion

    def describe(self) -> dict[str, Any]:
        """What a report says about the model."""
        return self._model.describe()
