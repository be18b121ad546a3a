"""What sessions make of the values that they are given, and read."""

import decimal
from fractions import Fraction
from typing import Any

import pytest

from actae_client._calls.frozen import frozen
from actae_client.deterministic import full_step_operation_id
from actae_client.session.progress import Progress, forked_at_step


def test_a_frozen_value_shares_nothing() -> None:
    """At any depth."""
    value: dict[str, Any] = {"a": [{"b": 1}], "t": (1, (2,)), "f": Fraction(1, 2), "n": None, "yes": True}
    copied = frozen("value", value)
    value["a"][0]["b"] = 2
    assert copied == {"a": [{"b": 1}], "t": [1, [2]], "f": 0.5, "n": None, "yes": True}
    assert type(copied["yes"]) is bool


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ({"a": [1, float("nan")]}, r"input\.a\[1\]"),
        ({"a": decimal.Decimal(1)}, r"input\.a"),
        ({1: 2}, "input"),
        (b"", "input"),
    ],
)
def test_what_is_not_json_is_refused_by_its_place(value: Any, place: str) -> None:
    """The path begins with the name of the argument."""
    with pytest.raises((TypeError, ValueError), match=place):
        frozen("input", value)


def test_what_contains_itself_is_refused() -> None:
    """It has no end."""
    value: list[Any] = []
    value.append(value)
    with pytest.raises(ValueError, match="contains itself"):
        frozen("input", value)


@pytest.mark.parametrize(
    ("stored", "cursors"),
    [
        (None, []),
        ({}, []),
        ({"step_count": 2, "cursors": [3, 4]}, [3, 4]),
        ({"step_count": 4, "cursors": [5, 6]}, [0, 0, 5, 6]),
        ({"step_count": 1, "cursors": [5, 6]}, [5, 6]),
        ({"forked_at_step": 2}, [0, 0]),
        ({"forked_at_step": 2, "step_count": 3, "cursors": [0, 0, 7]}, [0, 0, 7]),
        ({"step_count": "many", "cursors": "none", "forked_at_step": True}, []),
        ({"step_count": -1, "cursors": [None, 4]}, [4]),
    ],
)
def test_progress_is_read_from_whatever_the_metadata_says(stored: Any, cursors: list[int]) -> None:
    """Cursors belong to the last steps; what is not a session's own words is ignored."""
    assert Progress.from_metadata(stored).cursors == cursors


def test_progress_only_grows() -> None:
    """Fewer steps than were known are no news."""
    progress = Progress([2, 3])
    progress.reach(1)
    progress.place(4, 9)
    assert progress.cursors == [2, 3, 0, 9]
    assert [progress.cursor_of(number) for number in (0, 1, 3, 4, 5)] == [None, 2, None, 9, None]
    assert forked_at_step({"forked_at_step": 0}) is None


def test_the_full_identity_of_a_step_is_a_contract() -> None:
    """Programs of another version derive the same one; every part of the step counts."""
    step = {"input": {"q": 1}, "output": 2, "context": {"c": 3}, "metadata": {"m": 4}}
    expected = full_step_operation_id("run-1", "work", 1, **step)  # type: ignore[arg-type]
    assert expected == "b6816e43-38a1-5711-b6c0-a53473ea94e0"
    changed = [
        full_step_operation_id("run-2", "work", 1, **step),  # type: ignore[arg-type]
        full_step_operation_id("run-1", "think", 1, **step),  # type: ignore[arg-type]
        full_step_operation_id("run-1", "work", 2, **step),  # type: ignore[arg-type]
        *(full_step_operation_id("run-1", "work", 1, **{**step, name: {"x": 0}}) for name in step),  # type: ignore[arg-type]
    ]
    assert len({expected, *changed}) == 8
