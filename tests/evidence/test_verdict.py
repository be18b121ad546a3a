"""When a scenario passes."""

import pytest

from evidence.fidelity.verdict import Bar, decide

BAR = Bar(threshold=7, tolerance=1)


@pytest.mark.parametrize(
    ("forks", "controls", "passes"),
    [
        ([7], [7], True),
        ([7], [8], True),
        ([7], [8.1], False),
        ([6.9], [3], False),
        ([10], [1], True),
        ([6, 8], [8, 8], True),
        ([6, 7], [7, 7], False),
        ([9, None], [9, 9], False),
        ([9, 9], [9, None], False),
        ([None], [None], False),
        ([10], [None], False),
    ],
)
def test_a_fork_passes_at_the_threshold_and_not_below_the_control(
    forks: list[float | None], controls: list[float | None], passes: bool
) -> None:
    """By the means; a score that could not be read cannot pass."""
    assert decide(forks, controls, None, BAR).passes is passes


def test_the_verdict_shows_what_was_unreadable() -> None:
    """It counts, and the mean is of the others."""
    verdict = decide([9, None, 8], [None, 8], 3.5, BAR)
    assert (verdict.fork_mean, verdict.control_mean, verdict.unreadable_count) == (8.5, 8, 2)
    assert verdict.unrelated_score == 3.5
