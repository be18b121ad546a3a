"""Outcomes that nobody knows, over HTTP: terms, the mark, resolutions, late evidence, and the search."""

from typing import Any

import pytest

from tests.support.keys import make_key
from tests.support.postgres import Clock
from tests.support.server import RunningServer

Body = dict[str, Any]


def claim(server: RunningServer, channel: str, key: str, **terms: Any) -> Any:
    """A claim with a short lease."""
    body = {
        "channel_id": channel,
        "key_name": key,
        "tool_name": "charge",
        "params": {"order_id": f"order-{channel}", "note": "\u0000"},
        "lease_seconds": 10,
        **terms,
    }
    return server.request("POST", "/api/v1/executions/claim", body)


def post(server: RunningServer, execution_id: str, call: str, **body: Any) -> Any:
    """A call about one operation."""
    return server.request("POST", f"/api/v1/executions/{execution_id}/{call}", body)


def test_from_the_lapse_to_the_resolution(server: RunningServer, server_clock: Clock, channel: str) -> None:
    """Nobody gets the operation; somebody says what happened; it replays; the late witness is heard."""
    held = claim(server, channel, "k", on_lapse="ambiguous", dispatches=True).body
    id_, token = held["execution"]["id"], held["claim_token"]
    assert post(server, id_, "dispatched", claim_token=token).status == 200
    server_clock.advance(11)
    assert claim(server, channel, "k").body["status"] == "execution_ambiguous"
    wanted = f"status=ambiguous&key_prefix=k&field=order_id&value=order-{channel}"
    found = server.request("GET", f"/api/v1/executions?{wanted}")
    assert [each["id"] for each in found.body["executions"]] == [id_]
    assert post(server, id_, "resolve", outcome="unknown", by="ann").body["status"] == "ambiguous"
    said = {"outcome": "applied", "by": "ann", "result": {"charge": "ch_1"}, "evidence": ["seen"]}
    settled = post(server, id_, "resolve", **said)
    assert (settled.status, settled.body["status"]) == (200, "completed")
    assert claim(server, channel, "k").body["result"] == {"charge": "ch_1"}
    for _ in range(2):
        late = post(server, id_, "complete", claim_token=token, result={"charge": "ch_2"})
        assert (late.status, late.body["status"]) == (409, "execution_not_owned")
    shown = server.request("GET", f"/api/v1/executions/{id_}").body
    (evidence,) = shown["late_evidence"]
    assert (evidence["says"], evidence["value"]) == ("completed", {"charge": "ch_2"})
    events = server.request("GET", f"/api/v1/events/replay/{channel}").body["events"]
    assert [event["type"] for event in events] == [
        "tool.started",
        "tool.resolved",
        "tool.resolved",
        "tool.completed",
        "tool.late_evidence",
    ]
    assert events[2]["payload"]["evidence"] == ["seen"]
    assert server.request("GET", f"/api/v1/events/verify/{channel}").body["valid"]


def test_a_result_that_comes_after_not_applied_keeps_a_careful_claim_out(
    server: RunningServer, server_clock: Clock, channel: str
) -> None:
    """Until somebody says it again, knowing of the report; a claim on the default terms gets it all along."""
    held = claim(server, channel, "k", on_lapse="ambiguous").body
    id_ = held["execution"]["id"]
    server_clock.advance(11)
    said = {"outcome": "not_applied", "by": "ann"}
    assert post(server, id_, "resolve", **said).body["status"] == "failed"
    post(server, id_, "complete", claim_token=held["claim_token"], result="ch_1")
    (evidence,) = server.request("GET", f"/api/v1/executions/{id_}").body["late_evidence"]
    for _ in range(2):
        refused = claim(server, channel, "k", on_lapse="ambiguous").body
        assert refused["status"] == "execution_ambiguous"
        assert refused["late_evidence_cursor"] == evidence["cursor"]
        assert f"cursor {evidence['cursor']}" in refused["hint"]
    assert post(server, id_, "resolve", outcome="unknown", by="ann").body["status"] == "failed"
    assert claim(server, channel, "k", on_lapse="ambiguous").status == 409
    assert post(server, id_, "resolve", **said).body["execution"]["completed_cursor"] > evidence["cursor"]
    again = claim(server, channel, "k", on_lapse="ambiguous").body
    assert (again["status"], again["unapplied"]) == ("reclaimed", True)
    assert server.request("GET", f"/api/v1/events/verify/{channel}").body["valid"]


