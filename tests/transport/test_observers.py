"""Observers see that something happened, and not what it said: on every route there is."""

import json
from typing import Any

import pytest

from actae.domain.access import EVERYTHING, Permissions
from actae.transport.route import Route
from actae.transport.routes.all import ROUTES
from tests.support.keys import make_key
from tests.support.planting import HIDDEN, SECRET, asked, plant
from tests.support.server import Reply, RunningServer, new_channel

# What an observer gets, with the rest of the path or the body; and whether a reader finds the secret there.
SHOWN: dict[str, tuple[Any, bool]] = {
    "events.replay": ("", True),
    "events.query": ({"channel_ids": ["{channel_id}", "{child}"]}, True),
    "events.cursor.get": ("", False),
    "state.versions.list": ("", False),
    "channels.list": ("", False),
    "runs.list": ("?prefix={channel_id}", False),
    "channels.metadata.get": ("", True),
    "channels.steps.latest": ("", False),
    "channels.steps.resolve": ("", False),
    "executions.list": ("?channel_id={channel_id}", True),
    "executions.get": ("", True),
    "approvals.list": ("?channel_id={channel_id}", True),
    "channels.receipt.get": ("", True),
    "channels.forks.list": ("", True),
    "channels.fork_tree.get": ("", True),
    "channels.trail.get": ("", True),
    "events.causal_graph.get": ("", True),
    "scheduler.wakeups.list": ("?channel_id={channel_id}", True),
    "scheduler.wakeups.get": ("", True),
    "groups.list": ("?channel_id={channel_id}", True),
    "groups.offsets.get": ("", False),
    "experiments.list": ("", True),
    "experiments.get": ("", True),
    "channels.checklist.get": ("", False),
    "checklists.list": ("?pattern={channel_id}*", False),
}

# What they are refused: what is content as a whole, what only readers need, and what changes anything.
REFUSED: dict[str, Any] = {
    "events.verify_chain": "",
    "state.load": "",
    "state.version.get": "",
    "channels.diff": "?left={channel_id}&right={child}",
    "channels.compare": "?left={channel_id}&right={child}",
    "experiments.rank": "",
    "execution_groups.list": "",
    "execution_groups.members.list": "",
    "execution_groups.messages.list": "",
    "execution_groups.forks.get": "",
    "storage.get": "",
    "events.record": {
        "channel_id": "{channel_id}",
        "event_type": "a",
        "payload": 1,
        "metadata": {"actor": "a"},
    },
    "events.transition": {
        "channel_id": "{channel_id}",
        "type": "a",
        "payload": 1,
        "state": 1,
        "metadata": {"actor": "a"},
    },
    "state.save": {"cursor": 0, "state": 1},
    "state.version.delete": "",
    "channels.metadata.put": {},
    "channels.delete": "",
    "channels.close": {},
    "executions.claim": {
        "channel_id": "{channel_id}",
        "key_name": "done",
        "tool_name": "charge",
        "params": HIDDEN,
    },
    "executions.complete": {},
    "executions.fail": {"message": "a"},
    "executions.heartbeat": {},
    "executions.dispatched": {},
    "executions.cancel": {},
    "executions.resolve": {"outcome": "unknown", "by": "a"},
    "executions.delete": "",
    "forks.create": {"source_channel_id": "{channel_id}", "new_channel_id": "{child}.x", "operation_id": "o"},
    "forks.promote": {},
    "channels.outcome.set": {"outcome": "rejected"},
    "experiments.create": {"name": "a"},
    "experiments.members.add": {"channel_id": "{channel_id}"},
    "scheduler.wakeups.create": {"channel_id": "{channel_id}", "run_at": "2099-01-01T00:00:00Z"},
    "scheduler.wakeups.cancel": "",
    "groups.create": {"group_id": "g", "channel_id": "{channel_id}"},
    "groups.delete": "",
    "groups.join": {"consumer_id": "c"},
    "groups.claim_work": {"consumer_id": "c"},
    "groups.ack": {"consumer_id": "c", "cursor": 1},
    "groups.heartbeat": {"consumer_id": "c"},
    "execution_groups.create": {"group_id": "g"},
    "execution_groups.members.add": {"member_id": "c", "channel_id": "{channel_id}"},
    "execution_groups.members.claim": {"owner_id": "o"},
    "execution_groups.members.heartbeat": {"owner_id": "o", "generation": 1},
    "execution_groups.members.release": {"owner_id": "o", "generation": 1},
    "execution_groups.messages.send": {
        "from_member_id": "a",
        "to_member_id": "b",
        "type": "a",
        "payload": 1,
    },
    "execution_groups.messages.ack": {"owner_id": "o", "generation": 1},
    "execution_groups.forks.create": {
        "fork_group_id": "f",
        "source_group_id": "{crew}",
        "intervention_member_id": "a",
        "intervention_cursor": 1,
    },
    "execution_groups.forks.promote": {},
    "guards.create": {"kind": "freeze"},
    "guards.list": "",
    "guards.delete": "",
    "retention.policies.list": "",
    "retention.policies.set": {"keep_for_seconds": 60},
    "retention.policies.remove": "",
    "retention.run": {},
    "keys.list": "",
    "keys.create": {"name": "a", "permissions": {}},
    "keys.revoke": "",
}

