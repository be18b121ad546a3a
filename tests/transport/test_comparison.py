"""Two channels side by side: a run of nine steps, forked at step 5, and what differs then."""

from typing import Any

import pytest

from tests.support.forking import effect, events_of, fork, step
from tests.support.keys import make_key
from tests.support.server import RunningServer
from tests.support.wire import Wire


def save(server: RunningServer, channel: str, cursor: int, state: Any) -> None:
    """A snapshot."""
    assert server.post(f"/state/{channel}", {"cursor": cursor, "state": state}).status == 200


def diff(server: RunningServer, left: str, right: str, **options: Any) -> Any:
    """The reply to a diff."""
    reply = server.get(f"/channels/diff?left={left}&right={right}", **options)
    assert reply.status == 200, reply
    return reply.body


def compare(server: RunningServer, left: str, right: str) -> Any:
    """The reply to a comparison."""
    reply = server.get(f"/channels/compare?left={left}&right={right}")
    assert reply.status == 200, reply
    return reply.body


def entry(path: list[str], kind: str, left: Any, right: Any) -> dict[str, Any]:
    """One entry of a diff."""
    return {"path": path, "kind": kind, "left": left, "right": right}


def test_unrelated_channels_are_compared_by_their_latest_states(server: RunningServer, channel: str) -> None:
    """Path by path; they have nothing in common."""
    other = f"{channel}.other"
    save(server, channel, 0, {"old": True})
    save(server, channel, 3, {"a": 1, "list": [1, 2], "gone": {"x": 1}, "n": 1.0})
    save(server, other, 2, {"a": 2, "list": [1, 2, 3], "new": None, "n": 1})
    found = diff(server, channel, other)
    assert (found["left_channel_id"], found["right_channel_id"]) == (channel, other)
    assert found["left"] == {
        "channel_id": channel,
        "cursor": 3,
        "state": {"a": 1, "list": [1, 2], "gone": {"x": 1}, "n": 1.0},
    }
    assert found["right"]["cursor"] == 2
    assert found["entries"] == [
        entry(["a"], "changed", 1, 2),
        entry(["gone"], "removed", {"x": 1}, None),
        entry(["list", "2"], "added", None, 3),
        entry(["new"], "added", None, None),
    ]
    assert (found["truncated"], found["entry_count_total"], found["max_entries"]) == (False, 4, 500)
    assert found["common"] is found["left_diverged_at_cursor"] is found["right_diverged_at_cursor"] is None


def test_a_fork_and_its_parent_have_the_forked_state_in_common(server: RunningServer, channel: str) -> None:
    """The divergence is where the child left, in the parent's numbering; the parent itself did not leave."""
    cursors = {number: step(server, channel, number) for number in range(1, 10)}
    child = f"{channel}.b"
    fork(server, channel, child, cursors[5])
    step(server, child, 6, "changed")
    found = diff(server, channel, child)
    assert found["common"] == {"channel_id": channel, "cursor": cursors[5], "state": {"after": 5}}
    assert (found["left_diverged_at_cursor"], found["right_diverged_at_cursor"]) == (None, cursors[5])
    assert found["entries"] == [entry(["after"], "changed", 9, 6)]
    mirrored = diff(server, child, channel)
    assert mirrored["common"] == found["common"]
    assert (mirrored["left_diverged_at_cursor"], mirrored["right_diverged_at_cursor"]) == (cursors[5], None)


def test_siblings_that_left_at_different_points_share_the_earlier_state(
    server: RunningServer, channel: str
) -> None:
    """Also when one of them is a fork of a fork: what counts is where its branch left the ancestor."""
    cursors = {number: step(server, channel, number) for number in range(1, 8)}
    early, late, deep = f"{channel}.early", f"{channel}.late", f"{channel}.deep"
    fork(server, channel, early, cursors[2])
    fork(server, channel, late, cursors[6])
    step(server, late, 7)
    fork(server, late, deep)
    for left, right, diverged in (
        (early, late, (cursors[2], cursors[6])),
        (early, deep, (cursors[2], cursors[6])),
        (deep, early, (cursors[6], cursors[2])),
    ):
        found = diff(server, left, right)
        assert (found["left_diverged_at_cursor"], found["right_diverged_at_cursor"]) == diverged
        assert found["common"] == {"channel_id": channel, "cursor": cursors[2], "state": {"after": 2}}
    inner = diff(server, late, deep)
    assert inner["common"] == {"channel_id": late, "cursor": 2, "state": {"after": 7}}
    assert (inner["left_diverged_at_cursor"], inner["right_diverged_at_cursor"]) == (None, 2)


