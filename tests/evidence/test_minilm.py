"""The packaged MiniLM gives the vectors that its authors' own library gives."""

from collections.abc import Iterator

import pytest

from evidence.judges.embedding_judge import EmbeddingJudge, cosine
from evidence.judges.judge import Part
from evidence.local.embedder import MiniLmProcess, packaged_minilm

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]  # the first run installs its environment


@pytest.fixture(scope="module")
def embedder() -> Iterator[MiniLmProcess]:
    """In an environment of its own."""
    with packaged_minilm(print) as process:
        yield process


def test_vectors_agree_with_the_reference(embedder: MiniLmProcess) -> None:
    """Figures of sentence-transformers 5 with torch 2.13 for the same weights."""
    food, bread, violin = embedder.embed(
        ["A man is eating food.", "A man is eating a piece of bread.", "A woman plays the violin."]
    )
    assert food[:5] == pytest.approx([0.03324156, 0.00440605, -0.00627702, 0.04837871, -0.13870223], abs=1e-6)
    assert cosine(food, bread) == pytest.approx(0.7553372, abs=1e-6)
    assert cosine(food, violin) == pytest.approx(-0.075374, abs=1e-5)


def test_a_text_longer_than_the_model_reads_is_read_to_its_end(embedder: MiniLmProcess) -> None:
    """What comes after the first window counts."""
    long = "The harbour is frozen. " * 100
    alone, continued, nothing = embedder.embed([long, long + "The invoice was paid twice. " * 100, ""])
    assert cosine(alone, continued) < 0.99
    assert len(nothing) == 384


def test_it_tells_a_paraphrase_from_another_subject(embedder: MiniLmProcess) -> None:
    """And hardly sees a wrong amount, as the report says."""
    judge = EmbeddingJudge(embedder)
    reference = [Part("record", "The fare difference of 89.00 euros was charged to her card.")]
    scores = [
        judge.score("title", reference, [Part("record", text)]).score or 0
        for text in (
            "Her card was charged 89.00 euros, the difference in fare.",
            "The fare difference of 98.00 euros was charged to her card.",
            "Ships lie held fast in the ice before a row of warehouses.",
        )
    ]
    assert scores[0] > 8
    assert scores[1] > 8
    assert scores[2] < 4