STREAM = "events.stream"  # has a test of its own

# Nothing of any channel is in them.
WITHOUT_CHANNEL = (
    "auth.",
    "console.",
    "user.",
    "instance.",
    "health",
    "readiness",
    "metrics.",
    "description.",
)

PATHS = {  # where a name in a path stands for another thing than elsewhere
    "channels.receipt.get": {"channel_id": "child"},
    "channels.trail.get": {"channel_id": "child"},
    "channels.metadata.get": {"channel_id": "child"},
    "experiments.": {"group_id": "experiment_id"},
    "groups.": {"group_id": "consumers"},
    "execution_groups.": {"group_id": "crew"},
    "scheduler.": {"id": "wakeup_id"},
}
FIXED = {
    "version": "1",
    "step_number": "1",
    "member_id": "b",
    "fork_group_id": "f",
    "guard_id": "g",
    "pattern": "a",
    "key_id": "key_a",
}


@pytest.fixture(scope="module")
def planted(server: RunningServer) -> dict[str, str]:
    """The ids of what holds the secret."""
    return plant(server, new_channel("seen"))


@pytest.fixture(scope="module")
def observer(server: RunningServer, planted: dict[str, str]) -> str:
    """May see these channels, and read none."""
    return make_key(server, observe=(f"{planted['channel_id']}*",))


@pytest.fixture(scope="module")
def reader(server: RunningServer, planted: dict[str, str]) -> str:
    """May read what the other one sees."""
    return make_key(server, read=(f"{planted['channel_id']}*",))


def send(server: RunningServer, route: Route, rest: Any, ids: dict[str, str], api_key: str) -> Reply:
    """One call; `rest` is the query, or the body."""
    places = next((each for start, each in PATHS.items() if route.operation.startswith(start)), {})
    named = {**FIXED, **ids, **{name: ids[other] for name, other in places.items()}}
    path = route.full_path.format(**named)
    if isinstance(rest, str):
        return server.request(route.method, path + rest.format(**ids), api_key=api_key)
    body = json.dumps(rest)
    for name, value in ids.items():
        body = body.replace(f"{{{name}}}", value)
    return server.request(route.method, path, raw=body.encode(), api_key=api_key)


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.operation)
def test_no_route_shows_content_to_an_observer(
    server: RunningServer, planted: dict[str, str], observer: str, reader: str, route: Route
) -> None:
    """A new route has to decide: it stands in one of the tables, or nothing of a channel is in it."""
    if route.operation == STREAM or route.operation.startswith(WITHOUT_CHANNEL):
        return
    if route.operation in REFUSED:
        reply = send(server, route, REFUSED[route.operation], planted, observer)
        assert reply.status == 403 or (reply.status == 404 and "group" in route.operation), reply
    else:
        rest, has_content = SHOWN[route.operation]
        reply = send(server, route, rest, planted, observer)
        assert reply.status == 200, reply
        assert planted["channel_id"] in str(reply.body) or "cursor" in str(reply.body)
        read = send(server, route, rest, planted, reader)
        assert (SECRET in str(read.body)) == has_content, "else this test would prove nothing"
        assert "'redacted'" not in str(read.body), "for readers nothing changes"
    assert SECRET not in str(reply.body)
    assert SECRET not in str(reply.headers)


def test_every_kind_of_record_keeps_its_shape(
    server: RunningServer, planted: dict[str, str], observer: str, reader: str
) -> None:
    """An observer's reply has the keys of a reader's, and `redacted` where something was taken out."""
    for route in ROUTES:
        if route.operation in SHOWN:
            rest, has_content = SHOWN[route.operation]
            seen, read = [send(server, route, rest, planted, key).body for key in (observer, reader)]
            assert ("'redacted': True" in str(seen)) == has_content, route.operation
            assert shape(seen) == shape(read), route.operation


def shape(value: Any) -> Any:
    """The names in a reply, but for free JSON and the mark."""
    if isinstance(value, list):
        return [shape(each) for each in value]
    if isinstance(value, dict):
        free = {"payload", "metadata", "params", "result", "error", "value", "operation", "details", "state"}
        free |= {"manifest", "experiment_metadata", "declared_delta", "redacted"}
        return {
            name: None if name in free else shape(each) for name, each in value.items() if name != "redacted"
        }
    return None


