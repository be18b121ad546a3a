"""Effects on forks: match, mismatch and miss under each policy, and what a refusal leaves behind."""

from typing import Any

import pytest

from tests.support.forking import effect, events_of, fork, step
from tests.support.server import RunningServer

CELLS = [
    # policy, key, params, answer, execution of the child's own
    ("auto", "charge:1", {"n": 1}, "replayed"),
    ("auto", "charge:1", {"n": 2}, "claimed"),
    ("auto", "charge:2", {"n": 1}, "claimed"),
    ("live", "charge:1", {"n": 1}, "claimed"),
    ("live", "charge:1", {"n": 2}, "claimed"),
    ("live", "charge:2", {"n": 1}, "claimed"),
    ("replay", "charge:1", {"n": 1}, "replayed"),
    ("replay", "charge:1", {"n": 2}, "fork_tool_blocked"),
    ("replay", "charge:2", {"n": 1}, "fork_tool_blocked"),
    ("block", "charge:1", {"n": 1}, "fork_tool_blocked"),
    ("block", "charge:1", {"n": 2}, "fork_tool_blocked"),
    ("block", "charge:2", {"n": 1}, "fork_tool_blocked"),
]


@pytest.mark.parametrize("named", ["charge", "*"])
@pytest.mark.parametrize(("policy", "key", "params", "answer"), CELLS)
def test_each_policy_says_what_a_claim_on_the_child_gets(
    server: RunningServer,
    channel: str,
    policy: str,
    key: str,
    params: dict[str, int],
    answer: str,
    named: str,
) -> None:
    """A replay makes no row and no event, a run makes both, a refusal leaves `tool.blocked` alone."""
    effect(server, channel, "charge:1", result={"paid": 1}, params={"n": 1})
    child = f"{channel}.b"
    fork(server, channel, child, tool_policies={named: policy})
    claimed = server.claim(child, key, params=params)
    assert claimed.body["status"] == answer
    types = [event["type"] for event in events_of(server, child)[1:]]
    own = server.get(f"/executions?channel_id={child}").body["executions"]
    if answer == "replayed":
        assert claimed.body["result"] == {"paid": 1}
        assert claimed.body["execution"]["channel_id"] == channel
        assert (types, own) == ([], [])
    elif answer == "claimed":
        assert types == ["tool.started"]
        assert [execution["key_name"] for execution in own] == [key]
    else:
        assert (claimed.status, types, own) == (409, ["tool.blocked"], [])
        blocked = events_of(server, child)[1]
        assert blocked["payload"]["policy"] == policy
        assert claimed.body["boundary"] == blocked["id"]


@pytest.mark.parametrize("first", ['"maybe"', "5", "null", '{"a":[]}', '"auto"'])
def test_of_a_tool_that_is_named_twice_the_last_policy_counts(
    server: RunningServer, channel: str, first: str
) -> None:
    """As it does wherever the policies are read; what stands before it is no defect of the claim."""
    step(server, channel, 1)
    child = f"{channel}.b"
    policies = f'{{"charge":{first},"charge":"block"}}'
    sent = (
        f'{{"source_channel_id":"{channel}","new_channel_id":"{child}","operation_id":"{child}",'
        f'"tool_policies":{policies}}}'
    )
    assert server.post("/channels/fork", None, raw=sent.encode()).status == 200
    assert server.get(f"/channels/{child}/receipt").body["tool_policies"] == {"charge": "block"}
    assert fork(server, channel, child, tool_policies={"charge": "block"}).body["replayed"] is True
    assert server.claim(child, "charge:1").body["status"] == "fork_tool_blocked"
    assert server.claim(child, "mail:1", tool_name="mail").body["status"] == "claimed"


def test_no_policy_is_auto(server: RunningServer, channel: str) -> None:
    """And a tool's own entry goes before that of the star."""
    effect(server, channel, "charge:1")
    fork(server, channel, f"{channel}.b")
    assert server.claim(f"{channel}.b", "charge:1").body["status"] == "replayed"
    fork(server, channel, f"{channel}.c", tool_policies={"*": "block", "charge": "auto"})
    assert server.claim(f"{channel}.c", "charge:1").body["status"] == "replayed"
    assert server.claim(f"{channel}.c", "mail:1", tool_name="mail").status == 409


def test_a_refusal_is_recorded_once_per_key_and_input(server: RunningServer, channel: str) -> None:
    """A retry loop does not flood the log, and always gets the same event's id."""
    step(server, channel, 1)
    child = f"{channel}.b"
    fork(server, channel, child, tool_policies={"*": "block"})
    boundaries = {server.claim(child, "k").body["boundary"] for _ in range(5)}
    assert len(boundaries) == 1
    server.claim(child, "k", params={"n": 2})
    server.claim(child, "l")
    types = [event["type"] for event in events_of(server, child)]
    assert types == ["fork.started", *["tool.blocked"] * 3]


def test_an_inherited_replay_is_told_once_where_it_is_wished(server: RunningServer, channel: str) -> None:
    """On the child's log, once per key."""
    effect(server, channel, "charge:1")
    child = f"{channel}.b"
    fork(server, channel, child)
    for _ in range(3):
        assert server.claim(child, "charge:1", emit_replay_event=True).body["status"] == "replayed"
    assert [event["type"] for event in events_of(server, child)] == ["fork.started", "tool.replayed"]


