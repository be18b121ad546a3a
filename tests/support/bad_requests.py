"""Requests that a server must refuse, and the field that it must name."""

from typing import Any, NamedTuple

AUTHOR = {"actor": "test"}
UUID = "0199c4a1-7b52-7cc3-9d0e-5a4f3b2c1d0e"
CHANNEL = "CHANNEL"  # stands for the test's own channel


class Case(NamedTuple):
    """A request that is refused, and how."""

    name: str
    method: str
    path: str
    body: Any
    field: str | None
    code: str = "invalid_request"
    status: int = 400


def claim(name: str, field: str | None, *, code: str = "invalid_request", **changes: Any) -> Case:
    """A claim that is good but for the changes."""
    good = {"channel_id": CHANNEL, "key_name": "k", "tool_name": "charge", "params": {"n": 1}}
    return Case(f"claim: {name}", "POST", "/executions/claim", {**good, **changes}, field, code)


def record(name: str, field: str | None, **changes: Any) -> Case:
    """A record that is good but for the changes."""
    good = {"channel_id": CHANNEL, "event_type": "note", "payload": None, "metadata": AUTHOR}
    return Case(f"record: {name}", "POST", "/events/record", {**good, **changes}, field)


OPERATION = {"key_name": "k", "tool_name": "charge", "params": {"n": 1}}


def request(name: str, field: str, **changes: Any) -> Case:
    """A request for approval that is good but for the changes."""
    fields = {"request_id": "r1", "operation": OPERATION, **changes}
    payload = {key: value for key, value in fields.items() if value is not ...}
    return record(f"approval: {name}", f"payload.{field}", event_type="approval.requested", payload=payload)


def operation(name: str, field: str, **changes: Any) -> Case:
    """The same, with changes to the operation that it asks about."""
    fields = {key: value for key, value in {**OPERATION, **changes}.items() if value is not ...}
    return request(name, f"operation.{field}", operation=fields)


def transition(name: str, field: str | None, **changes: Any) -> Case:
    """A transition that is good but for the changes."""
    good = {"channel_id": CHANNEL, "type": "note", "payload": None, "state": {}, "metadata": AUTHOR}
    return Case(f"transition: {name}", "POST", "/events/transition", {**good, **changes}, field)


def save(name: str, field: str | None, **changes: Any) -> Case:
    """A save that is good but for the changes."""
    return Case(f"save: {name}", "POST", f"/state/{CHANNEL}", {"cursor": 0, "state": {}, **changes}, field)


def query(name: str, field: str | None, **changes: Any) -> Case:
    """A query that is good but for the changes."""
    return Case(f"query: {name}", "POST", "/events/query", {"channel_ids": [CHANNEL], **changes}, field)


def get(name: str, path: str, field: str | None, code: str = "invalid_request", status: int = 400) -> Case:
    """A read of something that cannot be read."""
    return Case(f"get: {name}", "GET", path, None, field, code, status)


def settle(name: str, verb: str, body: Any, field: str | None, code: str = "invalid_request") -> Case:
    """A call on an operation that is not there, so a good one would be a 404."""
    return Case(f"{verb}: {name}", "POST", f"/executions/{CHANNEL}~{'0' * 32}/{verb}", body, field, code)


def consume(name: str, verb: str, field: str | None, **changes: Any) -> Case:
    """A consumer's call that is good but for the changes; there is no such group, so a good one is a 409."""
    body = {"consumer_id": "worker-1", "cursor": 0, **changes}
    return Case(f"{verb}: {name}", "POST", f"/groups/{CHANNEL}/{verb}", body, field)


BAD_IDS = {
    "two dots": "..",
    "one dot": ".",
    "trailing newline": "run\n",
    "257 bytes": "a" * 257,
    "empty": "",
    "slash": "a/b",
    "not ASCII": "läuft",
    "space": "a b",
    "NUL": "a\0",
    "half of a surrogate pair": "\ud83d",
}

