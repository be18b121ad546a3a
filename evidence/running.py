"""Makes a report and writes it: what `make evidence`, a measured run and the local run have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from evidence.fidelity.figures import fidelity_figures
from evidence.fidelity.page import fidelity_page
from evidence.fidelity.samples import Sampling
from evidence.fidelity.suite import Court, run_suite
from evidence.fidelity.verdict import Bar
from evidence.harness.agent import Asking
from evidence.harness.bench import open_bench
from evidence.judges.embedding_judge import EmbeddingJudge
from evidence.judges.model_judge import ModelJudge
from evidence.judges.word_counts import WordCounts
from evidence.models.model import Model
from evidence.models.scripted import ScriptedModel, StubbornModel
from evidence.models.tokenizer import Tokenizer
from evidence.origin import Origin
from evidence.scenarios.library import FLAGSHIP, load_scenario, load_scenarios
from evidence.tokens.figures import tokens_figures
from evidence.tokens.measuring import measure_tokens
from evidence.tokens.page import tokens_page
from evidence.writing import write_report

FOLDER: Final = Path(__file__).parent

DRY_SAMPLES: Final = 2
BARS: Final = {
    ModelJudge.name: Bar(threshold=7.0, tolerance=1.0),
    EmbeddingJudge.name: Bar(threshold=5.5, tolerance=1.0),  # a mean cosine of one half
}


def scripted_model() -> ScriptedModel:
    """Answers every question of every scenario. Raises `EvidenceError` without the tokenizer's package."""
    replies: dict[str, str] = {}
    for scenario in load_scenarios():
        own = scenario.replies()
        assert not own.keys() & replies.keys(), f"{scenario.name} asks what another scenario asks"
        replies |= own
    return ScriptedModel(replies, Tokenizer())


def scripted_court(bars: Mapping[str, Bar], decider: str) -> Court:
    """Two judges that judge nothing."""
    verdict = StubbornModel("SCORE: 10\nRATIONALE: A fixed answer of the dry run.", Tokenizer())
    return Court(judges=(ModelJudge(verdict), EmbeddingJudge(WordCounts())), decider=decider, bars=bars)


def report_tokens(out: Path, model: Model, origin: Origin, asking: Asking) -> bool:
    """Write the token report; whether all of its checks hold. Raises `EvidenceError`."""
    with open_bench() as bench:
        report = measure_tokens(bench, load_scenario(FLAGSHIP), model, asking)
    write_report(out, tokens_page(report, origin), tokens_figures(report, origin))
    return report.holds


def report_fidelity(
    out: Path,
    model: Model,
    court: Court,
    origin: Origin,
    asking: Asking,
    samples: int,
    tell: Callable[[str], None],
) -> bool:
    """Write the fidelity report; whether every scenario passes. Raises `EvidenceError`."""
    sampling = Sampling(samples=samples, asking=asking)
    with open_bench() as bench:
        report = run_suite(bench, load_scenarios(), model, court, sampling, tell)
    write_report(out, fidelity_page(report, origin), fidelity_figures(report, origin))
    return report.passes
