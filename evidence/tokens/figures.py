"""The token report for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from evidence.harness.record import RecordedStep
from evidence.origin import Origin
from evidence.tokens.measuring import TokenReport
from evidence.tokens.rows import Row, percent, total


def tokens_figures(report: TokenReport, origin: Origin) -> dict[str, Any]:
    """Every question, every answer, and what each of them took."""
    own = {step.number: step for step in report.fork}
    return {
        "report": "tokens",
        "mode": origin.mode,
        "model": dict(report.model),
        "asking": asdict(report.asking),
        **origin.facts,
        "scenario": {
            "name": report.scenario.name,
            "fork_at": report.scenario.fork_at,
            "change": report.scenario.change_reason,
            "system": report.scenario.system,
        },
        "steps": [
            {
                "number": row.number,
                "name": row.name,
                "baseline": _step_figures(step),
                "fork": _step_figures(own[row.number]) if row.number in own else "inherited",
                "saved_tokens": row.saved,
            }
            for row, step in zip(report.rows, report.baseline, strict=True)
        ],
        "totals": _totals(report.rows),
        "prefix": report.prefix.to_json(),
        "checks": [check.to_json() for check in report.checks],
    }


def _step_figures(step: RecordedStep) -> dict[str, Any]:
    return {
        "input_tokens": step.usage.input_tokens,
        "output_tokens": step.usage.output_tokens,
        "total_tokens": step.usage.total,
        "finish_reason": step.finish_reason,
        "returned_usage": step.returned_usage,
        "effects": [{name: effect[name] for name in ("tool", "key", "fate")} for effect in step.effects],
        "ask": step.ask,
        "text": step.text,
    }


def _totals(rows: Sequence[Row]) -> dict[str, Any]:
    baseline, fork = total([row.baseline for row in rows]), total([row.fork for row in rows])
    return {
        "baseline": {"input_tokens": baseline.input_tokens, "output_tokens": baseline.output_tokens},
        "fork": {"input_tokens": fork.input_tokens, "output_tokens": fork.output_tokens},
        "baseline_tokens": baseline.total,
        "fork_tokens": fork.total,
        "saved_tokens": baseline.total - fork.total,
        "saved_percent": percent(baseline.total - fork.total, baseline.total),
    }
