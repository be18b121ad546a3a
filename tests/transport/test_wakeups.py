"""Wake-ups over HTTP: schedule, look, list, cancel, and what becomes of them."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from tests.support.forking import events_of, fork
from tests.support.keys import make_key
from tests.support.postgres import Clock
from tests.support.server import RunningServer, new_channel
from tests.support.timers import WAKEUPS, cancel, fired, listed, look, schedule, until_over, until_swept

FAR = datetime(2999, 1, 1, 12, 30, 0, 123456, tzinfo=UTC)
SOON = timedelta(hours=1)


def test_a_wakeup_is_scheduled(server: RunningServer, channel: str) -> None:
    """It is a flat object with all its fields, and the channel need not exist."""
    made = schedule(server, channel, FAR, payload={"why": "look again"})
    assert made == {
        "id": made["id"],
        "channel_id": channel,
        "run_at": "2999-01-01T12:30:00.123456Z",
        "status": "pending",
        "payload": {"why": "look again"},
        "created_at": made["created_at"],
        "executed_at": None,
        "attempts": 0,
        "error": None,
    }
    assert made["id"].startswith(f"{channel}~")
    assert look(server, made["id"]) == made
    assert listed(server, f"channel_id={channel}") == [made]
    assert schedule(server, channel, FAR)["payload"] is None
    assert channel not in server.get("/channels").body["channels"]


def test_a_due_wakeup_becomes_one_event(server: RunningServer, channel: str, server_clock: Clock) -> None:
    """On a channel that comes into existence by it, and with all that a reader needs."""
    made = schedule(server, channel, server_clock.now() + SOON, payload={"n": 10**40, "text": "\0\ud800"})
    server_clock.advance(SOON.total_seconds() + 1)
    until_over(server, channel)
    done = look(server, made["id"])
    (event,) = events_of(server, channel)
    assert (event["type"], event["actor"], event["cursor"]) == ("scheduler.wakeup", "system", 1)
    assert event["payload"] == {
        "wakeup_id": made["id"],
        "run_at": made["run_at"],
        "payload": {"n": 10**40, "text": "\0\ud800"},
    }
    assert event["metadata"] == {"wakeup_id": made["id"]}
    assert done == {**made, "status": "done", "executed_at": event["timestamp"], "attempts": 1}
    assert done["executed_at"] > made["run_at"]
    assert server.get(f"/events/verify/{channel}").body["valid"]
    assert server.get(f"/channels/{channel}/metadata").body["parent_channel_id"] is None


def test_a_wakeup_goes_on_where_the_log_ends(
    server: RunningServer, channel: str, server_clock: Clock
) -> None:
    """Writes before and after it are chained to it; the state is left alone."""
    server.record(channel)
    server.post(f"/state/{channel}", {"cursor": 1, "state": {"n": 1}})
    schedule(server, channel, server_clock.now())
    until_over(server, channel)
    server.record(channel)
    assert [event["type"] for event in events_of(server, channel)] == ["note", "scheduler.wakeup", "note"]
    assert server.get(f"/events/verify/{channel}").body["valid"]
    assert server.get(f"/state/{channel}").body["state"] == {"n": 1}


def test_a_moment_that_has_passed_is_due_at_once(
    server: RunningServer, channel: str, server_clock: Clock
) -> None:
    """However long ago it was."""
    schedule(server, channel, server_clock.now() - timedelta(days=365))
    first = schedule(server, channel, datetime(1, 1, 1, tzinfo=UTC))
    until_over(server, channel)
    assert {each["status"] for each in listed(server, f"channel_id={channel}")} == {"done"}
    assert fired(server, channel)[first["id"]] == 1
    assert look(server, first["id"])["run_at"] == "0001-01-01T00:00:00Z"


def test_a_cancelled_wakeup_never_fires(server: RunningServer, channel: str, server_clock: Clock) -> None:
    """It stays to be seen; cancelling it again is refused."""
    made = schedule(server, channel, server_clock.now() + SOON)
    cancelled = cancel(server, made["id"])
    told = {"id": made["id"], "channel_id": channel, "status": "cancelled"}
    assert (cancelled.status, cancelled.body) == (200, told)
    assert look(server, made["id"]) == {**made, "status": "cancelled"}
    again = cancel(server, made["id"])
    assert (again.status, again.body["status"], again.body["wakeup_status"]) == (
        409,
        "wakeup_not_pending",
        "cancelled",
    )
    server_clock.advance(SOON.total_seconds() + 60)
    until_swept(server, new_channel(), server_clock.now())
    assert look(server, made["id"])["status"] == "cancelled"
    assert events_of(server, channel) == []


def test_what_has_fired_cannot_be_cancelled(server: RunningServer, channel: str, server_clock: Clock) -> None:
    """409, and it stays done."""
    made = schedule(server, channel, server_clock.now())
    until_over(server, channel)
    refused = cancel(server, made["id"])
    assert (refused.status, refused.body["wakeup_status"]) == (409, "done")
    assert look(server, made["id"])["status"] == "done"


@pytest.mark.parametrize("wakeup_id", ["CHANNEL~" + "0" * 32, "nothing", "CHANNEL~x", "~" + "0" * 32, "%01"])
def test_an_unknown_wakeup_is_not_found(server: RunningServer, channel: str, wakeup_id: str) -> None:
    """Also under ids that none can have."""
    path = wakeup_id.replace("CHANNEL", channel)
    for reply in (
        server.get(f"{WAKEUPS}/{path}"),
        cancel(server, path),
        server.get(f"{WAKEUPS}?after={path}"),
    ):
        assert (reply.status, reply.body["status"]) == (404, "wakeup_not_found")


@pytest.mark.parametrize(
    ("run_at", "shown"),
    [
        ("2999-08-05T12:00:00Z", "2999-08-05T12:00:00Z"),
        ("2999-08-05T12:00:00.5+02:00", "2999-08-05T10:00:00.500000Z"),
        ("2999-08-05t12:00:00.123456789z", "2999-08-05T12:00:00.123457Z"),
        ("2999-08-05T00:15:00-23:45", "2999-08-06T00:00:00Z"),
        ("9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"),
    ],
)
def test_moments_have_any_offset(server: RunningServer, channel: str, run_at: str, shown: str) -> None:
    """They are shown in UTC."""
    reply = server.post(WAKEUPS, {"channel_id": channel, "run_at": run_at})
    assert (reply.status, reply.body.get("run_at")) == (200, shown)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"run_at": "2026-08-05T12:00:00"}, "run_at"),
        ({"run_at": "2026-08-05"}, "run_at"),
        ({"run_at": "2026-08-05T12:00Z"}, "run_at"),
        ({"run_at": "20260805T120000Z"}, "run_at"),
        ({"run_at": "tomorrow"}, "run_at"),
        ({"run_at": ""}, "run_at"),
        ({"run_at": "2026-02-30T12:00:00Z"}, "run_at"),
        ({"run_at": "0001-01-01T00:00:00+14:00"}, "run_at"),
        ({"run_at": "9999-12-31T23:59:59-14:00"}, "run_at"),
        ({"run_at": 1754395200}, "run_at"),
        ({"run_at": None}, "run_at"),
        ({"run_at": ...}, "run_at"),
        ({"channel_id": "a b"}, "channel_id"),
        ({"channel_id": ".."}, "channel_id"),
        ({"channel_id": ...}, "channel_id"),
        ({"payload": [1]}, "payload"),
        ({"payload": "text"}, "payload"),
        ({"operation_id": ""}, "operation_id"),
        ({"operation_id": "o" * 257}, "operation_id"),
    ],
)
def test_bad_values_are_refused_by_name(
    server: RunningServer, channel: str, body: dict[str, Any], field: str
) -> None:
    """And nothing is scheduled."""
    sent = {"channel_id": channel, "run_at": FAR.isoformat(), **body}
    reply = server.post(WAKEUPS, {name: value for name, value in sent.items() if value is not ...})
    assert (reply.status, reply.body["status"], reply.body["field"]) == (400, "invalid_request", field)
    assert listed(server, f"channel_id={channel}") == []


@pytest.mark.parametrize("query", ["status=odd", "limit=-1", "limit=ten", "channel_id=a%20b"])
def test_a_bad_query_is_refused(server: RunningServer, query: str) -> None:
    """By name."""
    reply = server.get(f"{WAKEUPS}?{query}")
    assert (reply.status, reply.body["field"]) == (400, query.partition("=")[0])


@pytest.mark.parametrize("place", ["body", "header"])
def test_a_repeated_call_schedules_one(
    server: RunningServer, channel: str, server_clock: Clock, place: str
) -> None:
    """The repetition gets the first one as it stands; another channel is another call."""
    operation_id = str(uuid4())
    run_at = server_clock.now() + SOON

    def send(where: str = channel, **fields: Any) -> Any:
        body = {"channel_id": where, "run_at": run_at.isoformat(), "payload": {"a": 1, "b": 2}, **fields}
        if place == "body":
            return server.post(WAKEUPS, {**body, "operation_id": operation_id})
        return server.post(WAKEUPS, body, headers={"Idempotency-Key": operation_id})

    made = send().body
    assert send().body == made
    elsewhere = run_at.astimezone(datetime.fromisoformat("2026-01-01T00:00:00+05:00").tzinfo)
    assert send(run_at=elsewhere.isoformat(), payload={"b": 2.0, "a": 1}).body == made
    for other in ({"run_at": FAR.isoformat()}, {"payload": {"a": 2}}, {"payload": None}):
        refused = send(**other)
        assert (refused.status, refused.body["status"]) == (409, "idempotency_conflict")
    assert send(new_channel()).body["id"] != made["id"]
    server_clock.advance(SOON.total_seconds() + 60)
    until_over(server, channel)
    assert send().body == look(server, made["id"])
    assert send().body["status"] == "done"
    assert fired(server, channel) == {made["id"]: 1}
    server.post(f"/channels/{channel}/close", {})
    assert send().status == 200


def test_calls_without_an_identity_schedule_one_each(server: RunningServer, channel: str) -> None:
    """There is nothing to tell them apart from new ones."""
    assert schedule(server, channel, FAR)["id"] != schedule(server, channel, FAR)["id"]


def test_lists_are_in_the_order_of_time(server: RunningServer, channel: str) -> None:
    """Whatever the order of scheduling; page after page, by status and by channel."""
    days = [5, 1, 4, 2, 3, 3]
    made = [schedule(server, channel, FAR + timedelta(days=day)) for day in days]
    cancel(server, made[2]["id"])
    in_order = listed(server, f"channel_id={channel}")
    assert [each["run_at"] for each in in_order] == sorted(each["run_at"] for each in made)
    pages, after = [], ""
    while True:
        reply = server.get(f"{WAKEUPS}?channel_id={channel}&limit=2{after}").body
        pages += reply["wakeups"]
        if not reply["has_more"]:
            break
        after = f"&after={reply['wakeups'][-1]['id']}"
    assert pages == in_order
    pending = [each for each in in_order if each["status"] == "pending"]
    assert (len(pending), listed(server, f"channel_id={channel}&status=pending")) == (5, pending)
    (cancelled,) = listed(server, f"channel_id={channel}&status=cancelled")
    assert cancelled["id"] == made[2]["id"]
    assert listed(server, f"channel_id={channel}&status=failed") == []
    assert listed(server, f"channel_id={channel}&limit=0") == []


def test_a_list_of_all_channels_is_paged_too(start_server: Any) -> None:
    """By time, then by channel; by status as well."""
    server = start_server()
    made = [schedule(server, f"run-{n % 3}", FAR + timedelta(days=n // 4)) for n in range(12)]
    first = listed(server, "limit=5")
    rest = listed(server, f"after={first[-1]['id']}")
    assert len(first) == 5
    found = [(each["run_at"], each["channel_id"], each["id"]) for each in first + rest]
    assert found == sorted((each["run_at"], each["channel_id"], each["id"]) for each in made)
    cancel(server, made[3]["id"])
    assert [each["id"] for each in listed(server, "status=cancelled")] == [made[3]["id"]]
    assert len(listed(server, "status=pending")) == 11


def test_a_page_of_large_payloads_ends_early(server: RunningServer, channel: str) -> None:
    """Nobody fills the server's memory with one request."""
    for _ in range(3):
        schedule(server, channel, FAR, payload={"text": "x" * 15_000_000})
    first = server.get(f"{WAKEUPS}?channel_id={channel}").body
    assert (len(first["wakeups"]), first["has_more"]) == (2, True)
    rest = server.get(f"{WAKEUPS}?channel_id={channel}&after={first['wakeups'][-1]['id']}").body
    assert (len(rest["wakeups"]), rest["has_more"]) == (1, False)


