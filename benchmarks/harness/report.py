"""Shows results to a person: a table per question, and at the end one of everything that has a goal."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from benchmarks.harness.answers import Figure, Sample, Samples
from benchmarks.harness.machine import Machine
from benchmarks.harness.run import Result

BUSY_SHARE_MAX = 0.1
SAMPLE_HEADINGS = ("per second", "spread", "p50 ms", "p99 ms", "server µs", "PG µs", "load µs")
FURTHER_COLUMNS = ("p50_ms", "p99_ms", "server_cpu_us", "postgres_cpu_us", "load_cpu_us")
FIGURE_HEADINGS = ("median", "spread", "floor", "target", "aim", "reached")
STYLES = {"aim": "bold green", "target": "green", "floor": "yellow", "missed": "bold red", "": ""}


def show_result(console: Console, result: Result) -> None:
    """What one question came to, as soon as it is known."""
    console.print(f"\n[bold]{result.sentence}[/bold] [dim]({result.name}, {result.took_seconds:.0f} s)[/dim]")
    if result.busy_share > BUSY_SHARE_MAX:
        console.print(
            f"[yellow]Others used {result.busy_share:.0%} of the machine: do not keep these figures.[/yellow]"
        )
    if result.answer is None:
        console.print(f"[bold red]No answer.[/bold red] {escape(str(result.failure))}", highlight=False)
        return
    if result.answer.samples:
        console.print(samples_table(result.answer.samples))
    console.print(figures_table(result.answer.figures))
    for remark in result.answer.remarks:
        console.print(escape(remark))


def show_summary(console: Console, results: Sequence[Result], machine: Machine) -> None:
    judged = [
        figure for result in results if result.answer for figure in result.answer.figures if figure.goal
    ]
    unanswered = [result.name for result in results if result.answer is None]
    console.print()
    if judged:
        console.print(figures_table(judged, title="What has a goal"))
    if unanswered:
        console.print(f"[bold red]Without an answer: {', '.join(unanswered)}[/bold red]")
    console.print(f"[dim]{machine}[/dim]", highlight=False)


def samples_table(samples: Samples) -> Table:
    table = narrow_table("subject", SAMPLE_HEADINGS)
    for subject, taken in samples.items():
        table.add_row(subject, *sample_cells(taken))
    return table


def sample_cells(taken: Sequence[Sample]) -> list[str]:
    rate = Figure(label="", values=[sample.per_second for sample in taken])
    others = ([getattr(sample, name) for sample in taken] for name in FURTHER_COLUMNS)
    return [number(rate.median), spread(rate), *(median_or_dash(values) for values in others)]


def figures_table(figures: Sequence[Figure], title: str | None = None) -> Table:
    table = narrow_table("figure", FIGURE_HEADINGS, title)
    for figure in figures:
        table.add_row(*figure_cells(figure), style=STYLES[figure.reached])
    return table


def figure_cells(figure: Figure) -> list[str]:
    marks = (figure.goal.floor, figure.goal.target, figure.goal.aim) if figure.goal else ()
    told = [f"{number(figure.median)} {figure.unit}".strip(), spread(figure)]
    return [figure.label, *told, *([f"{mark:g}" for mark in marks] or ["", "", ""]), figure.reached]


def narrow_table(first_heading: str, headings: Sequence[str], title: str | None = None) -> Table:
    """Words on the left, numbers on the right, and 80 columns are enough."""
    table = Table(box=None, header_style="dim", padding=(0, 1, 0, 0), title=title)
    table.add_column(first_heading, no_wrap=True)
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def spread(figure: Figure) -> str:
    lowest, highest = figure.spread
    return f"{number(lowest)}–{number(highest)}" if len(figure.values) > 1 else ""


def median_or_dash(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    return number(Figure(label="", values=known).median) if known else "–"


def number(value: float) -> str:
    """Three digits that matter, no more."""
    if math.isnan(value):
        return "–"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"
