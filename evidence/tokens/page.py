"""The token report for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evidence.checks import checks_page
from evidence.markdown import points, prose, table
from evidence.models.model import Usage
from evidence.origin import Origin
from evidence.tokens.measuring import TokenReport
from evidence.tokens.rows import Row, number, percent, total

_HEADINGS = ("step", "", "baseline in", "out", "total", "fork in", "out", "total", "saved", "of baseline")


def tokens_page(report: TokenReport, origin: Origin) -> str:
    """The whole page."""
    scenario = report.scenario
    rows = report.rows
    changed = ", ".join(f"`{step.name}`" for step in scenario.change)
    parts = [
        "# Tokens: what a fork does not pay for again",
        _mode(report, origin),
        origin.provenance,
        prose(f"""
            Reproduce it with `{origin.command}`. `report.json` beside this page has every question and every
            answer.
        """),
        f"## {scenario.title}",
        prose(f"""
            The baseline runs {len(scenario.steps)} steps; the card is charged in step {scenario.fork_at}. The
            fork starts after step {scenario.fork_at} and runs the rest with other questions in {changed}.
            {scenario.change_reason}
        """),
        table(_HEADINGS, [*(_cells(row) for row in rows), _sums(rows)], words=2),
        _reading(rows),
        "## What was checked",
        checks_page(report.checks),
        "## What this shows, and what it does not",
        _limits(report, origin),
    ]
    return "\n\n".join(part for part in parts if part)


def _mode(report: TokenReport, origin: Origin) -> str:
    if origin.mode == "measured":
        return prose(f"""
            **Measured.** The figures are the sums of the `usage` that the endpoint returned with each answer
            of `{report.model["model"]}` at temperature {report.asking.temperature:g} and with the seed
            {report.asking.seed}.
        """)
    tokenizer = report.model["tokenizer"]
    return prose(f"""
        **Dry run.** Fixed texts stand for the model's answers. Their tokens, and those of the prompts, are
        counted with `{tokenizer["encoding"]}` from the package `{tokenizer["package"]}`
        {tokenizer["version"]}; the frame that a provider puts around each message is not counted. The server,
        the fork, the ledger and the provider are real. The same input gives the same bytes.
    """)


def _cells(row: Row) -> list[str]:
    fork = ["inherited", "", number(0)] if row.is_inherited else _usage_cells(row.fork)
    percentage = percent(row.saved, row.baseline.total)
    return [str(row.number), row.name, *_usage_cells(row.baseline), *fork, number(row.saved), percentage]


def _sums(rows: Sequence[Row]) -> list[str]:
    baseline, fork = total([row.baseline for row in rows]), total([row.fork for row in rows])
    saved = baseline.total - fork.total
    sums = ["", "all", *_usage_cells(baseline), *_usage_cells(fork), number(saved)]
    return [f"**{cell}**" if cell else "" for cell in (*sums, percent(saved, baseline.total))]


def _usage_cells(usage: Usage) -> list[str]:
    return [number(usage.input_tokens), number(usage.output_tokens), number(usage.total)]


def _reading(rows: Sequence[Row]) -> str:
    dearer = [row for row in rows if row.saved < 0]
    said = "Saved is the baseline less the fork. A percentage that ends in … is cut there, not rounded."
    if not dearer:
        return said
    steps = ", ".join(str(row.number) for row in dearer)
    lost = number(-sum(row.saved for row in dearer))
    return f"{said} The fork took more than the baseline in step {steps}: {lost} tokens more together."


def _limits(report: TokenReport, origin: Origin) -> str:
    fork_at = report.scenario.fork_at
    kept = number(sum(row.baseline.total for row in report.rows if row.is_inherited))
    said = [
        f"""The fork did not pay for steps 1 to {fork_at} again: {kept} tokens. It did pay for reading what
        they said, because each later prompt repeats the conversation; that is in its input column.""",
        """The saving depends on where a run is forked. It is a fact about this workflow and this fork, and no
        forecast for another.""",
        """Tokens are not money: providers discount repeated prompts, and bill input and output at different
        rates. Neither is modelled here.""",
    ]
    if origin.mode == "dry":
        said.append("""
            The answers are scripted, so their lengths are the script's. What a model would have written, and
            what it would have cost, only a measured run shows.
        """)
    return points((*said, *_remarks(report), *origin.remarks))


def _remarks(report: TokenReport) -> Iterator[str]:
    """What a reader of the sums would want to know about single answers."""
    steps = (*report.baseline, *report.fork)
    cut = [step for step in steps if step.finish_reason not in (None, "stop")]
    if cut:
        yield f"{len(cut)} of {len(steps)} answers were cut short: `finish_reason` says which."
    odd = [step for step in steps if step.returned_usage.get("total_tokens") not in (None, step.usage.total)]
    if odd:
        yield f"""In {len(odd)} of {len(steps)} answers the endpoint's `total_tokens` is not the sum of prompt
            and completion. The table adds prompt and completion; `returned_usage` has what was said."""
