"""Guards over HTTP: freezes, budgets and near-duplicates, as claims meet them."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from uuid import uuid4

import pytest

from tests.support.keys import make_key
from tests.support.server import Reply, RunningServer, new_channel

Guarded = Callable[..., Any]


@pytest.fixture
def tool() -> str:
    """A tool of this test's own, so that its guards look at nobody else's claims."""
    return f"tool-{uuid4().hex[:8]}"


@pytest.fixture
def guarded(server: RunningServer, tool: str) -> Iterator[Guarded]:
    """Adds a guard of the tool; it is removed at the end."""
    added: list[str] = []

    def add(kind: str, **fields: Any) -> Any:
        reply = server.post("/guards", {"kind": kind, "tool_name": tool, **fields})
        assert reply.status == 200, reply
        added.append(reply.body["guard_id"])
        return reply.body

    yield add
    for each in added:
        server.request("DELETE", f"/api/v1/guards/{each}")


def refused(reply: Reply, code: str) -> Any:
    """The body of a refusal with 409."""
    assert (reply.status, reply.body["status"]) == (409, code), reply
    return reply.body


def complete(server: RunningServer, claim: Reply, result: Any = "done") -> Reply:
    """Record the outcome of what was claimed."""
    body = {"claim_token": claim.body["claim_token"], "result": result}
    return server.post(f"/executions/{claim.body['execution']['id']}/complete", body)


def events_of(server: RunningServer, channel: str) -> list[Any]:
    """The log of a channel."""
    events: list[Any] = server.get(f"/events/replay/{channel}").body["events"]
    return events


def used(server: RunningServer, guard: Any) -> Any:
    """What is used of a budget now, by channel; None stands for all."""
    (found,) = [
        each for each in server.get("/guards").body["guards"] if each["guard_id"] == guard["guard_id"]
    ]
    return {each["channel_id"]: each["used"] for each in found["uses"]}


def test_a_frozen_tool_starts_nowhere_and_what_has_begun_may_finish(
    server: RunningServer, tool: str, channel: str, guarded: Guarded
) -> None:
    """Replays, live leases and outcomes go on; new claims and take-overs do not."""
    done = server.claim(channel, "done", tool_name=tool)
    complete(server, done)
    running = server.claim(channel, "running", tool_name=tool)
    failed = server.claim(channel, "failed", tool_name=tool)
    body = {"claim_token": failed.body["claim_token"], "message": "no"}
    assert server.post(f"/executions/{failed.body['execution']['id']}/fail", body).status == 200

    frozen = guarded("freeze", reason="the provider is down")

    answer = refused(server.claim(channel, "new", tool_name=tool), "tool_frozen")
    assert answer["guard_id"] == frozen["guard_id"]
    assert (answer["frozen_by"], answer["reason"]) == (frozen["created_by"], "the provider is down")
    assert answer["frozen_at"] == frozen["created_at"]
    refused(server.claim(channel, "failed", tool_name=tool), "tool_frozen")
    assert server.claim(channel, "done", tool_name=tool).body["status"] == "replayed"
    assert server.claim(channel, "running", tool_name=tool).body["status"] == "in_progress"
    assert complete(server, running).body["status"] == "completed"
    assert server.claim(channel, "other", tool_name=f"{tool}-2").body["status"] == "claimed"

    assert server.request("DELETE", f"/api/v1/guards/{frozen['guard_id']}").status == 200
    assert server.claim(channel, "new", tool_name=tool).body["status"] == "claimed"
    assert server.claim(channel, "failed", tool_name=tool).body["status"] == "reclaimed"


def test_a_budget_counts_new_operations(
    server: RunningServer, tool: str, channel: str, guarded: Guarded
) -> None:
    """Not their replays, take-overs and repetitions, and nothing that was refused."""
    guard = guarded("budget", limit=2)
    first = server.claim(channel, "a", tool_name=tool, attempt_id="one")
    assert server.claim(channel, "a", tool_name=tool, attempt_id="one").body == first.body
    body = {"claim_token": first.body["claim_token"], "message": "no"}
    server.post(f"/executions/{first.body['execution']['id']}/fail", body)
    assert server.claim(channel, "a", tool_name=tool).body["status"] == "reclaimed"
    assert used(server, guard) == {None: 1}
    assert server.claim(channel, "b", tool_name=tool).body["status"] == "claimed"
    answer = refused(server.claim(channel, "c", tool_name=tool), "budget_exceeded")
    assert (answer["limit"], answer["used"], answer["asked"]) == (2, 2, 1)
    assert (answer["guard_id"], answer["window_ends_at"]) == (guard["guard_id"], None)
    assert used(server, guard) == {None: 2}


def test_a_budget_adds_up_a_field_exactly(
    server: RunningServer, tool: str, channel: str, guarded: Guarded
) -> None:
    """Ten times a tenth is one, and not a bit less."""
    guard = guarded("budget", limit=1, field="amount")
    for number in range(10):
        claim = server.claim(channel, f"k{number}", tool_name=tool, params={"amount": 0.1})
        assert claim.body["status"] == "claimed"
    assert used(server, guard) == {None: 1.0}
    tiny = server.claim(channel, "tiny", tool_name=tool, params={"amount": 1e-30})
    assert refused(tiny, "budget_exceeded")["asked"] == 1e-30
    assert server.claim(channel, "free", tool_name=tool, params={"amount": 0}).body["status"] == "claimed"


@pytest.mark.parametrize("params", [{}, {"amount": "3"}, {"amount": None}, {"amount": -1}, [1], None, True])
def test_a_budget_refuses_what_it_cannot_add_up(
    server: RunningServer, tool: str, channel: str, guarded: Guarded, params: Any
) -> None:
    """With the path of the bad value; nothing starts."""
    guard = guarded("budget", limit=5, field="amount")
    reply = server.claim(channel, "a", tool_name=tool, params=params)
    assert (reply.status, reply.body["status"]) == (400, "invalid_request")
    assert (reply.body["field"], reply.body["guard_id"]) == ("params.amount", guard["guard_id"])
    assert used(server, guard) == {}
    assert server.get(f"/executions?channel_id={channel}").body["executions"] == []


def test_a_budget_may_be_each_channels_own(server: RunningServer, tool: str, guarded: Guarded) -> None:
    """Or shared by all channels of a pattern; others are not looked at."""
    prefix = new_channel("team")
    one, other, stranger = f"{prefix}-a", f"{prefix}-b", new_channel("else")
    guard = guarded("budget", limit=1, per_channel=True, channel_pattern=f"{prefix}-*")
    for channel in (one, other, stranger):
        assert server.claim(channel, "a", tool_name=tool).body["status"] == "claimed"
    refused(server.claim(one, "b", tool_name=tool), "budget_exceeded")
    assert server.claim(stranger, "b", tool_name=tool).body["status"] == "claimed"
    assert used(server, guard) == {one: 1, other: 1}
    guarded("budget", limit=1, channel_pattern=f"{prefix}-*")
    assert server.claim(f"{prefix}-c", "a", tool_name=tool).body["status"] == "claimed"
    refused(server.claim(f"{prefix}-d", "a", tool_name=tool), "budget_exceeded")


def test_a_refusal_by_one_budget_uses_nothing_of_another(
    server: RunningServer, tool: str, channel: str, guarded: Guarded
) -> None:
    """All are asked before any is used."""
    roomy, tight = guarded("budget", limit=100), guarded("budget", limit=1)
    assert server.claim(channel, "a", tool_name=tool).body["status"] == "claimed"
    assert (
        refused(server.claim(channel, "b", tool_name=tool), "budget_exceeded")["guard_id"]
        == (tight["guard_id"])
    )
    assert used(server, roomy) == {None: 1}


def test_a_near_duplicate_is_blocked(
    server: RunningServer, tool: str, channel: str, guarded: Guarded
) -> None:
    """The refusal names the operation that has the input; a failed one is no reason."""
    guard = guarded("near_duplicate", window_seconds=600)
    first = server.claim(channel, "first", tool_name=tool)
    answer = refused(server.claim(channel, "second", tool_name=tool), "near_duplicate")
    assert answer["execution_id"] == first.body["execution"]["id"]
    assert (answer["other_key_name"], answer["execution_status"]) == ("first", "running")
    assert (answer["guard_id"], answer["action"]) == (guard["guard_id"], "block")
    assert server.claim(channel, "first", tool_name=tool).body["status"] == "in_progress"
    assert server.claim(channel, "else", tool_name=tool, params={"n": 2}).body["status"] == "claimed"
    assert server.claim(new_channel(), "first", tool_name=tool).body["status"] == "claimed"
    body = {"claim_token": first.body["claim_token"], "message": "declined"}
    server.post(f"/executions/{first.body['execution']['id']}/fail", body)
    assert server.claim(channel, "second", tool_name=tool).body["status"] == "claimed"


def test_a_near_duplicate_is_told_of(
    server: RunningServer, tool: str, channel: str, guarded: Guarded
) -> None:
    """In the answer, and in an event beside the start."""
    guard = guarded("near_duplicate", window_seconds=600, action="warn")
    first = server.claim(channel, "first", tool_name=tool)
    assert "warnings" not in first.body
    complete(server, first)
    second = server.claim(channel, "second", tool_name=tool)
    assert second.body["status"] == "claimed"
    (warning,) = second.body["warnings"]
    assert warning.pop("claimed_at") == first.body["execution"]["created_at"]
    assert warning == {
        "code": "near_duplicate",
        "guard_id": guard["guard_id"],
        "execution_id": first.body["execution"]["id"],
        "other_key_name": "first",
        "execution_status": "completed",
    }
    told = events_of(server, channel)[-1]
    assert told["type"] == "tool.near_duplicate"
    assert told["payload"]["execution_id"] == second.body["execution"]["id"]
    assert told["payload"]["other"] == {
        "execution_id": first.body["execution"]["id"],
        "key_name": "first",
    }


def test_a_near_duplicate_by_fewer_fields_may_be_approved(
    server: RunningServer, tool: str, channel: str, guarded: Guarded
) -> None:
    """What is compared by guards, and what people have said yes to, need not be the same fields."""
    guarded("near_duplicate", window_seconds=600, action="ask")
    params = {"n": 1, "at": "08:00"}
    server.claim(channel, "first", tool_name=tool, params={**params, "at": "07:59"}, dedup_fields=["n"])
    second = partial(server.claim, channel, "second", tool_name=tool, dedup_fields=["n"])
    refused(second(params=params), "near_duplicate")
    operation = {"key_name": "second", "tool_name": tool, "params": params}
    server.record(channel, "approval.requested", {"request_id": "r", "operation": operation})
    server.record(channel, "approval.decided", {"request_id": "r", "decision": "approved"})
    refused(second(params={**params, "at": "08:01"}), "approval_mismatch")
    assert second(params=params).body["status"] == "claimed"


def test_a_near_duplicate_may_be_approved(
    server: RunningServer, tool: str, channel: str, guarded: Guarded
) -> None:
    """For its own key and its own input, and no other."""
    guarded("near_duplicate", window_seconds=600, action="ask")
    server.claim(channel, "first", tool_name=tool)
    assert refused(server.claim(channel, "second", tool_name=tool), "near_duplicate")["action"] == "ask"
    operation = {"key_name": "second", "tool_name": tool, "params": {"n": 1}}
    server.record(channel, "approval.requested", {"request_id": "r", "operation": operation})
    refused(server.claim(channel, "second", tool_name=tool), "approval_pending")
    server.record(channel, "approval.decided", {"request_id": "r", "decision": "approved"})
    refused(server.claim(channel, "third", tool_name=tool), "near_duplicate")
    assert server.claim(channel, "second", tool_name=tool).body["status"] == "claimed"


@pytest.mark.parametrize("action", ["block", "warn"])
def test_who_may_not_read_the_other_channel_learns_nothing_of_it(
    server: RunningServer, tool: str, guarded: Guarded, action: str
) -> None:
    """Neither from the answer nor from the event; who may read it sees it."""
    prefix = new_channel("team")
    one, other = f"{prefix}-a", f"{prefix}-b"
    guarded("near_duplicate", window_seconds=600, action=action, across_channels=True)
    secret = make_key(server, read=(other,), write=(other,))
    server.claim(one, "first", tool_name=tool)
    reply = server.claim(other, "second", tool_name=tool)
    hidden = server.post(
        "/executions/claim",
        {"channel_id": other, "key_name": "third", "tool_name": tool, "params": {"n": 1}},
        api_key=secret,
    )
    if action == "block":
        assert refused(reply, "near_duplicate")["execution_id"].startswith(f"{one}~")
        assert refused(hidden, "near_duplicate")["execution_id"] is None
        assert one not in str(hidden.body)
        assert "first" not in str(hidden.body)
    else:
        assert reply.body["warnings"][0]["execution_id"].startswith(f"{one}~")
        # By now the last one with this input is on the caller's own channel.
        assert hidden.body["warnings"][0]["other_key_name"] == "second"
        server.claim(one, "fourth", tool_name=tool)
        body = {"channel_id": other, "key_name": "fifth", "tool_name": tool, "params": {"n": 1}}
        hidden = server.post("/executions/claim", body, api_key=secret)
        assert hidden.body["warnings"][0]["execution_id"] is None
        assert any(each["type"] == "tool.near_duplicate" for each in events_of(server, other))
    assert one not in str(events_of(server, other))


def test_a_guard_may_be_added_again_under_its_id(server: RunningServer, tool: str) -> None:
    """The same is the same; another one is refused."""
    guard_id = f"g-{uuid4().hex[:8]}"
    body = {"kind": "budget", "tool_name": tool, "limit": 3, "guard_id": guard_id}
    first, second = server.post("/guards", body), server.post("/guards", body)
    assert first.status == 200
    assert first.body == second.body
    refused(server.post("/guards", {**body, "limit": 4}), "guard_conflict")
    gone = server.request("DELETE", f"/api/v1/guards/{guard_id}")
    assert (gone.status, gone.body) == (200, {"guard_id": guard_id})
    again = server.request("DELETE", f"/api/v1/guards/{guard_id}")
    assert (again.status, again.body["status"]) == (404, "guard_not_found")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"kind": "thaw"}, "kind"),
        ({"kind": "budget"}, "limit"),
        ({"kind": "budget", "limit": "three"}, "limit"),
        ({"kind": "budget", "limit": True}, "limit"),
        ({"kind": "budget", "limit": -1}, "limit"),
        ({"kind": "budget", "limit": 1e40}, "limit"),
        ({"kind": "budget", "limit": 1.5}, "limit"),
        ({"kind": "budget", "limit": "0.1"}, "limit"),
        ({"kind": "budget", "limit": 1, "window_seconds": 0}, "window_seconds"),
        ({"kind": "near_duplicate"}, "window_seconds"),
        ({"kind": "near_duplicate", "window_seconds": 60, "action": "shrug"}, "action"),
        ({"kind": "freeze", "channel_pattern": "run-*-x"}, "channel_pattern"),
        ({"kind": "freeze", "channel_pattern": ""}, "channel_pattern"),
        ({"kind": "freeze", "tool_name": ""}, "tool_name"),
        ({"kind": "freeze", "guard_id": "a b"}, "guard_id"),
    ],
)
def test_bad_guards_are_refused_with_the_path(server: RunningServer, body: Any, field: str) -> None:
    """And nothing is added."""
    before = server.get("/guards").body
    reply = server.post("/guards", body)
    assert (reply.status, reply.body["field"]) == (400, field), reply
    assert server.get("/guards").body == before


def test_a_limit_that_is_no_amount_is_shown(server: RunningServer) -> None:
    """The sentence has the value, cut where it is long."""
    for limit, shown in ((1e30, "it is 1e+30."), ("9" * 99, f"it is {'9' * 60}…."), (1.5, "it is 1.5.")):
        assert server.post("/guards", {"kind": "budget", "limit": limit}).body["error"].endswith(shown)


def test_guards_belong_to_who_administers_the_whole_pattern(
    server: RunningServer, tool: str, guarded: Guarded
) -> None:
    """Others neither add, nor see, nor remove them."""
    prefix = new_channel("team")
    admin, writer = make_key(server, admin=(f"{prefix}-*",)), make_key(server, write=("*",))
    everywhere = guarded("budget", limit=1_000)
    body = {"kind": "freeze", "tool_name": tool}
    assert server.post("/guards", body, api_key=admin).status == 403
    assert server.post("/guards", {**body, "channel_pattern": f"{prefix}*"}, api_key=admin).status == 403
    own = server.post("/guards", {**body, "channel_pattern": f"{prefix}-x*"}, api_key=admin)
    assert own.status == 200
    assert [each["guard_id"] for each in server.get("/guards", api_key=admin).body["guards"]] == [
        own.body["guard_id"]
    ]
    for key, status in ((writer, 403), (admin, 404)):
        path = f"/api/v1/guards/{everywhere['guard_id']}"
        assert server.request("DELETE", path, api_key=key).status == status
    assert server.get("/guards", api_key=writer).status == 403
    assert server.request("DELETE", f"/api/v1/guards/{own.body['guard_id']}", api_key=admin).status == 200


def test_the_session_fence_is_no_tool(server: RunningServer, channel: str) -> None:
    """A channel on which everything is frozen can still be opened and closed."""
    frozen = server.post("/guards", {"kind": "freeze", "channel_pattern": channel}).body
    fence = server.claim(channel, "__session_lock__", tool_name="session")
    assert fence.body["status"] == "claimed"
    refused(server.claim(channel, "a"), "tool_frozen")
    server.request("DELETE", f"/api/v1/guards/{frozen['guard_id']}")
