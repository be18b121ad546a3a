"""The fidelity report for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from evidence.fidelity.suite import JudgedSample, ScenarioResult, SuiteReport
from evidence.harness.record import RecordedStep
from evidence.judges.judge import Judgement
from evidence.origin import Origin


def fidelity_figures(report: SuiteReport, origin: Origin) -> dict[str, Any]:
    """Every sample, score and rationale."""
    return {
        "report": "fidelity",
        "mode": origin.mode,
        "is_evidence": origin.mode != "dry",
        "model": dict(report.model),
        **origin.facts,
        "judges": {name: dict(told) for name, told in report.judges.items()},
        "decider": report.decider,
        "sampling": asdict(report.sampling),
        "bars": {judge: asdict(report.bars[judge]) for judge in report.judges},
        "passes": report.passes,
        "scenarios": [_scenario(result, report.decider) for result in report.results],
    }


def _scenario(result: ScenarioResult, decider: str) -> dict[str, Any]:
    runs = result.runs
    return {
        "name": runs.scenario.name,
        "title": runs.scenario.title,
        "fork_at": runs.scenario.fork_at,
        "passes": result.passes(decider),
        "verdicts": {judge: verdict.to_json() for judge, verdict in result.verdicts.items()},
        "provider_calls": runs.provider_calls,
        "repeated_effects": list(runs.repeated),
        "repeats_nothing": runs.repeats_nothing,
        "baseline": [_step(step) for step in runs.baseline],
        "samples": [_sample(each) for each in result.judged],
        "unrelated": {"tail_of": result.unrelated_to, "judgements": _judgements(result.unrelated)},
    }


def _sample(each: JudgedSample) -> dict[str, Any]:
    sample = each.sample
    return {
        "kind": sample.kind,
        "number": sample.number,
        "seed": sample.seed,
        "prefix": None if sample.prefix is None else sample.prefix.to_json(),
        "steps": [_step(step) for step in sample.steps],
        "judgements": _judgements(each.judgements),
    }


def _step(step: RecordedStep) -> dict[str, Any]:
    return {
        "number": step.number,
        "name": step.name,
        "text": step.text,
        "finish_reason": step.finish_reason,
        "returned_usage": step.returned_usage,
    }


def _judgements(judgements: Mapping[str, Judgement]) -> dict[str, Any]:
    return {judge: judgement.to_json() for judge, judgement in judgements.items()}