def test_a_payload_comes_back_as_it_was_sent(
    server: RunningServer, channel: str, server_clock: Clock
) -> None:
    """Byte for byte, in the wake-up and in its event."""
    payload = b'{"z":1.0, "a":1e400,"z":[ ],"\\u0000":"\\ud83d"}'
    moment = server_clock.now().isoformat()
    raw = b'{"channel_id":"%s","run_at":"%s","payload":%s}' % (channel.encode(), moment.encode(), payload)
    made = server.post(WAKEUPS, None, raw=raw).body
    until_over(server, channel)
    for path in (f"{WAKEUPS}/{made['id']}", f"/events/replay/{channel}"):
        sent = server.pool.request("GET", f"{server.url}/api/v1{path}", headers={"x-api-key": server.api_key})
        assert payload in sent.data


def test_a_closed_channel_takes_no_wakeups_and_lets_none_fire(
    server: RunningServer, channel: str, server_clock: Clock
) -> None:
    """Those that it has stay pending, fail when they are due, and can be cancelled until then."""
    server.record(channel)
    made, other = (schedule(server, channel, server_clock.now() + SOON) for _ in range(2))
    server.post(f"/channels/{channel}/close", {})
    refused = server.post(WAKEUPS, {"channel_id": channel, "run_at": FAR.isoformat()})
    assert (refused.status, refused.body["status"]) == (409, "channel_closed")
    assert cancel(server, other["id"]).status == 200
    server_clock.advance(SOON.total_seconds() + 60)
    until_over(server, channel)
    failed = look(server, made["id"])
    assert (failed["status"], failed["attempts"], failed["executed_at"]) == ("failed", 1, None)
    assert failed["error"] == f"channel_closed: Channel '{channel}' is closed."
    assert fired(server, channel) == {}