def test_the_ledgers_events_keep_what_is_not_content(
    server: RunningServer, planted: dict[str, str], observer: str
) -> None:
    """Which operation, which attempt, what was said about it; of other events nothing."""
    events = asked(server.get(f"/events/replay/{planted['channel_id']}", api_key=observer))["events"]
    by_type: dict[str, list[Any]] = {}
    for event in events:
        assert (event["redacted"], event["metadata"]) == (True, None)
        by_type.setdefault(event["type"], []).append(event["payload"])
    for event_type in ("note", "step", "approval.requested", "approval.decided"):
        assert all(payload == {} for payload in by_type[event_type])
    assert by_type["tool.started"][0] == {}, "recorded by somebody, with objects for names"
    started = by_type["tool.started"][-1]
    assert started == {
        "execution_id": started["execution_id"],
        "key_name": "again lost",
        "tool_name": "charge",
        "attempt": 1,
    }
    resolved = by_type["tool.resolved"][0]
    assert (resolved["key_name"], resolved["outcome"], resolved["by"]) == ("lost", "not_applied", "ada")
    assert by_type["tool.late_evidence"][0]["says"] == "completed"


def test_an_operation_is_seen_without_input_and_outcome(
    server: RunningServer, planted: dict[str, str], observer: str
) -> None:
    """How it stands, and that something was reported too late."""
    found = asked(server.get(f"/executions/{planted['id']}", api_key=observer))
    execution = found["execution"]
    assert (execution["key_name"], execution["status"], execution["attempts"]) == ("lost", "failed", 1)
    assert [execution[name] for name in ("params", "result", "error")] == [None] * 3
    [evidence] = found["late_evidence"]
    assert (evidence["says"], evidence["value"], evidence["redacted"]) == ("completed", None, True)


def test_nobody_finds_by_content_what_they_may_not_read(
    server: RunningServer, planted: dict[str, str], observer: str
) -> None:
    """A search that answers yes or no tells the content as well."""
    search = f"/executions?field=note&value={SECRET}"
    assert server.get(search, api_key=observer).status == 403
    mixed = make_key(server, observe=(f"{planted['channel_id']}*",), read=("elsewhere-*",))
    assert asked(server.get(search, api_key=mixed))["executions"] == []
    seen = asked(server.get("/executions?tool_name=charge", api_key=mixed))["executions"]
    assert {each["channel_id"] for each in seen} == {planted["channel_id"], planted["child"]}
    assert all(each["redacted"] for each in seen)
    assert asked(server.get(f"/executions?text={SECRET}", api_key=observer))["executions"] == []
    by_tool = asked(server.get("/executions?text=charge", api_key=observer))["executions"]
    assert {each["channel_id"] for each in by_tool} == {planted["channel_id"], planted["child"]}


def test_what_a_run_spent_is_told_to_readers(server: RunningServer) -> None:
    """It stands in what the run recorded."""
    channel_id = new_channel()
    server.record(channel_id, payload={"usage": {"input_tokens": 7}})
    for granted, tokens in (({"read": (channel_id,)}, 7), ({"observe": (channel_id,)}, None)):
        [run] = asked(server.get("/runs", api_key=make_key(server, **granted)))["runs"]
        assert (run["tokens"] and run["tokens"]["input"]) == tokens


def test_across_channels_each_is_judged_by_itself(server: RunningServer, planted: dict[str, str]) -> None:
    """What may be read comes whole, beside what may only be seen."""
    mixed = make_key(server, observe=(f"{planted['channel_id']}*",), read=(planted["child"],))
    events = asked(server.post("/events/query", {"limit": 1000}, api_key=mixed))["events"]
    whole = {event["channel_id"] for event in events if "redacted" not in event}
    redacted = {event["channel_id"] for event in events if "redacted" in event}
    assert (whole, redacted) == ({planted["child"]}, {planted["channel_id"]})


def test_a_stream_is_redacted(server: RunningServer, planted: dict[str, str], observer: str) -> None:
    """Every event comes, the stored ones and the live one, and none says anything."""
    channel = planted["channel_id"]
    newest = asked(server.get(f"/events/cursor/{channel}"))["latest_cursor"]
    url = f"{server.url}/api/v1/events/stream/{channel}?cursor=0"
    answer = server.pool.request("GET", url, headers={"x-api-key": observer}, preload_content=False)
    assert answer.status == 200
    asked(server.record(channel, "note", HIDDEN))
    lines = (line for line in answer if line.startswith(b"data:"))
    events = [json.loads(next(lines)[5:]) for _ in range(newest + 1)]
    answer.close()
    assert [event["cursor"] for event in events] == list(range(1, newest + 2))
    assert all(event["redacted"] and event["metadata"] is None for event in events)
    assert SECRET not in str(events)
    assert any(event["payload"].get("key_name") == "lost" for event in events)


