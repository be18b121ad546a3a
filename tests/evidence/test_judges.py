"""Who scores, and how an answer becomes a score."""

from collections.abc import Sequence
from typing import Any

import pytest

from evidence.judges.embedding_judge import EmbeddingJudge
from evidence.judges.judge import Part
from evidence.judges.model_judge import ModelJudge, read_judgement
from evidence.judges.word_counts import WordCounts
from evidence.models.model import Completion, Message, Usage


@pytest.mark.parametrize(
    ("answer", "score", "rationale"),
    [
        ("SCORE: 8\nRATIONALE: Same facts.", 8, "Same facts."),
        ("**Score:** 8/10\n\nRationale: Same\nfacts.", 8, "Same\nfacts."),
        ("score = 10.\nbecause", 10, "score = 10.\nbecause"),
        ("Here you go:\nSCORE: 1\nRATIONALE: Other subject.", 1, "Other subject."),
        ("SCORE: 11\nRATIONALE: Splendid.", None, "SCORE: 11\nRATIONALE: Splendid."),
        ("SCORE: 0\nRATIONALE: Bad.", None, "SCORE: 0\nRATIONALE: Bad."),
        ("SCORE: 8.5\nRATIONALE: Between.", None, "SCORE: 8.5\nRATIONALE: Between."),
        ("SCORE: -3\nRATIONALE: Bad.", None, "SCORE: -3\nRATIONALE: Bad."),
        ("SCORE: a whole number from 1 to 10", None, "SCORE: a whole number from 1 to 10"),
        ("The candidate is fine.", None, "The candidate is fine."),
        ("", None, ""),
    ],
)
def test_only_a_whole_number_from_1_to_10_is_a_score(answer: str, score: int | None, rationale: str) -> None:
    """Anything else is shown as it came, without a score."""
    judgement = read_judgement(answer)
    assert (judgement.score, judgement.rationale) == (score, rationale)


class Listening:
    """A model that keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[list[Message], float]] = []

    def complete(self, messages: Sequence[Message], *, temperature: float, seed: int) -> Completion:
        self.asked.append((list(messages), temperature))
        usage = Usage(input_tokens=1, output_tokens=1)
        return Completion(text="SCORE: 9", usage=usage, finish_reason="stop", returned_usage={})

    def describe(self) -> dict[str, Any]:
        return {}


def test_the_model_judges_at_temperature_0_and_is_not_told_who_wrote_the_tail() -> None:
    """It reads the title and both tails, and nothing of forks and controls."""
    model = Listening()
    ModelJudge(model).score("A title", [Part("mail", "Dear one")], [Part("mail", "Dear other")])
    [(messages, temperature)] = model.asked
    assert temperature == 0
    assert all(text in messages[-1]["content"] for text in ("A title", "[mail]", "Dear one", "Dear other"))
    said = " ".join(message["content"] for message in messages).lower()
    assert not any(word in said for word in ("fork", "control", "baseline", "re-run"))


@pytest.mark.parametrize(
    ("candidate", "score"), [("the same words", 10.0), ("nothing in common", 1.0), ("", 1.0)]
)
def test_the_embedding_judge_maps_the_cosine_to_the_scale(candidate: str, score: float) -> None:
    """10 for the same, 1 for nothing in common."""
    judge = EmbeddingJudge(WordCounts())
    judgement = judge.score("title", [Part("mail", "the same words")], [Part("mail", candidate)])
    assert judgement.score == pytest.approx(score)
    assert judgement.rationale.startswith("Cosine per step: mail ")


def test_the_embedding_judge_takes_the_mean_over_the_steps() -> None:
    """One step that is the same and one that is not come to the middle."""
    judge = EmbeddingJudge(WordCounts())
    reference = [Part("a", "one two"), Part("b", "three")]
    judgement = judge.score("title", reference, [Part("a", "one two"), Part("b", "four")])
    assert judgement.score == pytest.approx(5.5)