def test_a_result_that_comes_after_not_applied_leaves_the_default_terms_alone(
    server: RunningServer, server_clock: Clock, channel: str
) -> None:
    """As a claim without a word about lapses always had it; or somebody takes the report for true."""
    for key in ("claimed", "resolved"):
        held = claim(server, channel, key, on_lapse="ambiguous").body
        id_, token = held["execution"]["id"], held["claim_token"]
        server_clock.advance(11)
        post(server, id_, "resolve", outcome="not_applied", by="ann")
        post(server, id_, "complete", claim_token=token, result="ch_1")
        if key == "claimed":
            reclaimed = claim(server, channel, key).body
            assert (reclaimed["status"], "unapplied" in reclaimed) == ("reclaimed", False)
        else:
            post(server, id_, "resolve", outcome="applied", by="bob", result="ch_1")
            assert claim(server, channel, key, on_lapse="ambiguous").body["result"] == "ch_1"


def test_a_lapse_before_the_mark_is_reclaimed(
    server: RunningServer, server_clock: Clock, channel: str
) -> None:
    """The tool was never called."""
    claim(server, channel, "k", on_lapse="ambiguous", dispatches=True)
    server_clock.advance(11)
    assert claim(server, channel, "k").body["status"] == "reclaimed"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"outcome": "perhaps", "by": "ann"}, "outcome"),
        ({"outcome": "applied"}, "by"),
        ({"outcome": "applied", "by": ""}, "by"),
        ({"outcome": "not_applied", "by": "ann", "result": 1}, "result"),
    ],
)
def test_a_bad_resolution_names_its_field(
    server: RunningServer, channel: str, body: Body, field: str
) -> None:
    """And changes nothing."""
    id_ = claim(server, channel, "k").body["execution"]["id"]
    refused = post(server, id_, "resolve", **body)
    assert (refused.status, refused.body["field"]) == (400, field)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("field=order_id", "value"),
        ("value=1", "field"),
        ("after=nonsense", "after"),
        ("after=99~no", "after"),
        ("offset=3", "offset"),
        ("status=lost", "status"),
        ("channel_id=run-1&text=charge", "text"),
        ("text=", "text"),
        ("older_than_seconds=-1", "older_than_seconds"),
    ],
)
def test_a_bad_search_names_its_field(server: RunningServer, query: str, field: str) -> None:
    """Whichever it is."""
    refused = server.request("GET", f"/api/v1/executions?{query}")
    assert (refused.status, refused.body["field"]) == (400, field)


def test_pages_go_on_where_the_last_one_ended(server: RunningServer, channel: str) -> None:
    """Newest first, each operation once, though others are claimed meanwhile."""
    keys = [f"{channel}-{number}" for number in range(7)]
    for key in keys:
        claim(server, channel, key)
    seen: list[str] = []
    after = ""
    while True:
        page = server.request("GET", f"/api/v1/executions?limit=3&key_prefix={channel}-{after}").body
        seen += [each["key_name"] for each in page["executions"]]
        if not page["has_more"]:
            break
        after = f"&after={page['next']}"
        claim(server, channel, f"{channel}-later-{len(seen)}")
    assert seen == keys[::-1]


def test_a_text_is_looked_for_in_all_channels(server: RunningServer, channel: str) -> None:
    """As somebody who was called at night has it: an order's number, or a piece of a key."""
    claim(server, channel, "charge:1", params={"order": {"id": f"#{channel}#"}})
    claim(server, f"{channel}.b", "charge:2", params={"order": "another"}, tool_name="mail")

    def found(query: str) -> list[str]:
        listed = server.request("GET", f"/api/v1/executions?{query}").body["executions"]
        return [each["key_name"] for each in listed]

    assert found(f"text=%23{channel}%23") == ["charge:1"]
    assert found(f"text={channel}") == ["charge:2", "charge:1"]
    assert found(f"text={channel}&tool_name=mail") == ["charge:2"]
    assert found(f"text={channel}&status=completed") == []
    assert found(f"channel_id={channel}.b&tool_name=mail") == ["charge:2"]
    assert found(f"channel_id={channel}.b&key_prefix=charge:3") == []


def test_a_search_shows_only_what_may_be_read(server: RunningServer, channel: str) -> None:
    """To a key that may read elsewhere the operation is not there."""
    claim(server, channel, f"{channel}-k")
    stranger = make_key(server, read=(f"{channel}-other*",))
    found = server.request("GET", f"/api/v1/executions?key_prefix={channel}-k", api_key=stranger)
    assert found.body["executions"] == []