def test_an_experiment_shows_each_member_by_its_own_right(
    server: RunningServer, planted: dict[str, str]
) -> None:
    """What is said of all of them is for who may read one."""
    unseen = new_channel()
    group_id = asked(server.post("/experiments", {"name": "seen", "description": SECRET}))["group_id"]
    server.record(unseen)
    for channel in (planted["channel_id"], planted["child"], unseen):
        server.request("PATCH", f"/api/v1/channels/{channel}/outcome", {"outcome": "rejected", "score": 0.5})
        member = {"channel_id": channel, "declared_delta": HIDDEN}
        asked(server.post(f"/experiments/{group_id}/members", member))
    here, child = (planted["channel_id"],), (planted["child"],)

    observed = asked(server.get(f"/experiments/{group_id}", api_key=make_key(server, observe=here)))
    assert (observed["name"], observed["description"], observed["redacted"]) == ("seen", None, True)
    [member] = observed["members"]
    assert (member["outcome"], member["result_score"], member["redacted"]) == ("rejected", None, True)

    mixed = asked(server.get(f"/experiments/{group_id}", api_key=make_key(server, observe=here, read=child)))
    assert (mixed["description"], "redacted" in mixed) == (SECRET, False)
    assert [each["declared_delta"] for each in mixed["members"]] == [None, HIDDEN]
    assert [each["result_score"] for each in mixed["members"]] == [None, 0.5]

    stranger = make_key(server, observe=("elsewhere",))
    assert server.get(f"/experiments/{group_id}", api_key=stranger).status == 404
    listed = asked(server.get("/experiments", api_key=stranger))["experiments"]
    assert group_id not in {each["group_id"] for each in listed}


def test_who_sees_a_consumer_group_is_told_that_they_may_not_consume(
    server: RunningServer, planted: dict[str, str]
) -> None:
    """To who may not see it, there is no such group."""
    path, body = f"/groups/{planted['consumers']}/work", {"consumer_id": "c"}
    elsewhere = {"read": ("elsewhere",), "write": ("elsewhere",)}
    observer = make_key(server, observe=(planted["channel_id"],), **elsewhere)
    assert server.post(path, body, api_key=observer).status == 403
    assert server.post(path, body, api_key=make_key(server, **elsewhere)).status == 409


def test_wakeups_of_all_channels_are_those_that_may_be_seen(
    server: RunningServer, planted: dict[str, str], channel: str
) -> None:
    """Each whole or not by the right to its channel, and pages go on from what was seen."""
    other = {"channel_id": channel, "run_at": "2098-01-01T00:00:00Z", "payload": HIDDEN}
    asked(server.post("/scheduler/wakeups", other))
    mixed = make_key(server, observe=(f"{planted['channel_id']}*",), read=(channel,))
    first, second = asked(server.get("/scheduler/wakeups", api_key=mixed))["wakeups"]
    assert (first["channel_id"], first["payload"], "redacted" in first) == (channel, HIDDEN, False)
    assert (second["channel_id"], second["payload"]) == (planted["channel_id"], None)
    assert (second["status"], second["redacted"]) == ("pending", True)
    rest = asked(server.get(f"/scheduler/wakeups?after={second['id']}", api_key=mixed))["wakeups"]
    assert rest == []


def test_a_causal_graph_ends_where_the_right_ends(server: RunningServer, planted: dict[str, str]) -> None:
    """An event that may be seen, without what it says; one that may not is not there."""
    child = planted["child"]
    path = f"/events/{planted['event_id']}/causal-graph"
    assert server.get(path, api_key=make_key(server, observe=(child,))).status == 404
    late = asked(
        server.record(child, "note", HIDDEN, metadata={"actor": "a"}, depends_on=planted["event_id"])
    )
    seen = make_key(server, observe=(child,))
    graph = asked(server.get(f"/events/{late['event']['id']}/causal-graph", api_key=seen))
    [event] = graph["events"]
    assert (event["channel_id"], event["payload"], event["redacted"]) == (child, {}, True)


@pytest.mark.parametrize(
    ("permissions", "sees"),
    [
        (Permissions(observe=("run-*",)), True),
        (Permissions(read=("run-*",)), True),
        (Permissions(admin=("run-*",)), True),
        (EVERYTHING, True),
        (Permissions(write=("run-*",), delete=("run-*",)), False),
        (Permissions(observe=("other-*",)), False),
    ],
)
def test_who_may_read_may_observe(permissions: Permissions, sees: bool) -> None:
    """Not the other way round, and neither is part of writing."""
    assert permissions.allows("observe", "run-1") == sees
    assert permissions.covers("observe", "run-*") == sees
    assert not Permissions(observe=("*",)).allows("read", "run-1")
