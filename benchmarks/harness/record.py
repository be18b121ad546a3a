"""Writes the last answer beside its script, as Markdown, and all results as JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.harness.answers import Answer, Figure
from benchmarks.harness.machine import Machine
from benchmarks.harness.report import (
    BUSY_SHARE_MAX,
    FIGURE_HEADINGS,
    SAMPLE_HEADINGS,
    figure_cells,
    sample_cells,
)
from benchmarks.harness.rounds import Pace
from benchmarks.harness.run import Result

READ_WITH = "Spread is lowest–highest; µs are CPU a unit. Medians of"
SCRIPTS = Path(__file__).resolve().parents[1]


def write_record(result: Result, answer: Answer, machine: Machine, pace: Pace) -> Path:
    """Replace the last answer of this question; returns the file."""
    path = SCRIPTS / f"{result.name}.md"
    path.write_text(markdown(result, answer, machine, pace))
    return path


def markdown(result: Result, answer: Answer, machine: Machine, pace: Pace) -> str:
    parts = [f"# {result.sentence}", result.explanation]
    parts.append(table(["figure", *FIGURE_HEADINGS], [figure_cells(figure) for figure in answer.figures]))
    if answer.samples:
        rows = [[subject, *sample_cells(taken)] for subject, taken in answer.samples.items()]
        parts.append(table(["subject", *SAMPLE_HEADINGS], rows))
    parts += answer.remarks
    parts.append(f"{READ_WITH} {pace.rounds} rounds of {pace.seconds:g} s, subjects in turn. {machine}.")
    if result.busy_share > BUSY_SHARE_MAX:
        parts.append(f"Other programs used {result.busy_share:.0%} of the machine just before.")
    return "\n\n".join(parts) + "\n"


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    rule = ["---", *("--:" for _ in headings[1:])]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (headings, rule, *rows))


def as_json(results: Sequence[Result], machine: Machine, pace: Pace) -> dict[str, Any]:
    """Everything, for programs: no value is rounded."""
    return {
        "machine": dataclasses.asdict(machine),
        "pace": dataclasses.asdict(pace),
        "questions": [result_as_json(result) for result in results],
    }


def result_as_json(result: Result) -> dict[str, Any]:
    answer = result.answer or Answer(figures=[])
    return {
        "name": result.name,
        "question": result.sentence,
        "failure": result.failure,
        "busy_share": result.busy_share,
        "took_seconds": result.took_seconds,
        "figures": [figure_as_json(figure) for figure in answer.figures],
        "samples": {
            who: [dataclasses.asdict(sample) for sample in taken] for who, taken in answer.samples.items()
        },
        "remarks": list(answer.remarks),
    }


def figure_as_json(figure: Figure) -> dict[str, Any]:
    told = {"median": figure.median, "reached": figure.reached or None}
    return {**dataclasses.asdict(figure), **told}
