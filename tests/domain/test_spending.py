"""What events say about time, tokens and money."""

import json
from typing import Any

import pytest

from actae.domain.spending import Bill, Spending, compare_spending


def bill(*events: tuple[Any, Any]) -> Bill:
    """A bill over payloads and metadata."""
    found = Bill()
    for payload, metadata in events:
        found.add(json.dumps(payload).encode(), None if metadata is None else json.dumps(metadata).encode())
    return found


CASES = [
    ({"cost": 1.5}, None, 1.5),
    ({"text": "x"}, {"cost": 1.5}, 1.5),
    ({"usage": {"cost": 1.5}}, None, 1.5),
    ({"result": {"cost": 1.5}}, None, 1.5),
    ({"result": {"usage": {"cost": 1.5}}}, None, 1.5),
    ("text", {"usage": {"cost": 1.5}}, 1.5),
    ({"cost": 1, "usage": {"cost": 1}, "result": {"cost": 1}}, {"cost": 1}, 1),
    ({"cost": "1.5"}, {"cost": 2}, 2),
    ({"cost": True}, None, None),
    ({"cost": None}, None, None),
    ({"output": {"deeper": {"cost": 1}}}, None, None),
    ([{"cost": 1}], None, None),
    ({"cost": -0.0}, None, 0),
    ({"cost": 10**15}, None, 10**15),
    ({"cost": 10**60}, None, None),
]


@pytest.mark.parametrize(("payload", "metadata", "expected"), CASES)
def test_an_event_counts_a_figure_once(payload: Any, metadata: Any, expected: float | None) -> None:
    """Wherever it says it, and however often."""
    found = compare_spending(bill((payload, metadata)), Bill()).left
    assert found == Spending(cost=expected)


def test_numbers_beyond_all_measure_are_no_figures() -> None:
    """They neither fail nor swallow the others."""
    found = Bill()
    for literal in (b"1e999999999", b"1e99999999999999999999999", b"1e-400", b"2"):
        found.add(b'{"cost":' + literal + b',"text":"\\ud83d"}', None)
    assert compare_spending(found, Bill()).left == Spending(cost=2)


def test_sums_are_exact_and_differences_too() -> None:
    """A tenth ten times is one; what only one side mentions counts as nothing on the other."""
    left = bill(*[({"cost": 0.1, "input_tokens": 7}, None)] * 10)
    right = bill(({"cost": 1.2, "latency_ms": 30}, None))
    found = compare_spending(left, right)
    assert found.left == Spending(cost=1, input_tokens=70)
    assert found.right == Spending(cost=1.2, latency_ms=30)
    assert found.delta == Spending(cost=0.2, input_tokens=-70, latency_ms=30)
