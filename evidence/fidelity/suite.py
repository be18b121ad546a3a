"""Runs every scenario, has every tail judged, and says who passes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evidence.fidelity.samples import Runs, Sample, Sampling, run_samples
from evidence.fidelity.verdict import Bar, Verdict, decide
from evidence.harness.bench import Bench
from evidence.judges.judge import Judge, Judgement, Tail
from evidence.models.model import Model
from evidence.scenarios.scenario import Scenario


@dataclass(frozen=True, kw_only=True)
class JudgedSample:
    """One run, and what each judge says about its tail."""

    sample: Sample
    judgements: Mapping[str, Judgement]


@dataclass(frozen=True, kw_only=True)
class ScenarioResult:
    """All runs of a scenario, and their scores by judge."""

    runs: Runs
    judged: tuple[JudgedSample, ...]
    unrelated_to: str
    """The scenario whose baseline was judged as if it were a sample of this one."""
    unrelated: Mapping[str, Judgement]
    verdicts: Mapping[str, Verdict]

    def passes(self, decider: str) -> bool:
        """By the judge that decides, with a prefix that is identical and no effect repeated."""
        return self.verdicts[decider].passes and self.runs.prefix_is_identical and self.runs.repeats_nothing


@dataclass(frozen=True, kw_only=True)
class SuiteReport:
    """Everything that the page and the figures are made of."""

    model: Mapping[str, Any]
    judges: Mapping[str, Mapping[str, Any]]
    decider: str
    bars: Mapping[str, Bar]
    sampling: Sampling
    results: tuple[ScenarioResult, ...]

    @property
    def passes(self) -> bool:
        """Whether every scenario does."""
        return all(result.passes(self.decider) for result in self.results)


@dataclass(frozen=True, kw_only=True)
class Court:
    """The judges, which of them decides, and the bar of each."""

    judges: Sequence[Judge]
    decider: str
    bars: Mapping[str, Bar]


def run_suite(
    bench: Bench,
    scenarios: Sequence[Scenario],
    model: Model,
    court: Court,
    sampling: Sampling,
    tell: Callable[[str], None],
) -> SuiteReport:
    """Run, then judge. `tell` hears how far it has come. Raises `EvidenceError`."""
    assert court.decider in {judge.name for judge in court.judges}, (
        "the judge that decides is not in the court"
    )
    all_runs = []
    for scenario in scenarios:
        tell(f"{scenario.title}: baseline, {sampling.samples} × fork, {sampling.samples} × control")
        all_runs.append(run_samples(bench, scenario, model, sampling))
    results = []
    for runs, other in zip(all_runs, [*all_runs[1:], all_runs[0]], strict=True):
        tell(f"{runs.scenario.title}: judged by {', '.join(judge.name for judge in court.judges)}")
        results.append(_judge_scenario(runs, other, court))
    return SuiteReport(
        model=model.describe(),
        judges={judge.name: judge.describe() for judge in court.judges},
        decider=court.decider,
        sampling=sampling,
        bars=court.bars,
        results=tuple(results),
    )


def _judge_scenario(runs: Runs, other: Runs, court: Court) -> ScenarioResult:
    fork_at = runs.scenario.fork_at
    judged = tuple(
        JudgedSample(sample=sample, judgements=_judge_tail(runs, sample.tail(fork_at), court.judges))
        for sample in runs.samples
    )
    unrelated = _judge_tail(runs, other.baseline_tail, court.judges)
    return ScenarioResult(
        runs=runs,
        judged=judged,
        unrelated_to=other.scenario.name,
        unrelated=unrelated,
        verdicts={
            judge.name: decide(
                _scores(judged, judge.name, "fork"),
                _scores(judged, judge.name, "control"),
                unrelated[judge.name].score,
                court.bars[judge.name],
            )
            for judge in court.judges
        },
    )


def _judge_tail(runs: Runs, tail: Tail, judges: Sequence[Judge]) -> dict[str, Judgement]:
    """Step by step; of an unrelated tail that is longer or shorter, as many steps as both have."""
    reference = runs.baseline_tail
    length = min(len(reference), len(tail))
    return {
        judge.name: judge.score(runs.scenario.title, reference[:length], tail[:length]) for judge in judges
    }


def _scores(judged: Sequence[JudgedSample], judge: str, kind: str) -> list[float | None]:
    return [each.judgements[judge].score for each in judged if each.sample.kind == kind]
