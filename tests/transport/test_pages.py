"""Pages end where they would become too large; nobody learns what may not be read."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.support.postgres import Clock
from tests.support.server import RunningServer

LARGE = "x" * (9 * 2**20)


def test_a_replay_of_large_events_comes_in_short_pages(server: RunningServer, channel: str) -> None:
    """Each brings at least one event, and the pages together all of them, once and in order."""
    for number in range(7):
        assert server.record(channel, payload=[number, LARGE]).status == 200
    cursors: list[int] = []
    pages = 0
    while True:
        after = cursors[-1] if cursors else 0
        events = server.get(f"/events/replay/{channel}?limit=10000&cursor={after}").body["events"]
        if not events:
            break
        pages += 1
        assert len(events) <= 3
        cursors += [event["cursor"] for event in events]
    assert cursors == list(range(1, 8))
    assert pages >= 3
    found = server.post("/events/query", {"channel_ids": [channel], "limit": 5}).body
    assert [event["cursor"] for event in found["events"]] == [7, 6, 5]
    assert found["has_more"] is True


def test_a_replay_of_small_events_is_one_page(server: RunningServer, channel: str) -> None:
    """However many the first look brought."""
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: server.record(channel, payload=number), range(150)))
    events = server.get(f"/events/replay/{channel}?limit=140").body["events"]
    assert [event["cursor"] for event in events] == list(range(1, 141))
    newest = server.post("/events/query", {"channel_ids": [channel], "limit": 150}).body
    assert [event["cursor"] for event in newest["events"]] == list(range(150, 0, -1))
    assert newest["has_more"] is False
    skipped = server.post("/events/query", {"channel_ids": [channel], "limit": 100, "offset": 20}).body
    assert [event["cursor"] for event in skipped["events"]] == list(range(130, 30, -1))
    assert skipped["has_more"] is True


def test_versions_of_a_state_are_paged(server: RunningServer, channel: str) -> None:
    """Newest first; the last page says that it is."""
    for number in range(5):
        server.post(f"/state/{channel}", {"cursor": 0, "state": number})
    pages = [
        server.get(f"/state/{channel}/versions?limit={limit}&offset={offset}").body
        for limit, offset in ((2, 0), (2, 2), (2, 4), (5, 0), (20_000, 0), (0, 0))
    ]
    assert [[each["version"] for each in page["versions"]] for page in pages] == [
        [5, 4], [3, 2], [1], [5, 4, 3, 2, 1], [5, 4, 3, 2, 1], []
    ]  # fmt: skip
    assert [page["has_more"] for page in pages] == [True, True, False, False, False, True]


def test_the_ledger_is_paged_and_filtered_by_status(
    server: RunningServer, server_clock: Clock, channel: str
) -> None:
    """What is stuck can be found: running past its lease."""
    lapsing = server.claim(channel, "lapsing", lease_seconds=1)
    server_clock.advance(2)
    for number in range(25):
        claimed = server.claim(channel, f"k{number}").body
        if number % 5 == 0:
            done = {"claim_token": claimed["claim_token"], "result": number}
            server.post(f"/executions/{claimed['execution']['id']}/complete", done)

    def listed(query: str) -> Any:
        return server.get(f"/executions?channel_id={channel}&{query}").body

    assert [each["id"] for each in listed("status=lapsed")["executions"]] == [lapsing.body["execution"]["id"]]
    assert len(listed("status=completed")["executions"]) == 5
    assert len(listed("status=running&limit=100")["executions"]) == 21
    first, second = listed("limit=20"), listed("limit=20&offset=20")
    assert (first["has_more"], second["has_more"]) == (True, False)
    keys = [each["key_name"] for each in first["executions"] + second["executions"]]
    assert keys == [f"k{number}" for number in reversed(range(25))] + ["lapsing"]
    refused = server.get(f"/executions?channel_id={channel}&status=stuck")
    assert (refused.status, refused.body["field"]) == (400, "status")


@pytest.mark.parametrize("route", ["record", "transition"])
def test_two_names_of_the_type_must_agree(server: RunningServer, channel: str, route: str) -> None:
    """Either name will do; both with one value as well."""
    body = {"channel_id": channel, "payload": 1, "state": 1, "metadata": {"actor": "a"}}
    assert server.post(f"/events/{route}", {**body, "type": "a", "event_type": "a"}).status == 200
    refused = server.post(f"/events/{route}", {**body, "type": "a", "event_type": "b"})
    assert (refused.status, refused.body["status"]) == (400, "invalid_request")