def test_a_deleted_channel_has_no_wakeups(server: RunningServer, channel: str, server_clock: Clock) -> None:
    """They go with it, those that have fired too, and no new ones are taken."""
    gone = schedule(server, channel, server_clock.now())
    until_over(server, channel)
    made = schedule(server, channel, server_clock.now() + SOON)
    assert server.request("DELETE", f"/api/v1/channels/{channel}").status == 200
    for each in (gone, made):
        assert server.get(f"{WAKEUPS}/{each['id']}").status == 404
    assert listed(server, f"channel_id={channel}") == []
    refused = server.post(WAKEUPS, {"channel_id": channel, "run_at": FAR.isoformat()})
    assert (refused.status, refused.body["status"]) == (409, "channel_deleted")
    server_clock.advance(SOON.total_seconds() + 60)
    until_swept(server, new_channel(), server_clock.now())
    assert events_of(server, channel) == []


def test_a_fork_has_no_timer_of_its_source(server: RunningServer, channel: str, server_clock: Clock) -> None:
    """None is seen there and none fires there, whether it fires before the fork or after it."""
    server.post(f"/state/{channel}", {"cursor": 0, "state": {}})
    before = schedule(server, channel, server_clock.now())
    until_over(server, channel)
    after = schedule(server, channel, server_clock.now() + SOON, operation_id="one")
    child = f"{channel}.b"
    assert fork(server, channel, child).status == 200
    assert listed(server, f"channel_id={child}") == []
    own = schedule(server, child, server_clock.now() + SOON, operation_id="one")
    server_clock.advance(SOON.total_seconds() + 60)
    until_over(server, channel)
    until_over(server, child)
    assert fired(server, channel) == {before["id"]: 1, after["id"]: 1}
    assert [event["type"] for event in events_of(server, child)] == ["fork.started", "scheduler.wakeup"]
    assert fired(server, child) == {own["id"]: 1}


