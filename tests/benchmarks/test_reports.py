"""What a person, a program and the repository are told."""

import json
from pathlib import Path

import pytest
from rich.console import Console

from benchmarks.harness import record
from benchmarks.harness.answers import Answer, BenchmarkError, Figure, Sample
from benchmarks.harness.goals import Goal
from benchmarks.harness.machine import this_machine
from benchmarks.harness.report import show_result, show_summary
from benchmarks.harness.rounds import FULL, Pace
from benchmarks.harness.run import Result, put

GOAL = Goal(floor=0.4, target=0.55, aim=0.75)


class Asked:
    """Doubles a number."""

    QUESTION = "How fast is it?"

    def __init__(self, answer: Answer | None) -> None:
        self._answer = answer

    def answer(self, pace: Pace) -> Answer:
        if self._answer is None:
            raise BenchmarkError("3 calls failed. The first: HTTP/1.1 500")
        return self._answer


def answered(ratio: float) -> Result:
    sample = Sample(per_second=5123.4, p50_ms=11.25, p99_ms=None)
    figure = Figure(label="pairs / asyncpg's", values=[ratio], goal=GOAL)
    answer = Answer(figures=[figure], samples={"Actae, 64": [sample]}, remarks=["The rest was skipped."])
    return put("pairs", Asked(answer), FULL)


def failed() -> Result:
    return put("pairs", Asked(None), FULL)


def shown(result: Result) -> str:
    console = Console(width=120)
    with console.capture() as capture:
        show_result(console, result)
        show_summary(console, [result], this_machine())
    return capture.get()


def test_a_person_sees_figure_goal_and_verdict() -> None:
    """Everything that is needed to judge stands in one line."""
    text = shown(answered(0.6))
    line = next(line for line in text.splitlines() if "pairs / asyncpg's" in line)
    assert line.split()[-5:] == ["0.6", "0.4", "0.55", "0.75", "target"]
    assert "The rest was skipped." in text


def test_a_question_that_failed_says_why() -> None:
    """No figure is better than a wrong one."""
    text = shown(failed())
    assert "3 calls failed. The first: HTTP/1.1 500" in text
    assert "Without an answer: pairs" in text


@pytest.mark.parametrize(
    ("result", "is_good"), [(answered(0.4), True), (answered(0.39), False), (failed(), False)]
)
def test_a_missed_floor_is_as_bad_as_no_answer(result: Result, is_good: bool) -> None:
    """Both end the program with 1."""
    assert result.is_good is is_good


def test_the_record_names_its_machine_and_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A figure without them is a rumour."""
    monkeypatch.setattr(record, "SCRIPTS", tmp_path)
    result, machine = answered(0.6), this_machine()
    assert result.answer is not None
    text = record.write_record(result, result.answer, machine, FULL).read_text()
    assert text.startswith("# How fast is it?\n\nDoubles a number.\n")
    assert "| pairs / asyncpg's | 0.6 |  | 0.4 | 0.55 | 0.75 | target |" in text
    assert machine.measured_on in text
    assert machine.processor in text


@pytest.mark.parametrize("result", [answered(0.6), failed()], ids=["answered", "failed"])
def test_a_program_gets_json(result: Result) -> None:
    """Failures included, and nothing that strict readers refuse."""
    told = json.dumps(record.as_json([result], this_machine(), FULL), allow_nan=False)
    [question] = json.loads(told)["questions"]
    assert question["failure"] == result.failure
    assert [figure["reached"] for figure in question["figures"]] == (["target"] if result.answer else [])