def test_the_divergence_is_the_snapshot_and_not_the_cursor_that_was_asked_for(
    server: RunningServer, channel: str
) -> None:
    """Of several snapshots at one cursor, the one that was there when the fork was made."""
    first = step(server, channel, 1)
    server.record(channel)
    child = f"{channel}.b"
    fork(server, channel, child, first + 1)
    save(server, channel, first, {"after": "a second thought"})
    found = diff(server, channel, child)
    assert found["right_diverged_at_cursor"] == first
    assert found["common"] == {"channel_id": channel, "cursor": first, "state": {"after": 1}}


def test_a_channel_and_itself_differ_in_nothing(server: RunningServer, channel: str) -> None:
    """It is its own ancestor, as it is now."""
    step(server, channel, 1)
    found = diff(server, channel, channel)
    assert (found["entries"], found["entry_count_total"]) == ([], 0)
    assert found["common"] == found["left"] == found["right"]
    assert found["left_diverged_at_cursor"] is found["right_diverged_at_cursor"] is None


def test_a_channel_without_state_has_nothing_to_compare(server: RunningServer, channel: str) -> None:
    """Its side is null, and all of the other side was added. A fork of it has no state in common with it."""
    server.record(channel)
    child = f"{channel}.b"
    fork(server, channel, child)
    empty = diff(server, channel, child)
    assert empty["left"] == {"channel_id": channel, "cursor": None, "state": None}
    assert (empty["common"], empty["entries"], empty["right_diverged_at_cursor"]) == (None, [], 0)
    save(server, child, 1, {"a": 1})
    assert diff(server, channel, child)["entries"] == [entry([], "added", None, {"a": 1})]
    assert diff(server, child, channel)["entries"] == [entry([], "removed", {"a": 1}, None)]


def test_a_deleted_channel_is_an_empty_one(server: RunningServer, channel: str) -> None:
    """As in every other read."""
    step(server, channel, 1)
    fork(server, channel, f"{channel}.b")
    server.request("DELETE", f"/api/v1/channels/{channel}.b?recursive=false")
    found = diff(server, channel, f"{channel}.b")
    assert found["right"] == {"channel_id": f"{channel}.b", "cursor": None, "state": None}
    assert [each["kind"] for each in found["entries"]] == ["removed"]


def test_states_come_back_as_sent_and_entries_by_value(server: RunningServer, channel: str) -> None:
    """Halves of surrogate pairs, NUL and huge numbers included."""
    other = f"{channel}.other"
    left = rb'{"z":1.0,"\ud83d":"\u0000","n":12345678901234567890123456789012345678901234567890}'
    right = rb'{"z":1,"\ud83d":"\udc00","n":12345678901234567890123456789012345678901234567891}'
    with Wire(server) as wire:
        wire.post(f"/state/{channel}", b'{"cursor":0,"state":%b}' % left)
        wire.post(f"/state/{other}", b'{"cursor":0,"state":%b}' % right)
        reply = wire.send("GET", f"/api/v1/channels/diff?left={channel}&right={other}")
    assert reply.status == 200
    assert b'"state":' + left in reply.content
    assert b'"state":' + right in reply.content
    huge, half = reply.body["entries"]
    assert (huge["path"], huge["right"] - huge["left"]) == (["n"], 1)
    assert half == entry(["\ud83d"], "changed", "\0", "\udc00")


@pytest.fixture
def forked(server: RunningServer, channel: str) -> str:
    """A run with two effects, forked between them; the child inherits one and runs two itself."""
    step(server, channel, 1)
    effect(server, channel, "charge", result={"receipt": 1, "cost": 0.5})
    boundary = step(server, channel, 2)
    effect(server, channel, "mail", result={"cost": 0.25, "sent": True})
    step(server, channel, 3, "three")
    child = f"{channel}.b"
    manifest = {"model": "small", "seed": 1}
    policies = {"wire": "block"}
    fork(server, channel, child, boundary, manifest=manifest, tool_policies=policies)
    return child


def test_an_inherited_effect_is_shared_and_was_paid_once(
    server: RunningServer, channel: str, forked: str
) -> None:
    """One operation, in the ancestor's ledger; neither run nor billed again."""
    assert server.claim(forked, "charge", emit_replay_event=True).body["status"] == "replayed"
    found = compare(server, channel, forked)
    charge = server.get(f"/executions?channel_id={channel}").body["executions"][-1]["id"]
    assert found["tool_diff"]["same"] == {
        "charge": {
            "tool_name": "charge",
            "status": "completed",
            "shared": True,
            "left_id": charge,
            "right_id": charge,
        }
    }
    assert found["effects"]["left"] | {"blocked": None} == {
        "ran": 2,
        "inherited": 0,
        "replayed": [],
        "blocked": None,
        "truncated": False,
    }
    assert (found["effects"]["right"]["ran"], found["effects"]["right"]["inherited"]) == (0, 1)
    assert found["effects"]["right"]["replayed"] == ["charge"]
    assert found["metrics"]["left"]["cost"] == 0.75
    assert found["metrics"]["right"]["cost"] is None
    assert found["metrics"]["delta"]["cost"] == -0.75


