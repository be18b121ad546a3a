"""The arithmetic of the token report."""

import pytest

from evidence.harness.record import RecordedStep
from evidence.models.model import Usage
from evidence.tokens.rows import number, percent, rows_of, total


def step(number: int, input_tokens: int, output_tokens: int) -> RecordedStep:
    """A step of which only the tokens matter."""
    return RecordedStep(
        number=number,
        name=f"step-{number}",
        cursor=number,
        ask="",
        text="",
        effects=(),
        usage=Usage(input_tokens=input_tokens, output_tokens=output_tokens),
        finish_reason="stop",
        returned_usage={},
    )


@pytest.mark.parametrize(
    ("part", "whole", "shown"),
    [
        (1, 2, "50.00 %"),
        (1, 3, "33.33… %"),
        (2, 3, "66.66… %"),
        (9_999, 10_000, "99.99 %"),
        (99_999, 100_000, "99.99… %"),
        (-1, 3, "−33.33… %"),
        (-3, 2, "−150.00 %"),
        (0, 7, "0.00 %"),
        (1, 1_000_000, "0.00… %"),
        (0, 0, "–"),
    ],
)
def test_a_percentage_is_exact_or_says_that_it_was_cut(part: int, whole: int, shown: str) -> None:
    """Never rounded, to neither side."""
    assert percent(part, whole) == shown


def test_a_loss_has_its_sign_and_all_digits() -> None:
    """A count is not abbreviated."""
    assert (number(1_234_567), number(-1_234)) == ("1,234,567", "−1,234")


def test_inherited_steps_cost_the_fork_nothing_and_its_own_are_not_counted_twice() -> None:
    """One row per step; where the fork took more, the saving is below zero."""
    baseline = [step(1, 10, 1), step(2, 20, 2), step(3, 30, 3)]
    rows = rows_of(baseline, [step(3, 40, 4)])
    assert [row.saved for row in rows] == [11, 22, -11]
    assert [row.is_inherited for row in rows] == [True, True, False]
    assert total([row.fork for row in rows]).total == 44


def test_a_step_that_the_baseline_has_not_is_no_row() -> None:
    """The two runs would not be comparable."""
    with pytest.raises(AssertionError, match="the baseline has not"):
        rows_of([step(1, 1, 1)], [step(2, 1, 1)])
