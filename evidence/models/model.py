"""What the harness asks of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypedDict


class Message(TypedDict):
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, kw_only=True)
class Usage:
    """The tokens of one call, as whoever answered it counted them."""

    input_tokens: int
    output_tokens: int

    @property
    def total(self) -> int:
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, kw_only=True)
class Completion:
    """An answer, and what it took."""

    text: str
    usage: Usage
    finish_reason: str | None
    returned_usage: Mapping[str, Any]
    """The `usage` object as it came, with whatever else the endpoint says in it."""


class Model(Protocol):
    """Answers a conversation."""

    def complete(self, messages: Sequence[Message], *, temperature: float, seed: int) -> Completion:
        """The answer to the last message. Raises `EvidenceError` when there is none, or no usage."""
        ...

    def describe(self) -> dict[str, Any]:
        """What a report says about this model."""
        ...
