"""The fidelity report for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evidence.fidelity.samples_page import samples_page, show_score
from evidence.fidelity.suite import ScenarioResult, SuiteReport
from evidence.fidelity.verdict import Bar
from evidence.markdown import points, prose, table
from evidence.origin import Origin

_HEADINGS = ("scenario", "fork", "control", "unrelated", "threshold", "not worse", "unreadable", "verdict")
_INHERITED_HEADINGS = (
    "scenario",
    "prefix",
    "bytes of state",
    "effects replayed",
    "calls after baseline",
    "after forks",
    "after controls",
)


def fidelity_page(report: SuiteReport, origin: Origin) -> str:
    """The whole page."""
    parts = [
        "# Fidelity: is the tail of a fork as good as that of a whole re-run?",
        _mode(report, origin),
        origin.provenance,
        f"Reproduce it with `{origin.command}`. `report.json` beside this page has all of it as figures.",
        _method(report),
        "## Verdict",
        _verdict(report),
        *(part for judge in report.judges for part in _scores(report, judge)),
        "## Inherited, and not done again",
        _inherited(report),
        "## What this shows, and what it does not",
        _limits(report, origin),
        "## Every sample",
        *(samples_page(result) for result in report.results),
    ]
    return "\n\n".join(part for part in parts if part)


def _mode(report: SuiteReport, origin: Origin) -> str:
    if origin.mode == "measured":
        return f"**Measured.** `{report.model['model']}` wrote every text below."
    return prose("""
        **Dry run: this is no evidence.** Fixed texts stand for the model, and a fixed answer and counts of
        words for the judges. It shows that the plumbing works: the runs, the forks, the comparison of what
        was inherited, the sums.
    """)


def _method(report: SuiteReport) -> str:
    sampling, bar = report.sampling, report.bars[report.decider]
    return prose(f"""
        Each scenario runs once as baseline, {sampling.samples} times as a fork of it and
        {sampling.samples} times as a whole re-run, the control, with the same prompts at temperature
        {sampling.asking.temperature:g} and another seed each time. A judge scores each tail against the
        baseline's from 1 to 10 and is not told which kind it reads; as a measure of the judge, it also scores
        the tail of another scenario. A scenario passes when the fork's mean is at least {bar.threshold:g} and
        at most {bar.tolerance:g} below the control's, and when every fork began with the baseline's state
        byte for byte and repeated none of its effects.
    """)


def _verdict(report: SuiteReport) -> str:
    decider, count = report.decider, len(report.results)
    passed = [result for result in report.results if result.passes(decider)]
    said = "passes" if report.passes else "**fails**"
    sentences = [
        f"The suite {said}: {len(passed)} of {count} scenarios pass. The judge that decides is `{decider}`."
    ]
    if not report.passes:
        verdicts = [result.verdicts[decider] for result in report.results]
        missed = [verdict for verdict in verdicts if not verdict.reaches_threshold]
        also = sum(not report.bars[decider].is_reached(verdict.control_mean) for verdict in missed)
        sentences.append(f"""
            The fork misses the threshold in {len(missed)}, and in {also} of these the control, which no fork
            has touched, misses it as well. The fork is not worse than the control beyond the tolerance in
            {sum(verdict.is_not_worse for verdict in verdicts)} of {count}.
        """)
    return prose(" ".join(sentences))


def _scores(report: SuiteReport, judge: str) -> Iterator[str]:
    decides = judge == report.decider
    yield f"### Judge: {judge}{'' if decides else ' (does not decide)'}"
    yield _judge(report.judges[judge], report.bars[judge])
    yield table(_HEADINGS, [_score_cells(result, judge, decides=decides) for result in report.results])
    yield _discernment(report, judge)


def _judge(told: Mapping[str, Any], bar: Bar) -> str:
    shown = {name: value for name, value in told.items() if name not in ("judge", "instruction")}
    shown |= {"threshold": f"{bar.threshold:g}", "tolerance": f"{bar.tolerance:g}"}
    return "; ".join(
        f"{name.replace('_', ' ')}: {value}" for name, value in shown.items() if value is not None
    )


def _score_cells(result: ScenarioResult, judge: str, *, decides: bool) -> list[str]:
    verdict = result.verdicts[judge]
    passes = result.passes(judge) if decides else verdict.passes
    return [
        result.runs.scenario.name,
        show_score(verdict.fork_mean),
        show_score(verdict.control_mean),
        show_score(verdict.unrelated_score),
        _yes(verdict.reaches_threshold),
        _yes(verdict.is_not_worse),
        str(verdict.unreadable_count),
        "passes" if passes else "**fails**",
    ]


def _discernment(report: SuiteReport, judge: str) -> str:
    """Whether the judge can tell a tail of the same scenario from another's."""
    same = [each.judgements[judge].score for result in report.results for each in result.judged]
    other = [result.unrelated[judge].score for result in report.results]
    known_same, known_other = ([score for score in scores if score is not None] for scores in (same, other))
    said = f"""
        It gave a score that could be read to {len(known_same)} of {len(same)} tails of the same scenario and
        to {len(known_other)} of {len(other)} tails of another one.
    """
    if known_same and known_other:
        highest = max(known_other)
        said += f"""
            Those of the same scenario got {min(known_same):.2f} to {max(known_same):.2f}, those of another
            one {min(known_other):.2f} to {highest:.2f}; {sum(score > highest for score in known_same)} of the
            {len(known_same)} are above the highest of another.
        """
    return prose(said)


def _inherited(report: SuiteReport) -> str:
    rows = [_inherited_cells(result) for result in report.results]
    explanation = prose("""
        The calls are those of this scenario in the provider's own record, counted up. A fork adds none; each
        control pays again.
    """)
    return f"{table(_INHERITED_HEADINGS, rows, words=2)}\n\n{explanation}"


def _inherited_cells(result: ScenarioResult) -> list[str]:
    prefixes = [each.sample.prefix for each in result.judged if each.sample.prefix is not None]
    calls = result.runs.provider_calls
    return [
        result.runs.scenario.name,
        "identical" if result.runs.prefix_is_identical else "**differs**",
        f"{prefixes[0].state_bytes:,}",
        str(sum(prefix.effects_replayed for prefix in prefixes)),
        *(str(calls[moment]) for moment in ("baseline", "forks", "controls")),
    ]


def _limits(report: SuiteReport, origin: Origin) -> str:
    samples = report.sampling.samples
    said = [
        f"""{len(report.results)} scenarios and {samples} {"sample" if samples == 1 else "samples"} of each
        kind are few; the means say nothing about small differences.""",
        """The control shows how much two runs of the same prompts differ by chance. A fork that scores like
        its control is as good as a re-run; whether either is good is another question, which the judges are
        not asked.""",
    ]
    if origin.mode == "dry":
        said.append("All tails of a scenario are the same text here, so their scores mean nothing.")
    elif "embeddings" in report.judges:
        said.append("""
            The judge by embeddings sees what a text is about and how it is put. It does not see whether a
            text is true: a wrong amount or a swapped name costs hardly anything.
        """)
    return points((*said, *origin.remarks))


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "**no**"