def test_what_the_child_ran_itself_is_its_own(server: RunningServer, channel: str) -> None:
    """From then on its row decides, and other input under the key is a mismatch."""
    effect(server, channel, "charge:1", result="parent's", params={"n": 1})
    child = f"{channel}.b"
    fork(server, channel, child)
    effect(server, child, "charge:1", result="child's", params={"n": 2})
    assert server.claim(child, "charge:1", params={"n": 2}).body["result"] == "child's"
    assert server.claim(child, "charge:1", params={"n": 1}).body["status"] == "idempotency_key_mismatch"
    assert server.claim(channel, "charge:1", params={"n": 1}).body["result"] == "parent's"


def test_the_nearest_ancestor_decides(server: RunningServer, channel: str) -> None:
    """A grandchild inherits what its parent ran anew, not what the grandparent had."""
    effect(server, channel, "charge:1", result="old")
    child, grandchild = f"{channel}.b", f"{channel}.c"
    fork(server, channel, child, tool_policies={"charge": "live"})
    effect(server, child, "charge:1", result="new")
    fork(server, child, grandchild)
    assert server.claim(grandchild, "charge:1").body["result"] == "new"


def test_policies_are_not_inherited(server: RunningServer, channel: str) -> None:
    """A fork without policies of its own is `auto`."""
    step(server, channel, 1)
    child, grandchild = f"{channel}.b", f"{channel}.c"
    fork(server, channel, child, tool_policies={"*": "block"})
    fork(server, child, grandchild, 1)
    assert server.claim(grandchild, "k").body["status"] == "claimed"


def test_the_session_fence_is_exempt(server: RunningServer, channel: str) -> None:
    """Or `{"*": "block"}` would lock sessions out of their own fork."""
    step(server, channel, 1)
    child = f"{channel}.b"
    fork(server, channel, child, tool_policies={"*": "block"})
    fence: dict[str, Any] = {"tool_name": "agent.session", "params": {}}
    assert server.claim(child, "__session_lock__", **fence).body["status"] == "claimed"
    assert len(events_of(server, child)) == 1


def test_an_echo_of_policies_and_manifest_is_exact(server: RunningServer, channel: str) -> None:
    """Receipt and metadata hold what was sent, without defaults filled in."""
    step(server, channel, 1)
    child = f"{channel}.b"
    sent = {"tool_policies": {"mail": "block"}, "manifest": {"seed": 1, "big": 2**70}}
    fork(server, channel, child, **sent)
    for place in ("receipt", "metadata"):
        shown = server.get(f"/channels/{child}/{place}").body
        assert {name: shown[name] for name in sent} == sent
    fork(server, channel, f"{channel}.c")
    assert server.get(f"/channels/{channel}.c/receipt").body["tool_policies"] is None


def test_promotion_appends_to_the_parent(server: RunningServer, channel: str) -> None:
    """The child's state becomes a new snapshot there; repeating returns the first result."""
    cursor = step(server, channel, 1)
    child = f"{channel}.b"
    fork(server, channel, child, cursor)
    step(server, child, 2)
    step(server, channel, 2)
    before = events_of(server, channel)
    promoted = server.post(f"/channels/{child}/promote", None)
    assert promoted.status == 200
    after = events_of(server, channel)
    assert after[:-1] == before
    assert (after[-1]["type"], after[-1]["id"]) == ("fork.promoted", promoted.body["event_id"])
    assert after[-1]["depends_on"] == events_of(server, child)[-1]["id"]
    assert server.get(f"/state/{channel}").body["state"] == {"after": 2}
    assert server.get(f"/state/{channel}").body["cursor"] == promoted.body["cursor"]
    again = server.post(f"/channels/{child}/promote", None).body
    assert again == {**promoted.body, "replayed": True}
    assert server.get(f"/channels/{child}/metadata").body["outcome"] == "promoted"
    assert server.post(f"/channels/{channel}/promote", None).body["status"] == "not_a_fork"
    assert server.get(f"/events/verify/{channel}").body["valid"] is True
    assert step(server, channel, 3) == after[-1]["cursor"] + 1


def test_an_outcome_keeps_its_score_until_a_new_one_is_given(server: RunningServer, channel: str) -> None:
    """On roots too, and without an event."""
    step(server, channel, 1)
    path = f"/api/v1/channels/{channel}/outcome"
    assert server.request("PATCH", path, {"outcome": "inconclusive", "score": 0.5}).status == 200
    assert server.request("PATCH", path, {"outcome": "crashed"}).body["result_score"] == 0.5
    assert server.request("PATCH", path, {"outcome": "great"}).body["field"] == "outcome"
    assert server.request("PATCH", "/api/v1/channels/nowhere/outcome", {"outcome": "crashed"}).status == 404
    assert len(events_of(server, channel)) == 1


def test_a_deleted_run_takes_no_outcome(server: RunningServer, channel: str) -> None:
    """It is told as gone, like to every other write, and not as never there."""
    step(server, channel, 1)
    assert server.request("DELETE", f"/api/v1/channels/{channel}?recursive=false").status == 200
    for outcome in ("rejected", None):
        refused = server.request("PATCH", f"/api/v1/channels/{channel}/outcome", {"outcome": outcome})
        assert (refused.status, refused.body["status"]) == (409, "channel_deleted")
    assert server.get(f"/channels/{channel}/metadata").body["outcome"] is None
