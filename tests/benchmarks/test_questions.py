"""The questions themselves, as `make bench` puts them."""

import dataclasses

import pytest
from click.testing import CliRunner

from benchmarks.__main__ import QUESTIONS, main
from benchmarks.harness.rounds import QUICK

HURRIED = dataclasses.replace(
    QUICK, seconds=0.5, warm_up_seconds=0.1, executions_in_a_large_ledger=1000, idle_readers=50
)


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_question_has_a_sentence_and_an_explanation(name: str) -> None:
    """Both head its record."""
    question = QUESTIONS[name]
    assert question.QUESTION.endswith("?")
    assert question.__doc__


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(QUESTIONS.keys() - {"pairs_from_the_client"}))
def test_every_question_can_be_answered(name: str) -> None:
    """With real servers, in a hurry; the figures mean nothing, that there are some does."""
    answer = QUESTIONS[name].answer(HURRIED)
    assert answer.figures
    assert all(figure.median > 0 for figure in answer.figures)


def test_a_hurried_run_is_not_recorded() -> None:
    """It would replace figures that somebody took care over."""
    refused = CliRunner().invoke(main, ["--quick", "--record"])
    assert refused.exit_code == 2
    assert "not for keeping" in refused.output
