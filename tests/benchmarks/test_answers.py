"""Goals, medians and ratios."""

import pytest

from benchmarks.harness.answers import Figure, Sample, ratios
from benchmarks.harness.goals import Goal
from benchmarks.harness.postgres import beside
from benchmarks.harness.rounds import take_turns

MORE = Goal(floor=0.4, target=0.55, aim=0.75)
LESS = Goal(floor=30, target=20, aim=12)


def sample(per_second: float, p50_ms: float = 1.0) -> Sample:
    return Sample(per_second=per_second, p50_ms=p50_ms, p99_ms=None)


@pytest.mark.parametrize(
    ("goal", "value", "mark"),
    [
        (MORE, 0.39, "missed"),
        (MORE, 0.4, "floor"),
        (MORE, 0.6, "target"),
        (MORE, 0.75, "aim"),
        (LESS, 31, "missed"),
        (LESS, 30, "floor"),
        (LESS, 15, "target"),
        (LESS, 12, "aim"),
    ],
)
def test_a_value_reaches_the_best_mark_it_touches(goal: Goal, value: float, mark: str) -> None:
    """Whether more or less is better follows from the order of the marks."""
    assert goal.reached_by(value) == mark


def test_a_figure_is_judged_by_its_median() -> None:
    """One bad round does not decide."""
    figure = Figure(label="ratio", values=[0.1, 0.6, 0.9], goal=MORE)
    assert (figure.median, figure.spread, figure.reached) == (0.6, (0.1, 0.9), "target")


def test_a_figure_without_a_goal_reaches_nothing() -> None:
    """It is shown, not judged."""
    assert Figure(label="idle", values=[1.0]).reached == ""


def test_a_ratio_is_taken_within_its_round() -> None:
    """A slow round slows both sides and changes nothing."""
    ours, reference = [sample(500), sample(50)], [sample(1000), sample(100)]
    assert ratios("ratio", ours, reference).values == [0.5, 0.5]


def test_a_ratio_may_be_of_latencies() -> None:
    """Then more is slower."""
    assert ratios("p50", [sample(1, p50_ms=3)], [sample(1, p50_ms=2)], of="p50_ms").values == [1.5]


def test_subjects_take_turns() -> None:
    """A, B, B, A: never all of one first, and none always after the same one."""
    order: list[str] = []

    def subject(name: str) -> Sample:
        order.append(name)
        return sample(1)

    samples = take_turns({"A": lambda: subject("A"), "B": lambda: subject("B")}, rounds=2)
    assert order == ["A", "B", "B", "A"]
    assert [len(taken) for taken in samples.values()] == [2, 2]


@pytest.mark.parametrize(
    ("database_url", "neighbour"),
    [
        ("postgresql://actae@/actae?host=/run/x", "postgresql://actae@/other?host=/run/x"),
        ("postgresql:///actae?host=/run/x", "postgresql:///other?host=/run/x"),
        ("postgresql://u:p@127.0.0.1:5432/actae", "postgresql://u:p@127.0.0.1:5432/other"),
    ],
)
def test_another_database_of_the_same_cluster(database_url: str, neighbour: str) -> None:
    """Only the name changes, whatever form the address has."""
    assert beside(database_url, "other") == neighbour