def test_effects_are_sorted_by_what_became_of_them(server: RunningServer, channel: str, forked: str) -> None:
    """On one side alone, on both with another outcome, on both with the same."""
    effect(server, forked, "mail", result={"cost": 0.25, "sent": False})
    effect(server, forked, "new", result=1)
    effect(server, channel, "both", result={"a": 1, "b": 1.0})
    effect(server, forked, "both", result={"b": 1, "a": 1})
    effect(server, channel, "late", result="parent only")
    tools = compare(server, channel, forked)["tool_diff"]
    assert list(tools["left_only"]) == ["late"]
    assert list(tools["right_only"]) == ["new"]
    assert list(tools["same"]) == ["charge", "both"]
    assert tools["same"]["both"]["shared"] is False
    (changed,) = tools["changed"].values()
    assert changed["differs"] == ["result"]
    assert changed["left"]["result"] == {"cost": 0.25, "sent": True}
    assert changed["right"]["result"] == {"cost": 0.25, "sent": False}
    assert (changed["left"]["inherited"], changed["right"]["inherited"]) == (False, False)
    assert tools["truncated"] is False


def test_a_changed_call_says_in_what(server: RunningServer, channel: str) -> None:
    """Input, outcome or status."""
    other = f"{channel}.other"
    effect(server, channel, "input", params={"n": 1})
    effect(server, other, "input", params={"n": 2})
    effect(server, channel, "tool", tool_name="charge")
    effect(server, other, "tool", tool_name="refund")
    server.claim(channel, "status")
    effect(server, other, "status")
    changed = compare(server, channel, other)["tool_diff"]["changed"]
    assert {key: each["differs"] for key, each in changed.items()} == {
        "input": ["params"],
        "tool": ["tool_name"],
        "status": ["status", "result"],
    }


def test_blocked_calls_are_told(server: RunningServer, channel: str, forked: str) -> None:
    """Which call, by which policy, and where in the log."""
    refused = server.claim(forked, "wire", tool_name="wire")
    assert refused.body["status"] == "fork_tool_blocked"
    found = compare(server, channel, forked)
    (blocked,) = found["effects"]["right"]["blocked"]
    assert blocked == {
        "key_name": "wire",
        "tool_name": "wire",
        "policy": "block",
        "cursor": events_of(server, forked)[-1]["cursor"],
    }
    assert "wire" not in found["tool_diff"]["right_only"]


def test_the_session_fence_is_no_effect(server: RunningServer, channel: str) -> None:
    """It guards a session and pays for nothing."""
    other = f"{channel}.other"
    for each in (channel, other):
        server.claim(each, "__session_lock__", tool_name="agent.session", params={})
        server.record(each)
    found = compare(server, channel, other)
    assert found["effects"]["left"]["ran"] == 0
    assert found["tool_diff"]["same"] == found["tool_diff"]["changed"] == {}


def test_the_effects_of_a_fork_of_a_fork_come_from_all_ancestors(
    server: RunningServer, channel: str, forked: str
) -> None:
    """Up to each boundary, and of one key the nearest."""
    effect(server, forked, "mail", result="by the child")
    save(server, forked, 1, {})
    deep = f"{channel}.deep"
    fork(server, forked, deep)
    found = compare(server, channel, deep)
    assert found["effects"]["right"]["inherited"] == 2
    assert found["tool_diff"]["same"]["charge"]["shared"] is True
    mail = found["tool_diff"]["changed"]["mail"]["right"]
    assert (mail["channel_id"], mail["inherited"], mail["result"]) == (forked, True, "by the child")
    assert compare(server, forked, deep)["tool_diff"]["same"].keys() == {"charge", "mail"}


def test_manifests_and_outputs_are_compared(server: RunningServer, channel: str, forked: str) -> None:
    """An output is the last event but for those of the server and for the end of a session."""
    server.record(forked, "step", {"output": "other"})
    server.record(forked, "session.completed", {"session_name": forked, "total_steps": 4})
    effect(server, forked, "after the output")
    other = f"{channel}.c"
    fork(server, channel, other, manifest={"model": "large", "seed": 1})
    found = compare(server, forked, other)
    assert found["manifest_diff"]["entries"] == [entry(["model"], "changed", "small", "large")]
    assert found["output_diff"] == {"left": {"output": "other"}, "right": None, "equal": False}
    parent = compare(server, channel, forked)
    assert [each["kind"] for each in parent["manifest_diff"]["entries"]] == ["added"]
    assert parent["output_diff"]["left"]["output"] == "three"