def test_a_stranger_s_mark_is_refused(server: RunningServer, channel: str) -> None:
    """It is not the stranger who is about to call the tool."""
    id_ = claim(server, channel, "k", on_lapse="ambiguous", dispatches=True).body["execution"]["id"]
    for token in (None, "ct_" + "0" * 32):
        refused = post(server, id_, "dispatched", claim_token=token)
        assert (refused.status, refused.body["status"]) == (409, "execution_not_owned")


@pytest.mark.parametrize(
    ("terms", "field"),
    [
        ({"dispatches": True}, "dispatches"),
        ({"on_lapse": "retry"}, "on_lapse"),
        ({"on_failure": "raise"}, "on_failure"),
        ({"ttl_seconds": 0}, "ttl_seconds"),
        ({"ttl_seconds": 10**12}, "ttl_seconds"),
        ({"key_name": "__session_lock__", "on_lapse": "ambiguous"}, "on_lapse"),
        ({"key_name": "__session_lock__", "ttl_seconds": 60}, "ttl_seconds"),
    ],
)
def test_bad_terms_name_their_field(server: RunningServer, channel: str, terms: Body, field: str) -> None:
    """And nothing is claimed."""
    refused = server.request(
        "POST",
        "/api/v1/executions/claim",
        {"channel_id": channel, "key_name": "k", "tool_name": "charge", **terms},
    )
    assert (refused.status, refused.body["field"]) == (400, field)
    assert server.request("GET", f"/api/v1/executions?channel_id={channel}").body["executions"] == []


def test_a_session_whose_owner_does_not_know_can_be_taken_over(server: RunningServer, channel: str) -> None:
    """Its own key is nobody's effect: a failure frees it."""
    held = claim(server, channel, "__session_lock__").body
    id_, token = held["execution"]["id"], held["claim_token"]
    failed = post(server, id_, "fail", claim_token=token, message="gone", outcome_unknown=True)
    assert failed.body["status"] == "failed"
    assert claim(server, channel, "__session_lock__").body["status"] == "reclaimed"


def test_a_closed_channel_takes_resolutions_and_a_deleted_one_has_nothing_to_resolve(
    server: RunningServer, channel: str
) -> None:
    """The effect has happened, or has not, whatever became of the run."""
    held = claim(server, channel, "k").body
    id_, token = held["execution"]["id"], held["claim_token"]
    post(server, id_, "fail", claim_token=token, message="time-out", outcome_unknown=True)
    server.request("POST", f"/api/v1/channels/{channel}/close", {})
    assert post(server, id_, "resolve", outcome="unknown", by="ann").body["status"] == "ambiguous"
    assert post(server, id_, "resolve", outcome="applied", by="ann", result=1).body["status"] == "completed"
    late = post(server, id_, "complete", claim_token=token, result=2)
    assert late.body["status"] == "execution_not_owned"
    assert len(server.request("GET", f"/api/v1/executions/{id_}").body["late_evidence"]) == 1
    assert server.request("DELETE", f"/api/v1/channels/{channel}?recursive=false").status == 200
    gone = post(server, id_, "resolve", outcome="unknown", by="ann")
    assert (gone.status, gone.body["status"]) == (404, "execution_not_found")


def test_who_may_only_read_resolves_nothing(server: RunningServer, channel: str) -> None:
    """A resolution is a write, and tells a stranger nothing about the operation."""
    held = claim(server, channel, "k").body
    id_ = held["execution"]["id"]
    reader = make_key(server, read=(f"{channel}*",))
    body = {"outcome": "unknown", "by": "eve"}
    refused = server.request("POST", f"/api/v1/executions/{id_}/resolve", body, api_key=reader)
    assert refused.status == 403
    assert "charge" not in str(refused.body)


@pytest.mark.parametrize(
    "query",
    ["key_prefix=%00", "tool_name=%00", "field=%00&value=%00", "value=%ED%A0%80&field=x", "text=%00"],
)
def test_a_search_for_what_no_text_holds_finds_nothing_or_says_so(server: RunningServer, query: str) -> None:
    """Never a defect."""
    reply = server.request("GET", f"/api/v1/executions?{query}")
    assert reply.status in (200, 400)
    if reply.status == 200:
        assert reply.body["executions"] == []
