"""What a load program counts."""

import json
import math

import pytest

from benchmarks.load.tally import Tally, clock, percentile


@pytest.mark.parametrize(
    ("percent", "expected"), [(1, 10.0), (50, 20.0), (51, 30.0), (99, 40.0), (100, 40.0)]
)
def test_a_percentile_is_one_of_the_values(percent: float, expected: float) -> None:
    """Nearest rank: nothing is interpolated."""
    assert percentile([10.0, 20.0, 30.0, 40.0], percent) == expected


def test_a_percentile_of_nothing_is_not_a_number() -> None:
    """Zero would look like a very fast server."""
    assert math.isnan(percentile([], 50))


def test_what_ends_during_the_warm_up_is_not_measured() -> None:
    """It is counted all the same, because it must be found in the ledger."""
    tally = Tally(seconds=60, warm_up_seconds=60)
    tally.start()
    tally.add(clock())
    told = json.loads(tally.as_json())
    assert told["finished_count"] == 1
    assert told["per_second"] == 0


def test_a_unit_inside_the_window_counts_towards_the_rate() -> None:
    """The rate is per second of the window."""
    tally = Tally(seconds=60, warm_up_seconds=0)
    tally.start()
    for _ in range(120):
        tally.add(clock() - 0.25)
    told = json.loads(tally.as_json())
    assert told["per_second"] == 2
    assert told["p50_ms"] >= 250


def test_the_first_refusal_is_told_in_full() -> None:
    """A count alone would not say what went wrong."""
    tally = Tally(seconds=60, warm_up_seconds=0)
    tally.start()
    tally.refuse("HTTP/1.1 429 Too Many Requests")
    tally.refuse("something later")
    told = json.loads(tally.as_json())
    assert told["refusal_count"] == 2
    assert told["first_refusal"] == "HTTP/1.1 429 Too Many Requests"