def test_outputs_are_equal_by_value(server: RunningServer, channel: str) -> None:
    """And two runs that put nothing out are equal, too."""
    other = f"{channel}.other"
    effect(server, channel, "k")
    effect(server, other, "k")
    assert compare(server, channel, other)["output_diff"] == {"left": None, "right": None, "equal": True}
    with Wire(server) as wire:
        for each, payload in ((channel, b'{"a":1.0,"b":2}'), (other, b'{"b":2,"a":1}')):
            body = b'{"channel_id":"%b","event_type":"t","payload":%b,"metadata":{"actor":"a"}}'
            wire.post("/events/record", body % (each.encode(), payload))
    assert compare(server, channel, other)["output_diff"]["equal"] is True


def test_time_tokens_and_cost_are_summed(server: RunningServer, channel: str) -> None:
    """From payloads and metadata; a figure that nobody mentions is null."""
    other = f"{channel}.other"
    server.record(channel, payload={"latency_ms": 120, "usage": {"input_tokens": 10}})
    described = {"actor": "a", "metadata": {"latency_ms": 80, "cost": 0.1}}
    server.record(channel, payload="text", metadata=described)
    server.record(other, payload={"latency_ms": 250})
    metrics = compare(server, channel, other)["metrics"]
    assert metrics["left"] == {"latency_ms": 200, "input_tokens": 10, "output_tokens": None, "cost": 0.1}
    assert metrics["right"] == dict.fromkeys(metrics["left"]) | {"latency_ms": 250}
    assert metrics["delta"] == {"latency_ms": 50, "input_tokens": -10, "output_tokens": None, "cost": -0.1}


def test_a_long_log_is_summed_whole(server: RunningServer, channel: str) -> None:
    """Page by page, without the events that say nothing; one that only looks telling does no harm."""
    other = f"{channel}.other"
    server.record(other, "tool.blocked", "not ours")
    server.record(other, "tool.replayed", {"key_name": 5})
    event = {"channel_id": channel, "event_type": "t", "metadata": {"actor": "a"}}
    with Wire(server) as wire:
        for number in range(1_100):
            payload = {"cost": 1} if number % 11 else {"text": "no cost"}
            assert wire.post("/events/record", event | {"payload": payload}).status == 200
    found = compare(server, channel, other)
    assert found["metrics"]["left"]["cost"] == 1_000
    assert found["effects"]["right"]["blocked"] == found["effects"]["right"]["replayed"] == []


@pytest.mark.parametrize("route", ["diff", "compare"])
def test_both_channels_must_exist_and_be_named(server: RunningServer, channel: str, route: str) -> None:
    """404 for an unknown one, 400 for a missing or impossible one."""
    server.record(channel)
    for left, right in ((channel, "unknown-run"), ("unknown-run", channel)):
        refused = server.get(f"/channels/{route}?left={left}&right={right}")
        assert (refused.status, refused.body["status"]) == (404, "channel_not_found")
        assert refused.body["channel_id"] == "unknown-run"
    for query, field in ((f"left={channel}", "right"), (f"left={channel}&right=a%20b", "right")):
        refused = server.get(f"/channels/{route}?{query}")
        assert (refused.status, refused.body["field"]) == (400, field)


@pytest.mark.parametrize("route", ["diff", "compare"])
def test_both_channels_must_be_readable(server: RunningServer, channel: str, route: str) -> None:
    """Whichever of the two it is."""
    other = f"{channel}.other"
    server.record(channel)
    server.record(other)
    key = make_key(server, read=(channel,))
    for left, right in ((channel, other), (other, channel)):
        refused = server.get(f"/channels/{route}?left={left}&right={right}", api_key=key)
        assert (refused.status, refused.body["channel_id"]) == (403, other)


def test_a_common_ancestor_that_may_not_be_read_shows_no_state(server: RunningServer, channel: str) -> None:
    """The points of divergence do: they are in the receipts."""
    cursor = step(server, channel, 1)
    for name in ("b", "c"):
        fork(server, channel, f"{channel}.{name}")
    key = make_key(server, read=(f"{channel}.*",))
    found = diff(server, f"{channel}.b", f"{channel}.c", api_key=key)
    assert found["common"] is None
    assert (found["left_diverged_at_cursor"], found["right_diverged_at_cursor"]) == (cursor, cursor)
