"""A model as judge, at temperature 0."""

from __future__ import annotations

import re
from typing import Any, Final

from evidence.judges.judge import SCORE_MAX, SCORE_MIN, Judgement, Tail
from evidence.models.model import Message, Model

INSTRUCTION: Final = """
You grade how faithfully a candidate repeats the outcome of a reference. Both are the last steps of the same
task. Compare facts, decisions and purpose, step by step; ignore wording, order of words and length.
10: the same facts and decisions, nothing invented.
7: the same decisions, small facts missing or added.
4: some decisions differ, or facts contradict each other.
1: another subject, or unusable.
Answer with exactly two lines and nothing else:
SCORE: a whole number from 1 to 10
RATIONALE: one sentence
""".strip()

# A line of its own: a small model repeats the instruction, "from 1 to 10" and all, and means no score by it.
_SCORE = re.compile(r"^\W*score[\s:*=]*(\d{1,3})(?:\s*/\s*10)?[\s.*]*$", re.IGNORECASE | re.MULTILINE)
_RATIONALE = re.compile(r"rationale\W{0,5}(.+)", re.IGNORECASE | re.DOTALL)
_SEED = 0


class ModelJudge:
    """Reads both tails and says a number with a reason."""

    name = "model"

    def __init__(self, model: Model) -> None:
        self._model = model

    def score(self, title: str, reference: Tail, candidate: Tail) -> Judgement:
        """What the model says. An answer without a score from 1 to 10 is shown as it came."""
        question = "\n\n".join(
            (f"TASK: {title}", "# REFERENCE", shown(reference), "# CANDIDATE", shown(candidate))
        )
        messages: list[Message] = [
            {"role": "system", "content": INSTRUCTION},
            {"role": "user", "content": question},
        ]
        return read_judgement(self._model.complete(messages, temperature=0.0, seed=_SEED).text)

    def describe(self) -> dict[str, Any]:
        """What a report says about this judge."""
        return {"judge": self.name, **self._model.describe(), "temperature": 0, "instruction": INSTRUCTION}


def read_judgement(answer: str) -> Judgement:
    """The score and the reason in an answer."""
    said = _SCORE.search(answer)
    score = int(said[1]) if said else None
    if score is None or not SCORE_MIN <= score <= SCORE_MAX:
        return Judgement(score=None, rationale=answer)
    reason = _RATIONALE.search(answer)
    return Judgement(score=score, rationale=reason[1].strip() if reason else answer)


def shown(tail: Tail) -> str:
    """A tail as a judge reads it."""
    return "\n\n".join(f"[{part.step}]\n{part.text}" for part in tail)
