"""Models that answer with fixed texts, for dry runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evidence.failures import EvidenceError
from evidence.models.model import Completion, Message, Usage
from evidence.models.tokenizer import Tokenizer


class ScriptedModel:
    """Knows the answer to each question; counts what a model would have read and written."""

    def __init__(self, replies: Mapping[str, str], tokenizer: Tokenizer) -> None:
        self._replies = replies
        self._tokenizer = tokenizer

    def complete(self, messages: Sequence[Message], *, temperature: float, seed: int) -> Completion:
        """The scripted answer to the last message; temperature and seed change nothing."""
        question = messages[-1]["content"]
        try:
            reply = self._replies[question]
        except KeyError:
            raise EvidenceError(f"The script has no answer to {question[:80]!r}.") from None
        return counted(reply, messages, self._tokenizer)

    def describe(self) -> dict[str, Any]:
        """What a report says about it."""
        return {"model": "scripted", "tokenizer": self._tokenizer.describe()}


class StubbornModel:
    """Says the same to everybody."""

    def __init__(self, reply: str, tokenizer: Tokenizer) -> None:
        self._reply = reply
        self._tokenizer = tokenizer

    def complete(self, messages: Sequence[Message], *, temperature: float, seed: int) -> Completion:
        """That."""
        return counted(self._reply, messages, self._tokenizer)

    def describe(self) -> dict[str, Any]:
        """What a report says about it."""
        return {"model": "scripted: one answer to everything"}


def counted(reply: str, messages: Sequence[Message], tokenizer: Tokenizer) -> Completion:
    """A completion whose usage is the tokenizer's count of the texts."""
    usage = Usage(
        input_tokens=sum(tokenizer.count(message["content"]) for message in messages),
        output_tokens=tokenizer.count(reply),
    )
    returned = {"prompt_tokens": usage.input_tokens, "completion_tokens": usage.output_tokens}
    return Completion(text=reply, usage=usage, finish_reason="stop", returned_usage=returned)
