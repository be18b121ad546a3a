"""Forks and experiments through the published client."""

from typing import Any

import pytest

from tests.compatibility.conftest import Run

Told = dict[str, Any]


@pytest.fixture(scope="module")
def told(run: Run) -> Told:
    """What the program told."""
    told: Told = run("forks")
    return told


def test_a_session_forks_at_a_step(told: Told) -> None:
    """It starts with the state after that step, and knows its boundary."""
    session = told["session"]
    assert (session["step_count"], session["inherited"]) == (2, {"after": 2})
    assert session["restorable"] is True
    assert session["requested"] == session["resolved"]
    assert (session["reproducibility"], session["intervention"]) == ("state_exact", {"prompt": "shorter"})
    assert told["receipt"]["child_channel_id"] == session["child"]
    assert told["receipt"]["tool_policies"] == session["tool_policies"] == {"charge": "replay"}
    assert told["receipt"]["source_state_sha256"] == session["sha256"]


def test_a_fork_inherits_what_was_done_before_it(told: Told) -> None:
    """And is refused what its policy forbids."""
    assert told["late_claim"] == "replayed"
    assert told["blocked"]["raised"] == "ForkToolBlockedError"


def test_the_errors_of_forks_are_raised_as_their_classes(told: Told) -> None:
    """A used name, and a boundary without a snapshot."""
    assert told["conflict"]["raised"] == "ChannelConflictError"
    assert told["no_boundary"]["raised"] == "SnapshotBoundaryError"
    assert told["no_checkpoint"]["raised"] == "NoRestorableCheckpointError"


def test_parent_and_child_are_compared(told: Told) -> None:
    """By state, by trail, in the tree; blocking calls tell the same."""
    child = told["session"]["child"]
    assert told["diff"] == told["diff_sync"]
    assert told["diff"]["right_channel_id"] == child
    assert told["compared"]["right_channel_id"] == child
    assert told["trail"] == told["trail_sync"]
    assert told["trail"]["ancestry"][0]["channel_id"] == child
    assert [each["channel_id"] for each in told["forks"]] == [child]
    assert [each["channel_id"] for each in told["tree"]["children"]] == [child]


def test_a_fork_is_scored_and_promoted(told: Told) -> None:
    """A second promotion returns the first."""
    assert (told["outcome"]["outcome"], told["outcome"]["result_score"]) == ("rejected", 0.25)
    assert told["again"] == {**told["promoted"], "replayed": True}


def test_experiments_rank_their_members(told: Told) -> None:
    """By the scores that the channels have."""
    experiment = told["experiment"]
    assert len(experiment["members"]) == 2
    assert experiment["listed"] is True
    assert experiment["rank"][0]["result_score"] == 0.25
