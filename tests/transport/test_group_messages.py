"""Messages over HTTP: two events and a message, or nothing; mail in order; acknowledged by its holder."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from tests.support.crew import Crew, refused
from tests.support.forking import events_of
from tests.support.keys import make_key
from tests.support.postgres import Clock
from tests.support.server import RunningServer, new_channel


@pytest.fixture
def crew(server: RunningServer) -> Crew:
    """Ada and Bob."""
    return Crew(server, "ada", "bob")


def test_a_message_is_an_event_on_either_side(server: RunningServer, crew: Crew) -> None:
    """Of the same envelope, the delivery caused by the sending; channels come into being with it."""
    message = crew.sent("ada", "bob", "ask", {"n": 1}, causal_context={"why": ["x"]})
    (sent,), (received,) = events_of(server, crew.channel("ada")), events_of(server, crew.channel("bob"))
    envelope = {
        "message_id": f"{crew.channel('bob')}~1",
        "group_id": crew.id,
        "from": {"member": "ada"},
        "to": {"member": "bob"},
        "type": "ask",
        "payload": {"n": 1},
        "causal_context": {"why": ["x"]},
    }
    assert sent["payload"] == received["payload"] == envelope
    assert (sent["type"], received["type"]) == ("message.sent", "message.received")
    assert (sent["depends_on"], received["depends_on"]) == (None, sent["id"])
    assert sent["actor"] == received["actor"] == "ada"
    assert UUID(received["id"]).version == 7
    assert message == {
        "message_id": envelope["message_id"],
        "group_id": crew.id,
        "from_member_id": "ada",
        "to_member_id": "bob",
        "type": "ask",
        "payload": {"n": 1},
        "causal_context": {"why": ["x"]},
        "source_event_id": sent["id"],
        "delivery_event_id": received["id"],
        "status": "delivered",
        "acknowledged_at": None,
        "created_at": received["timestamp"],
    }
    assert crew.mail("bob") == [message]
    assert crew.mail("ada") == []
    graph = server.get(f"/events/{received['id']}/causal-graph").body
    assert [each["id"] for each in graph["events"]] == [received["id"], sent["id"]]
    for name in ("ada", "bob"):
        assert server.get(f"/events/verify/{crew.channel(name)}").body["valid"] is True


def test_members_may_share_a_channel_and_write_to_themselves(server: RunningServer) -> None:
    """Both events are there, one behind the other; mail is told apart by its member and its group."""
    shared = new_channel()
    crew, other = Crew(server, ada=shared, bob=shared), Crew(server, ada=shared, bob=shared)
    first = crew.sent("ada", "bob", payload=1)
    second = crew.sent("ada", "ada", payload=2)
    third = other.sent("bob", "bob", payload=3)
    assert [each["message_id"] for each in (first, second, third)] == [f"{shared}~{n}" for n in (2, 4, 6)]
    assert [each["type"] for each in events_of(server, shared)] == ["message.sent", "message.received"] * 3
    assert (crew.mail("bob"), crew.mail("ada"), other.mail("bob")) == ([first], [second], [third])
    assert refused(crew.get(f"/members/ada/messages?after={first['message_id']}")) == (
        404,
        "message_not_found",
    )
    assert refused(other.get(f"/members/bob/messages?after={first['message_id']}")) == (
        404,
        "message_not_found",
    )


def test_mail_is_read_in_pages(crew: Crew) -> None:
    """In the order of delivery, each page behind the last message of the one before."""
    ids = [crew.sent("ada", "bob", payload=number)["message_id"] for number in range(5)]
    seen: list[str] = []
    while page := crew.mail("bob", f"?limit=2{f'&after={seen[-1]}' if seen else ''}"):
        seen += [each["message_id"] for each in page]
    assert seen == ids
    assert crew.get("/members/bob/messages?limit=4").body["has_more"] is True
    assert crew.get("/members/bob/messages?limit=5").body["has_more"] is False
    assert crew.mail("bob", "?limit=0") == crew.mail("bob", "?limit=-1") == []


@pytest.mark.parametrize(
    "after", ["{bob}~2", "{bob}~0", "{bob}~01", "{ada}~1", "{bob}", "~1", "x", "{bob}~" + "9" * 30]
)
def test_mail_behind_an_unknown_message_is_refused(crew: Crew, after: str) -> None:
    """Rather than read from wherever."""
    crew.sent("ada", "bob")
    after = after.format(ada=crew.channel("ada"), bob=crew.channel("bob"))
    assert refused(crew.get(f"/members/bob/messages?after={after}")) == (404, "message_not_found")


def test_an_operation_id_is_one_message(server: RunningServer, crew: Crew) -> None:
    """In its group; with other content, or to somebody else, it is refused. The header counts as well."""
    crew.add("eve")
    id_ = str(uuid4())
    first = crew.sent("ada", "bob", "ask", {"a": 1, "b": 2}, operation_id=id_)
    assert crew.sent("ada", "bob", "ask", {"b": 2, "a": 1.0}, operation_id=id_) == first
    body = {"from_member_id": "ada", "to_member_id": "bob", "type": "ask", "payload": {"a": 1, "b": 2}}
    by_header = crew.post("/messages", body, headers={"Idempotency-Key": id_})
    assert by_header.body["message"] == first
    others: list[dict[str, Any]] = [
        {"payload": {"a": 1}},
        {"type": "tell"},
        {"to_member_id": "eve"},
        {"to_member_id": "ada"},
        {"from_member_id": "bob", "to_member_id": "ada"},
        {"causal_context": {}},
    ]
    for other in others:
        refusal = crew.post("/messages", {**body, **other, "operation_id": id_})
        assert refused(refusal) == (409, "idempotency_conflict")
    assert (len(events_of(server, crew.channel("ada"))), len(events_of(server, crew.channel("bob")))) == (
        1,
        1,
    )
    assert server.get(f"/events/cursor/{crew.channel('eve')}").body["latest_cursor"] is None
    assert server.get(f"/channels/{crew.channel('eve')}/metadata").status == 404
    elsewhere = Crew(server, ada=crew.channel("ada"), bob=crew.channel("bob"))
    assert elsewhere.sent("ada", "bob", "tell", operation_id=id_)["message_id"] != first["message_id"]


def test_without_an_operation_id_each_call_is_a_message(crew: Crew) -> None:
    """There is nothing to tell them apart from new ones."""
    assert crew.sent("ada", "bob")["message_id"] != crew.sent("ada", "bob")["message_id"]


def test_a_repetition_is_told_how_the_message_stands_now(crew: Crew) -> None:
    """Also when its channel is closed by then."""
    id_ = str(uuid4())
    message = crew.sent("ada", "bob", operation_id=id_)
    crew.claim("bob")
    crew.acknowledge(message["message_id"])
    crew.server.post(f"/channels/{crew.channel('bob')}/close", {})
    assert crew.sent("ada", "bob", operation_id=id_)["status"] == "acknowledged"
    crew.server.request("DELETE", f"/api/v1/channels/{crew.channel('bob')}")
    assert refused(crew.send("ada", "bob", operation_id=id_)) == (409, "channel_deleted")


def test_a_message_is_acknowledged_by_its_holder(crew: Crew, server_clock: Clock) -> None:
    """Once; a second time is the same, and it stays in the mail."""
    message_id = crew.sent("ada", "bob")["message_id"]
    assert refused(crew.acknowledge(message_id)) == (409, "member_lease_lost")
    crew.claim("bob", "one")
    acknowledged = crew.acknowledge(message_id, "one").body["message"]
    assert acknowledged["status"] == "acknowledged"
    assert acknowledged["acknowledged_at"] > acknowledged["created_at"]
    server_clock.advance(100)
    assert crew.acknowledge(message_id, "one").body["message"] == acknowledged  # lapsed, but not taken over
    assert crew.mail("bob") == [acknowledged]
    crew.claim("bob", "two")
    for stale in (("one", 1), ("one", 2), ("two", 1)):
        assert refused(crew.acknowledge(message_id, *stale)) == (409, "member_lease_lost")
    assert crew.acknowledge(message_id, "two", 2).body["message"] == acknowledged
    crew.post("/members/bob/release", {"owner_id": "two", "generation": 2})
    assert refused(crew.acknowledge(message_id, "two", 2)) == (409, "member_lease_lost")


@pytest.mark.parametrize("message_id", ["{bob}~1", "{bob}~3", "{bob}", "x", "~", "{bob}~-1", "%00~1"])
def test_what_is_no_message_cannot_be_acknowledged(crew: Crew, message_id: str) -> None:
    """Events of other kinds have no message id."""
    crew.server.record(crew.channel("bob"), "message.received", {"message_id": "mine"})
    crew.claim("bob")
    reply = crew.acknowledge(message_id.format(bob=crew.channel("bob")))
    assert refused(reply) == (404, "message_not_found")
    assert crew.mail("bob") == []


def test_closed_channels_take_no_messages_but_acknowledgements(server: RunningServer, crew: Crew) -> None:
    """On either side; and nothing of a refused message is left on the other."""
    message_id = crew.sent("ada", "bob")["message_id"]
    crew.claim("bob")
    server.post(f"/channels/{crew.channel('bob')}/close", {})
    assert refused(crew.send("ada", "bob")) == (409, "channel_closed")
    assert refused(crew.send("bob", "ada")) == (409, "channel_closed")
    assert (len(events_of(server, crew.channel("ada"))), len(events_of(server, crew.channel("bob")))) == (
        1,
        1,
    )
    assert crew.acknowledge(message_id).body["message"]["status"] == "acknowledged"


def test_a_deleted_channel_takes_its_mail_with_it(server: RunningServer, crew: Crew) -> None:
    """What was sent from there stays with those who got it."""
    to_bob, to_ada = crew.sent("ada", "bob"), crew.sent("bob", "ada")
    crew.claim("bob")
    server.request("DELETE", f"/api/v1/channels/{crew.channel('bob')}")
    assert crew.mail("bob") == []
    assert crew.mail("ada") == [to_ada]
    assert refused(crew.get(f"/members/bob/messages?after={to_bob['message_id']}")) == (
        404,
        "message_not_found",
    )
    assert refused(crew.acknowledge(to_bob["message_id"])) == (409, "channel_deleted")
    for pair in (("ada", "bob"), ("bob", "ada"), ("bob", "bob")):
        assert refused(crew.send(*pair)) == (409, "channel_deleted")


def test_unknown_members_are_named(crew: Crew) -> None:
    """And so is what is wrong with a message."""
    for pair in (("eve", "bob"), ("ada", "eve")):
        reply = crew.send(*pair)
        assert (*refused(reply), reply.body["member_id"]) == (404, "member_not_found", "eve")
    body = {"from_member_id": "ada", "to_member_id": "bob", "type": "t", "payload": 1}
    assert refused(crew.server.post("/execution-groups/unknown/messages", body)) == (404, "group_not_found")
    bad: list[tuple[dict[str, Any], str]] = [
        ({"type": ""}, "type"),
        ({"type": None}, "type"),
        ({"causal_context": []}, "causal_context"),
        ({"causal_context": "x"}, "causal_context"),
        ({"operation_id": ""}, "operation_id"),
        ({"from_member_id": 1}, "from_member_id"),
    ]
    for change, field in bad:
        reply = crew.post("/messages", {**body, **change})
        assert (reply.status, reply.body["field"]) == (400, field)
    del body["payload"]
    assert crew.post("/messages", body).body["field"] == "payload"


def test_what_is_sent_comes_back_as_it_was(crew: Crew) -> None:
    """Numbers of any size, halves of surrogate pairs, NUL, order, and a type that looks like a field."""
    payload = rb'{"z":12345678901234567890123,"a":["\ud800","\u0000",1E400],"payload":{}}'
    context = rb'{"\udc00":",\"payload\":"}'
    names = rb'"from_member_id":"ada","to_member_id":"bob","type":"\",\"payload\":"'
    raw = rb'{%b,"payload":%%b,"causal_context":%%b}' % names
    crew.post("/messages", None, raw=raw % (payload, context))
    url = f"{crew.server.url}/api/v1/execution-groups/{crew.id}/members/bob/messages"
    answer = crew.server.pool.request("GET", url, headers={"x-api-key": crew.server.api_key})
    assert b'"payload":%b,' % payload in answer.data
    assert b'"causal_context":%b,' % context in answer.data
    assert crew.mail("bob")[0]["type"] == '","payload":'


def test_sending_needs_write_on_both_sides(server: RunningServer) -> None:
    """A tenant delivers nothing into another's channels, and does not learn which they are."""
    mine, yours = new_channel("mine"), new_channel("yours")
    crew = Crew(server, ada=mine, bob=yours, ann=mine)
    key = make_key(server, read=("mine*",), write=("mine*",))
    looker = make_key(server, read=("*",), write=("mine*",))
    assert crew.send("ada", "ann", api_key=key).status == 200
    for pair in (("ada", "bob"), ("bob", "ada")):
        refusal = crew.send(*pair, api_key=key)
        assert refused(refusal) == (404, "member_not_found")
        assert yours not in str(refusal.body)
        assert refused(crew.send(*pair, api_key=looker)) == (403, "forbidden")
    assert server.get(f"/events/cursor/{yours}").body["latest_cursor"] is None


