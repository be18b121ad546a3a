"""The published client without an event loop."""

from tests.compatibility.conftest import Run


def test_the_blocking_calls_work(run: Run) -> None:
    """Each that has a route."""
    told = run("blocking")
    assert told["empty"] == [None, None, []]
    assert [event["id"] for event in told["replayed"]] == [
        told["recorded"]["id"],
        told["moved"]["event"]["id"],
    ]
    assert [event["cursor"] for event in told["found"]] == [1]
    assert (told["cursor"], told["version"]) == (2, 2)
    assert told["state"] == {"cursor": 2, "state": {"at": 1}}


def test_the_blocking_facade_runs_effects_once(run: Run) -> None:
    """The second run replays both."""
    told = run("blocking_facade")
    assert told["receipts"] == ["r-4471", "sent"] * 2
    assert told["charged"] == ["4471"]
    assert told["parent"] == "nightly"
    effects = [name for name in told["events"] if name.startswith("tool.")]
    assert effects == ["tool.started", "tool.completed"] * 2 + ["tool.replayed"] * 2
    assert told["cursor"] == len(told["events"])