CASES = [
    *(claim(f"channel id, {name}", "channel_id", channel_id=value) for name, value in BAD_IDS.items()),
    *(record(f"channel id, {name}", "channel_id", channel_id=value) for name, value in BAD_IDS.items()),
    *(transition(f"channel id, {name}", "channel_id", channel_id=value) for name, value in BAD_IDS.items()),
    claim("channel id, a number", "channel_id", channel_id=5),
    claim("channel id, null", "channel_id", channel_id=None),
    claim("negative lease", "lease_seconds", lease_seconds=-1),
    claim("no lease", "lease_seconds", lease_seconds=0),
    claim("lease of more than a day", "lease_seconds", lease_seconds=86_401),
    claim("lease beyond 64 bits", "lease_seconds", lease_seconds=2**64),
    claim("lease of half seconds", "lease_seconds", lease_seconds=1.5),
    claim("lease as text", "lease_seconds", lease_seconds="60"),
    claim("empty key", "key_name", key_name=""),
    claim("key of 1,025 characters", "key_name", key_name="k" * 1025),
    claim("NUL in the key", "key_name", key_name="k\0"),
    claim("half of a surrogate pair in the key", "key_name", key_name="k\ud800"),
    claim("tool name, a number", "tool_name", tool_name=5),
    claim("flag as text", "emit_replay_event", emit_replay_event="yes"),
    claim("dedup over a list", "params", params=[1], dedup_fields=["n"]),
    claim("dedup over text", "params", params="n", dedup_fields=["n"]),
    claim("dedup over no params", "params", params=None, dedup_fields=["n"]),
    claim("dedup over nothing", "dedup_fields", dedup_fields=[]),
    claim("dedup over absent fields", "dedup_fields", dedup_fields=["absent"]),
    claim("dedup fields, text", "dedup_fields", dedup_fields="n"),
    claim("dedup fields, a number among them", "dedup_fields[1]", dedup_fields=["n", 5]),
    record("no payload", "payload", payload=...),
    record("no event type", "event_type", event_type=...),
    record("empty event type", "event_type", event_type=""),
    record("NUL in the event type", "event_type", event_type="a\0"),
    record("no metadata", "metadata", metadata=...),
    record("no actor", "metadata.actor", metadata={}),
    record("actor, a number", "metadata.actor", metadata={"actor": 5}),
    record("NUL in the agent", "metadata.agent_id", metadata={**AUTHOR, "agent_id": "\0"}),
    record("own metadata, a list", "metadata.metadata", metadata={**AUTHOR, "metadata": []}),
    record("step zero", "step_number", step_number=0),
    record("step as text", "step_number", step_number="1"),
    record("step beyond 63 bits", "step_number", step_number=2**63),
    record("empty operation id", "operation_id", operation_id=""),
    record("operation id of 257 characters", "operation_id", operation_id="o" * 257),
    record("dependency, no object", "dependencies[0]", dependencies=[UUID]),
    record("dependency, no UUID", "dependencies[0].event_id", dependencies=[{"event_id": "x"}]),
    record("dependency on no event", "dependencies[0].event_id", dependencies=[{"event_id": UUID}]),
    request("no request id", "request_id", request_id=...),
    request("request id, a number", "request_id", request_id=5),
    request("empty request id", "request_id", request_id=""),
    request("request id of 257 characters", "request_id", request_id="r" * 257),
    request("NUL in the request id", "request_id", request_id="r\0"),
    request("deadline in the past", "timeout_seconds", timeout_seconds=0),
    request("deadline as text", "timeout_seconds", timeout_seconds="1h"),
    request("deadline beyond all bounds", "timeout_seconds", timeout_seconds=1e300),
    request("operation, its key alone", "operation", operation="charge:1"),
    request("operation, nothing in it", "operation.key_name", operation={}),
    operation("no key", "key_name", key_name=...),
    operation("empty key", "key_name", key_name=""),
    operation("key of 1,025 characters", "key_name", key_name="k" * 1025),
    operation("NUL in the key", "key_name", key_name="k\0"),
    operation("half of a surrogate pair in the key", "key_name", key_name="k\ud800"),
    operation("the session fence", "key_name", key_name="__session_lock__"),
    operation("no tool", "tool_name", tool_name=...),
    operation("tool, a number", "tool_name", tool_name=5),
    operation("dedup over a list", "params", params=[1], dedup_fields=["n"]),
    operation("dedup over nothing", "dedup_fields", dedup_fields=[]),
    operation("dedup over absent fields", "dedup_fields", dedup_fields=["absent"]),
    operation("dedup fields, text", "dedup_fields", dedup_fields="n"),
    request("binding fields, text", "approval_fields", approval_fields="n"),
    request("binding nothing", "approval_fields", approval_fields=[]),
    request("binding absent fields", "approval_fields", approval_fields=["absent"]),
    claim("insisting as text", "requires_approval", requires_approval="yes"),
    claim("empty approval", "approval_request_id", approval_request_id=""),
    transition("no state", "state", state=...),
    transition("no type", "type", type=...),
    transition("negative version", "expected_version", expected_version=-1),
    transition("cursor as text", "expected_cursor", expected_cursor="1"),
    save("negative cursor", "cursor", cursor=-1),
    save("cursor beyond 63 bits", "cursor", cursor=2**63),
    save("no cursor", "cursor", cursor=...),
    save("no state", "state", state=...),
    save("another channel", "channel_id", channel_id="another"),
    query("limit as text", "limit", limit="10"),
    query("channels, text", "channel_ids", channel_ids=CHANNEL),
    query("moment without an offset", "from", **{"from": "2026-08-05T12:00:00"}),
    query("moment, a day", "to", to="2026-08-05"),
    query("NUL in the actor", "actor", actor="\0"),
    query("negative offset", "offset", offset=-1),
    *(
        Case(f"group: id, {name}", "POST", "/groups", {"group_id": value, "channel_id": CHANNEL}, "group_id")
        for name, value in BAD_IDS.items()
    ),
    *(consume(f"consumer id, {name}", "join", "consumer_id", consumer_id=v) for name, v in BAD_IDS.items()),
    Case("group: no channel", "POST", "/groups", {"group_id": "g"}, "channel_id"),
    Case("group: two dots", "POST", "/groups", {"group_id": "g", "channel_id": ".."}, "channel_id"),
    Case(
        "group: metadata, a list",
        "POST",
        "/groups",
        {"group_id": "g", "channel_id": CHANNEL, "metadata": []},
        "metadata",
    ),
    consume("no consumer", "work", "consumer_id", consumer_id=...),
    consume("negative limit", "work", "limit", limit=-1),
    consume("limit as text", "work", "limit", limit="10"),
    consume("limit of half events", "work", "limit", limit=1.5),
    consume("no lease", "join", "lease_seconds", lease_seconds=0),
    consume("lease of more than a day", "join", "lease_seconds", lease_seconds=86_401),
    consume("lease beyond 64 bits", "heartbeat", "lease_seconds", lease_seconds=2**64),
    consume("no cursor", "ack", "cursor", cursor=...),
    consume("negative cursor", "ack", "cursor", cursor=-1),
    consume("cursor beyond 63 bits", "ack", "cursor", cursor=2**63),
    consume("empty operation id", "ack", "operation_id", operation_id=""),
    *(
        consume(f"no such group, {verb}", verb, None)._replace(code="consumer_not_found", status=409)
        for verb in ("join", "work", "ack", "heartbeat")
    ),
    get("offsets of no group", f"/groups/{CHANNEL}/offsets", None, "group_not_found", 404),
    get("offsets of two dots", "/groups/%2e%2e/offsets", "group_id"),
    get("groups of a bad channel", "/groups?channel_id=a%20b", "channel_id"),
    get("groups, negative limit", "/groups?limit=-1", "limit"),
    get("groups, NUL", "/groups?after=%00", "after"),
    Case("delete: no such group", "DELETE", f"/groups/{CHANNEL}", None, None, "group_not_found", 404),
    get("limit as text", f"/events/replay/{CHANNEL}?limit=ten", "limit"),
    get("cursor, the word null", f"/events/replay/{CHANNEL}?cursor=null", "cursor"),
    get("two cursors", f"/events/replay/{CHANNEL}?cursor=1&cursor=2", "cursor"),
    get("NUL in the query", f"/events/replay/{CHANNEL}?event_type=%00", "event_type"),
    get("query, bad UTF-8", f"/events/replay/{CHANNEL}?event_type=%ff", None),
    get("negative limit", "/channels?limit=-1", "limit"),
    Case(
        "delete: neither true nor false", "DELETE", f"/channels/{CHANNEL}?recursive=maybe", None, "recursive"
    ),
    get("replay of two dots", "/events/replay/%2e%2e", "channel_id"),
    get("cursor of a newline", "/events/cursor/run%0a", "channel_id"),
    get("metadata of 257 bytes", f"/channels/{'a' * 257}/metadata", "channel_id"),
    get("step zero", f"/channels/{CHANNEL}/steps/0", "step_number"),
    get("step, no number", f"/channels/{CHANNEL}/steps/one", "step_number"),
    get("version, negative", f"/state/{CHANNEL}/version/-1", "version"),
    get("version, an Arabic digit", f"/state/{CHANNEL}/version/%D9%A1", "version"),
    get("graph of no UUID", "/events/x/causal-graph", "event_id"),
    get("graph of no event", f"/events/{UUID}/causal-graph", None, "event_not_found", 404),
    get("operations of a bad channel", "/executions?channel_id=a%20b", "channel_id"),
    get("approvals of no status", "/approvals?status=open", "status"),
    get("an approval of no channel", "/approvals?request_id=r1", "channel_id"),
    get("approvals before no event", "/approvals?before=x", "before"),
    get("approvals of a bad channel", "/approvals?channel_id=a%20b", "channel_id"),
    get("NUL in a request id", f"/approvals?channel_id={CHANNEL}&request_id=%00", "request_id"),
    get("operation, no id", "/executions/%00", None, "execution_not_found", 404),
    get("a path with a slash in an id", "/channels/a%2Fb/metadata", None, "not_found", 404),
    settle("token, a number", "complete", {"claim_token": 5}, "claim_token"),
    settle("body, a list", "complete", [], None),
    settle("no message", "fail", {}, "message"),
    settle("message, a number", "fail", {"message": 5}, "message"),
    settle("stack, an object", "fail", {"message": "m", "stack": {}}, "stack"),
    settle("negative lease", "heartbeat", {"lease_seconds": -1}, "lease_seconds"),
    settle("huge lease", "heartbeat", {"lease_seconds": 10**30}, "lease_seconds"),
    Case(
        "complete: no such operation",
        "POST",
        f"/executions/{CHANNEL}~{'0' * 32}/complete",
        {},
        None,
        "execution_not_found",
        404,
    ),
    Case(
        "metadata: name, a number",
        "PUT",
        f"/channels/{CHANNEL}/metadata",
        {"display_name": 5},
        "display_name",
    ),
    Case("metadata: NUL", "PUT", f"/channels/{CHANNEL}/metadata", {"reason": "\0"}, "reason"),
    Case(
        "metadata: experiment, a list",
        "PUT",
        f"/channels/{CHANNEL}/metadata",
        {"experiment_metadata": []},
        "experiment_metadata",
    ),
]