def test_mail_is_read_and_acknowledged_with_the_right_to(server: RunningServer) -> None:
    """Reading the recipient's channel for the one, writing it for the other."""
    crew = Crew(server, ada=new_channel("mine"), bob=new_channel("yours"))
    message = crew.sent("ada", "bob")
    reader = make_key(server, read=("yours*",), write=("mine*",))
    writer = make_key(server, write=("yours*",))
    nobody = make_key(server, read=("mine*",), write=("mine*",))
    assert crew.mail("bob", api_key=reader) == [message]
    path = "/members/bob/messages"
    assert refused(crew.get(path, api_key=writer)) == (403, "forbidden")
    assert refused(crew.get(path, api_key=nobody)) == (404, "member_not_found")
    crew.claim("bob")
    ack = f"/execution-group-messages/{message['message_id']}/ack"
    held = {"owner_id": "owner", "generation": 1}
    for key in (reader, nobody):
        assert refused(server.post(ack, held, api_key=key)) == (403, "forbidden")
    assert server.post(ack, held, api_key=writer).status == 200


def test_large_mail_comes_in_pages_of_some_megabytes(crew: Crew) -> None:
    """So that no reader fills the server's memory; a page says that there is more."""
    for _ in range(3):
        crew.sent("ada", "bob", payload="x" * (12 * 2**20))
    reply = crew.get("/members/bob/messages")
    assert (len(reply.body["messages"]), reply.body["has_more"]) == (2, True)
    rest = crew.get(f"/members/bob/messages?after={reply.body['messages'][-1]['message_id']}")
    assert (len(rest.body["messages"]), rest.body["has_more"]) == (1, False)
