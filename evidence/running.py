"""Makes a report and writes it: what `make evidence`, a measured run and the local run have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from evidence.fidelity.figures import fidelity_figures
from evidence.fidelity.page import fidelity_page
from evidence.fidelity.samples import Sampling
from evidence.fidelity.suite import Court, Mode, run_suite
from evidence.fidelity.verdict import Bar
from evidence.harness.bench import open_bench
from evidence.judges.embedding_judge import EmbeddingJudge
from evidence.judges.model_judge import ModelJudge
from evidence.judges.word_counts import WordCounts
from evidence.models.model import Model
from evidence.models.scripted import ScriptedModel, StubbornModel
from evidence.models.tokenizer import Tokenizer
from evidence.scenarios.library import FLAGSHIP, load_scenario, load_scenarios
from evidence.tokens.measuring import measure_tokens
from evidence.tokens.page import tokens_figures, tokens_page
from evidence.writing import write_report

FOLDER: Final = Path(__file__).parent

DRY_SAMPLING: Final = Sampling(samples=2, temperature=0.7, seed=1)
BAR: Final = Bar(threshold=7.0, tolerance=1.0)


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where a report comes from."""

    mode: Mode
    command: str
    """What reproduces it."""
    provenance: str = ""
    """A paragraph for the page: when, where, with what."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """The same for the figures."""


def scripted_model() -> ScriptedModel:
    """Answers every question of every scenario. Raises `EvidenceError` without the tokenizer's package."""
    replies: dict[str, str] = {}
    for scenario in load_scenarios():
        own = scenario.replies()
        assert not own.keys() & replies.keys(), f"{scenario.name} asks what another scenario asks"
        replies |= own
    return ScriptedModel(replies, Tokenizer())


def scripted_court(bar: Bar) -> Court:
    """Two judges that judge nothing."""
    verdict = StubbornModel("SCORE: 10\nRATIONALE: A fixed answer of the dry run.", Tokenizer())
    return Court(judges=(ModelJudge(verdict), EmbeddingJudge(WordCounts())), decider=ModelJudge.name, bar=bar)


def report_tokens(out: Path, model: Model, origin: Origin, *, temperature: float, seed: int) -> bool:
    """Write the token report; whether all of its checks hold. Raises `EvidenceError`."""
    with open_bench() as bench:
        report = measure_tokens(
            bench, load_scenario(FLAGSHIP), model, mode=origin.mode, temperature=temperature, seed=seed
        )
    page = tokens_page(report, command=origin.command, provenance=origin.provenance)
    write_report(out, page, tokens_figures(report, dict(origin.facts)))
    return report.holds


def report_fidelity(
    out: Path, model: Model, court: Court, sampling: Sampling, origin: Origin, tell: Callable[[str], None]
) -> bool:
    """Write the fidelity report; whether every scenario passes. Raises `EvidenceError`."""
    with open_bench() as bench:
        report = run_suite(bench, load_scenarios(), model, court, sampling, mode=origin.mode, tell=tell)
    page = fidelity_page(report, command=origin.command, provenance=origin.provenance)
    write_report(out, page, fidelity_figures(report, origin.facts))
    return report.passes
