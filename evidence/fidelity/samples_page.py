"""Every sample of the fidelity suite, for people."""

from __future__ import annotations

from collections.abc import Mapping

from evidence.fidelity.samples import Sample
from evidence.fidelity.suite import ScenarioResult
from evidence.judges.judge import Judgement, Tail
from evidence.markdown import folded, quote


def samples_page(result: ScenarioResult) -> str:
    """Each tail of a scenario with its scores and reasons; the texts are folded away."""
    runs = result.runs
    return "\n\n".join(
        (
            f"### {runs.scenario.title}",
            folded("baseline", _tail(runs.baseline_tail)),
            *(_sample(each.sample, each.judgements, runs.scenario.fork_at) for each in result.judged),
            f"**Unrelated: the baseline of {result.unrelated_to}**",
            _judgements(result.unrelated),
        )
    )


def _sample(sample: Sample, judgements: Mapping[str, Judgement], fork_at: int) -> str:
    cut = [step.name for step in sample.steps if step.finish_reason not in (None, "stop")]
    remark = f", cut short in {', '.join(cut)}" if cut else ""
    head = f"**{sample.kind.capitalize()} {sample.number}** (seed {sample.seed}{remark})"
    return f"{head}\n\n{_judgements(judgements)}\n\n{folded('tail', _tail(sample.tail(fork_at)))}"


def _judgements(judgements: Mapping[str, Judgement]) -> str:
    return "\n".join(
        f"- {judge}: {show_score(judgement.score)}\n\n{quote(judgement.rationale)}\n"
        for judge, judgement in judgements.items()
    ).rstrip()


def _tail(tail: Tail) -> str:
    return "\n\n".join(f"`{part.step}`\n\n{quote(part.text)}" for part in tail)


def show_score(score: float | None) -> str:
    """With two digits; those of `report.json` are complete."""
    return "unreadable" if score is None else f"{score:.2f}"
