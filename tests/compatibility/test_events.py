"""Events through the published client."""

from typing import Any

from tests.compatibility.conftest import Run


def test_events_are_recorded_replayed_found_and_traced(run: Run) -> None:
    """With every field that the client sends, in order, by cursor and by what was asked for."""
    told = run("events")
    assert told["empty"] == {"replay": [], "get_cursor": None, "latest_cursor": None, "query": []}
    first, second, third = told["recorded"]
    assert [event["cursor"] for event in told["recorded"]] == [1, 2, 3]
    assert all(event["channel_cursor"] == event["cursor"] for event in told["replayed"])
    assert {event["channel_id"] for event in told["replayed"]} == {told["channel"]}
    assert (told["repeated"]["id"], told["repeated"]["actor"]) == (first["id"], "agent")
    assert [without_user(event) for event in told["recorded"]] == told["replayed"]
    assert (first["agent_id"], first["metadata"], third["metadata"]) == ("a-1", {"model": "m"}, {})
    assert (second["payload"], second["depends_on"]) == (None, first["id"])
    assert told["after_the_first"] == told["replayed"][1:]
    assert told["first_page"] == told["replayed"][:2]
    assert told["of_a_type"] == [told["replayed"][0], told["replayed"][2]]
    assert told["after_the_last"] == []
    assert told["cursors"] == [3, 3]
    causes_were_found(told)


def causes_were_found(told: dict[str, Any]) -> None:
    """As far as was asked."""
    first, second, _ = told["recorded"]
    assert told["graph"]["root_event_id"] == second["id"]
    assert {event["id"] for event in told["graph"]["events"]} == {first["id"], second["id"]}
    assert not told["graph"]["truncated"]
    assert [event["id"] for event in told["cut_graph"]["events"]] == [second["id"]]
    assert told["cut_graph"]["truncated"]
    assert told["found"] == {
        "everything": [3, 2, 1],
        "of a type": [3, 1],
        "of an actor": [2],
        "between cursors": [2],
        "between times": [3, 2, 1],
        "before all": [],
        "a page": [2],
        "nowhere": [],
    }


def without_user(event: dict[str, Any]) -> dict[str, Any]:
    """The client fills in the user from its own arguments and does not read it back."""
    return {**event, "user_id": None}