def test_who_may_do_what(server: RunningServer, channel: str) -> None:
    """Write schedules and cancels, read looks; nothing of other channels shows."""
    other = new_channel("other")
    mine, theirs = schedule(server, channel, FAR), schedule(server, other, FAR)
    reader, writer = make_key(server, read=(channel,)), make_key(server, write=(channel,))
    body = {"channel_id": channel, "run_at": FAR.isoformat()}
    assert server.post(WAKEUPS, body, api_key=writer).status == 200
    assert server.post(WAKEUPS, body, api_key=reader).status == 403
    assert server.post(WAKEUPS, {**body, "channel_id": other}, api_key=writer).status == 403
    assert cancel(server, mine["id"], api_key=reader).status == 403
    assert cancel(server, theirs["id"], api_key=writer).status == 403
    assert server.get(f"{WAKEUPS}/{mine['id']}", api_key=reader).body == mine
    seen = listed(server, "", api_key=reader)
    assert {each["channel_id"] for each in seen} == {channel}
    for path in (
        f"{WAKEUPS}/{theirs['id']}",
        f"{WAKEUPS}/{other}~{'0' * 32}",
        f"{WAKEUPS}?channel_id={other}",
        f"{WAKEUPS}?after={theirs['id']}",
    ):
        assert server.get(path, api_key=reader).status == 403
    for path in (f"{WAKEUPS}/{mine['id']}", f"{WAKEUPS}?channel_id={channel}", WAKEUPS):
        assert server.get(path, api_key=writer).status == 403
    assert server.get(WAKEUPS, api_key=None).status == 401
    assert "payload" not in cancel(server, mine["id"], api_key=writer).body, "a writer need not be a reader"
    assert look(server, mine["id"])["status"] == "cancelled"


def test_names_with_wildcards_are_no_patterns(server: RunningServer) -> None:
    """`a_b` is not `axb`."""
    one, other = new_channel("a_b"), new_channel("axb")
    schedule(server, one, FAR)
    schedule(server, other, FAR)
    key = make_key(server, read=("a_b*",))
    assert {each["channel_id"] for each in listed(server, "", api_key=key)} >= {one}
    assert other not in json.dumps(listed(server, "", api_key=key))
