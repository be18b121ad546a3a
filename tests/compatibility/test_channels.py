"""Channels through the published client."""

from typing import Any

import pytest

from tests.compatibility.conftest import Run

Told = dict[str, Any]


@pytest.fixture(scope="module")
def told(run: Run) -> Told:
    """What the program told."""
    told: Told = run("channels")
    return told


def test_channels_are_described_and_listed(told: Told) -> None:
    """From the first event or state on; before it there is nothing."""
    channel = told["channel"]
    unknown = told["unknown"]
    assert [unknown[name] for name in ("get_channel_metadata", "latest_step_number", "resolve_step")] == [
        None
    ] * 3
    for name in ("update_metadata", "delete_channel"):
        assert (unknown[name]["raised"], unknown[name]["status_code"]) == ("APIError", 404)
    untouched = told["untouched"]
    assert (untouched["channel_id"], untouched["origin_run_id"]) == (channel, channel)
    assert (untouched["parent_channel_id"], untouched["display_name"]) == (None, None)
    named, emptied, unchanged = told["updates"]
    assert (named["display_name"], named["reason"], named["experiment_metadata"]) == (
        "Nightly",
        "why",
        {"a": 1},
    )
    assert (emptied["display_name"], emptied["reason"], emptied["experiment_metadata"]) == ("", "why", {})
    assert unchanged == emptied
    assert told["listed"]["names"] == [f"{channel}.state", channel]
    assert told["listed"]["state_only"]["channel_id"] == f"{channel}.state"


def test_steps_are_found(told: Told) -> None:
    """The newest event of a step counts."""
    channel, steps = told["channel"], told["steps"]
    assert (steps["latest"], steps["second"]) == (1, None)
    assert steps["first"] == [channel, 1, steps["first_event"]]
    assert steps["first_again"][:2] == [channel, 3]


def test_a_deleted_channel_reads_like_an_empty_one(told: Told) -> None:
    """And cannot be written again."""
    deleted = told["deleted"]
    assert [told["status"] for told in deleted["told"]] == ["deleted", "deleted"]
    assert deleted["metadata"]["deleted_at"] is not None
    assert (deleted["replayed"], deleted["cursor"], deleted["state"], deleted["listed"]) == (
        [],
        None,
        None,
        False,
    )
    assert (deleted["recorded"]["raised"], deleted["recorded"]["status_code"]) == ("APIError", 409)
