"""Forks of whole groups over HTTP: where each member is cut, what stands still, what goes on."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.crew import Crew, refused
from tests.support.forking import effect, events_of, fork, step
from tests.support.keys import make_key
from tests.support.server import Reply, RunningServer, new_channel

REACTIVE = {"ada": "reactive", "bob": "reactive", "eve": "reactive"}


@pytest.fixture
def crew(server: RunningServer) -> Crew:
    """Three members, who have written nothing yet."""
    return Crew(server, "ada", "bob", "eve")


@pytest.fixture
def name() -> str:
    """The id of a fork."""
    return new_channel("what-if")


def cuts(fork: Any) -> dict[str, int]:
    """The boundary of each member."""
    return {each["member_id"]: each["resolved_cursor"] for each in fork["members"]}


def test_members_are_cut_where_the_intervention_reaches_them(
    server: RunningServer, crew: Crew, name: str
) -> None:
    """A plan of Ada's reaches Bob, and through Bob Eve; what is older than the plan stays.

           1      2      3      4      5
    ada    sent─┐ plan   sent─┐ note
    bob         └►got    note └►got    sent─┐
    eve    sent────────────────────────┐    └►got (3)   with a note (2) before it
    """
    crew.sent("ada", "bob", "hello")  # ada 1, bob 1
    server.record(crew.channel("bob"), "note")  # bob 2
    server.record(crew.channel("ada"), "plan")  # ada 2
    crew.sent("eve", "ada", "hello")  # eve 1, ada 3
    crew.sent("ada", "bob", "task")  # ada 4, bob 3
    server.record(crew.channel("eve"), "note")  # eve 2
    late = crew.sent("eve", "bob", "aside")  # eve 3, bob 4: sent in time, arrived behind Bob's cut
    crew.sent("bob", "eve", "question")  # bob 5, eve 4
    server.record(crew.channel("eve"), "note")  # eve 5
    made = crew.forked(name, "ada", 2)
    assert cuts(made) == {"ada": 2, "bob": 2, "eve": 3}
    unheard = {each["member_id"]: each["undelivered"] for each in made["members"]}
    assert unheard == {"ada": [f"{crew.channel('ada')}~3"], "bob": [late["message_id"]], "eve": []}
    whole = crew.forked(f"{name}.whole", "ada", 4)
    assert cuts(whole) == {"ada": 4, "bob": 5, "eve": 5}
    nothing = crew.forked(f"{name}.nothing", "eve", 0)
    assert cuts(nothing) == {"ada": 2, "bob": 2, "eve": 0}


def test_the_receipt(server: RunningServer, crew: Crew, name: str) -> None:
    """Says what was asked, what it came to, and what changed since; the new group has the same members."""
    crew.add("max", role="critic", metadata={"n": 1})
    for _ in range(3):
        step(server, crew.channel("ada"), 1)
    made = crew.forked(
        name, "ada", 2, member_policies={"ada": "REACTIVE", "bob": "Frozen"}, tool_policies={"*": "Block"}
    )
    policies = {"ada": "reactive", "bob": "frozen", "eve": "frozen", "max": "frozen"}
    assert made | {"members": None, "created_at": None} == {
        "fork_group_id": name,
        "source_group_id": crew.id,
        "intervention_member_id": "ada",
        "intervention_cursor": 2,
        "member_policies": policies,
        "tool_policies": {"*": "block"},
        "members": None,
        "created_at": None,
    }
    assert {each["member_id"]: each["policy"] for each in made["members"]} == policies
    assert made["members"][0] == {
        "member_id": "ada",
        "source_channel_id": crew.channel("ada"),
        "channel_id": f"{name}:ada",
        "resolved_cursor": 2,
        "resolved_state_cursor": 2,
        "source_state_version": 2,
        "restorable": True,
        "undelivered": [],
        "policy": "reactive",
    }
    assert server.get(f"/execution-group-forks/{name}").body["fork"] == made
    members = crew.fork_crew(name).members()
    assert [each["member_id"] for each in members] == ["ada", "bob", "eve", "max"]
    assert members[3] == {
        "group_id": name,
        "member_id": "max",
        "channel_id": f"{name}:max",
        "role": "critic",
        "metadata": {"n": 1},
        "owner_id": None,
        "generation": 0,
        "lease_until": None,
    }
    assert name in [each["group_id"] for each in server.get("/execution-groups").body["groups"]]


def test_each_member_gets_the_newest_state_in_front_of_its_cut(
    server: RunningServer, crew: Crew, name: str
) -> None:
    """Or none; steps and effects up to the cut are inherited either way, and nothing behind it."""
    ada, bob = crew.channel("ada"), crew.channel("bob")
    step(server, ada, 1)  # a state at cursor 1
    effect(server, ada, "pay:1")  # 2, 3
    server.record(ada, "note")  # 4
    step(server, ada, 2)  # 5
    effect(server, bob, "pay:2")  # 1, 2; no state at all
    crew.sent("ada", "bob", "task")  # ada 6, bob 3
    effect(server, bob, "pay:3")  # 4, 5
    made = crew.forked(name, "ada", 4, member_policies=REACTIVE)
    shown = {
        each["member_id"]: (
            each["resolved_cursor"],
            each["restorable"],
            each["resolved_state_cursor"],
            each["source_state_version"],
        )
        for each in made["members"]
    }
    assert shown == {"ada": (4, True, 1, 1), "bob": (2, False, 0, 0), "eve": (0, False, 0, 0)}
    assert server.get(f"/state/{name}:ada").body["state"] == {"after": 1}
    assert server.get(f"/state/{name}:bob").body["cursor"] is None
    receipt = server.get(f"/channels/{name}:ada/receipt").body
    assert (receipt["requested_cursor"], receipt["resolved_cursor"]) == (4, 1)
    bare = server.get(f"/channels/{name}:bob/receipt").body
    assert (bare["requested_cursor"], bare["resolved_cursor"], bare["restorable"]) == (2, 2, False)
    assert server.get(f"/channels/{name}:ada/steps").body["last_step_number"] == 1
    assert [each["type"] for each in events_of(server, f"{name}:bob")] == ["fork.started"]
    assert server.claim(f"{name}:ada", "pay:1").body["status"] == "replayed"
    assert server.claim(f"{name}:bob", "pay:2").body["status"] == "replayed"
    assert server.claim(f"{name}:bob", "pay:3").body["status"] == "claimed"
    assert server.get(f"/channels/{ada}/forks").body["forks"][0]["channel_id"] == f"{name}:ada"


def test_a_state_that_was_saved_before_any_event_is_in_front_of_every_cut(
    server: RunningServer, crew: Crew, name: str
) -> None:
    """Cut at 0, a member keeps none of its events, but what it started with."""
    ada = crew.channel("ada")
    server.post(f"/state/{ada}", {"cursor": 0, "state": {"at": "start"}})
    step(server, ada, 1)
    made = crew.forked(name, "ada", 0, member_policies=REACTIVE)
    assert cuts(made)["ada"] == 0
    assert server.get(f"/state/{name}:ada").body["state"] == {"at": "start"}
    assert server.get(f"/channels/{name}:ada/steps").body["last_step_number"] == 0


def test_members_of_one_channel_are_cut_together(server: RunningServer, name: str) -> None:
    """What one of them did, the other one had behind it."""
    shared = new_channel()
    crew = Crew(server, ada=shared, bob=shared, eve=new_channel())
    for _ in range(3):
        server.record(shared)
    assert cuts(crew.forked(name, "ada", 2)) == {"ada": 2, "bob": 2, "eve": 0}


def test_another_group_on_the_same_channels_counts_too(server: RunningServer, crew: Crew, name: str) -> None:
    """A cause is a cause, whatever group it was told in; but its mail is not this group's."""
    other = Crew(server, ada=crew.channel("ada"), bob=crew.channel("bob"))
    server.record(crew.channel("ada"))
    other.sent("ada", "bob")
    made = crew.forked(name, "ada", 1)
    assert cuts(made) == {"ada": 1, "bob": 0, "eve": 0}
    other.sent("bob", "ada")
    made = crew.forked(f"{name}.b", "ada", 2)
    assert cuts(made) == {"ada": 2, "bob": 2, "eve": 0}
    assert [each["undelivered"] for each in made["members"]] == [[], [], []]


def saves(server: RunningServer, channel: str) -> Reply:
    """Save a state."""
    return server.post(f"/state/{channel}", {"cursor": 0, "state": {}})


def transitions(server: RunningServer, channel: str) -> Reply:
    """Append and save."""
    body = {"channel_id": channel, "type": "t", "payload": 1, "state": {}, "metadata": {"actor": "a"}}
    return server.post("/events/transition", body)


def schedules(server: RunningServer, channel: str) -> Reply:
    """Schedule a wake-up, a long way off."""
    return server.post("/scheduler/wakeups", {"channel_id": channel, "run_at": "2099-01-01T00:00:00Z"})


WRITES: dict[str, Callable[[RunningServer, Crew, str], Reply]] = {
    "append": lambda server, crew, channel: server.record(channel),
    "append a step": lambda server, crew, channel: server.record(channel, step_number=1),
    "transition": lambda server, crew, channel: transitions(server, channel),
    "save": lambda server, crew, channel: saves(server, channel),
    "claim a tool": lambda server, crew, channel: server.claim(channel, "key"),
    "claim the fence": lambda server, crew, channel: server.claim(channel, "__session_lock__", params={}),
    "claim the member": lambda server, crew, channel: crew.claim("bob"),
    "send": lambda server, crew, channel: crew.send("bob", "ada"),
    "receive": lambda server, crew, channel: crew.send("ada", "bob"),
    "acknowledge": lambda server, crew, channel: crew.acknowledge(f"{channel}~1"),
    "set a timer": lambda server, crew, channel: schedules(server, channel),
    "close": lambda server, crew, channel: server.post(f"/channels/{channel}/close", {}),
    "promote the channel": lambda server, crew, channel: server.post(f"/channels/{channel}/promote", None),
}


@pytest.mark.parametrize("write", WRITES)
def test_a_frozen_member_takes_no_writes(server: RunningServer, crew: Crew, name: str, write: str) -> None:
    """Whichever, until it is promoted."""
    step(server, crew.channel("bob"), 1)
    crew.forked(name, "ada", 0, member_policies={"ada": "reactive"})
    branch = crew.fork_crew(name)
    before = events_of(server, f"{name}:bob"), events_of(server, f"{name}:ada")
    assert refused(WRITES[write](server, branch, f"{name}:bob")) == (409, "counterfactual_blocked")
    assert (events_of(server, f"{name}:bob"), events_of(server, f"{name}:ada")) == before
    promoted = server.post(f"/execution-group-forks/{name}/members/bob/promote", {})
    assert promoted.body["fork"]["member_policies"] == {"ada": "reactive", "bob": "reactive", "eve": "frozen"}
    status = WRITES[write](server, branch, f"{name}:bob").status
    assert status == (404 if write == "acknowledge" else 200)


def test_a_frozen_member_is_read_like_any_other(server: RunningServer, crew: Crew, name: str) -> None:
    """And can be forked, for a fork of it is somebody else."""
    step(server, crew.channel("bob"), 1)
    crew.forked(name, "bob", 1)
    channel = f"{name}:bob"
    assert [each["type"] for each in events_of(server, channel)] == ["fork.started"]
    assert server.get(f"/state/{channel}").body["state"] == {"after": 1}
    assert server.get(f"/channels/{channel}/steps").body["last_step_number"] == 1
    assert crew.fork_crew(name).mail("bob") == []
    assert server.get(f"/executions?channel_id={channel}").body["executions"] == []
    assert channel in server.get("/channels").body["channels"]
    assert fork(server, channel, f"{channel}.b").status == 200
    assert server.record(f"{channel}.b").status == 200
    assert server.request("DELETE", f"/api/v1/channels/{channel}?recursive=true").status == 200
    refusal = server.post(f"/execution-group-forks/{name}/members/bob/promote", {})
    assert refused(refusal) == (409, "channel_deleted")


def test_tools_of_reactive_members_are_blocked_by_the_policies(
    server: RunningServer, crew: Crew, name: str
) -> None:
    """As on any fork, but under the name that group forks have for it; one event tells."""
    effect(server, crew.channel("ada"), "pay:1")
    crew.forked(
        name,
        "ada",
        2,
        member_policies={"ada": "reactive"},
        tool_policies={"charge": "replay", "mail": "block"},
    )
    channel = f"{name}:ada"
    assert server.claim(channel, "pay:1").body["status"] == "replayed"
    for key, tool, policy in (("pay:2", "charge", "replay"), ("mail:1", "mail", "block")):
        for _ in range(2):
            blocked = server.claim(channel, key, tool_name=tool)
            assert refused(blocked) == (409, "counterfactual_blocked")
            assert (blocked.body["policy"], blocked.body["tool_name"]) == (policy, tool)
    told = [each for each in events_of(server, channel) if each["type"] == "tool.blocked"]
    assert [each["payload"]["policy"] for each in told] == ["replay", "block"]
    assert told[1]["id"] == blocked.body["boundary"]
    assert server.claim(channel, "other", tool_name="other").body["status"] == "claimed"
    fork(server, channel, f"{channel}.b", tool_policies={"*": "block"})
    assert refused(server.claim(f"{channel}.b", "k")) == (409, "fork_tool_blocked")


def test_a_fork_is_made_once(server: RunningServer, crew: Crew, name: str) -> None:
    """However its words are spelt and whatever happened meanwhile; another one of that name is refused."""
    made = crew.forked(name, "ada", 0, member_policies={"ada": "reactive", "bob": "frozen"})
    server.record(crew.channel("ada"))
    crew.add("max")
    assert crew.forked(name, "ada", 0, member_policies={"ada": "Reactive"}) == made
    server.post(f"/execution-group-forks/{name}/members/bob/promote", {})
    assert (
        crew.forked(name, "ada", 0, member_policies={"ada": "reactive"})["member_policies"]["bob"]
        == "reactive"
    )
    different: list[dict[str, Any]] = [
        {"member_policies": {}},
        {"member_policies": {"ada": "reactive", "bob": "reactive"}},
        {"tool_policies": {"*": "live"}},
        {"intervention_cursor": 1},
        {"intervention_member_id": "bob"},
        {"source_group_id": "another"},
    ]
    for change in different:
        fields = {"member_policies": {"ada": "reactive"}, **change}
        assert refused(crew.fork(name, "ada", 0, **fields)) == (409, "idempotency_conflict")


def test_promoting_is_done_once(server: RunningServer, crew: Crew, name: str) -> None:
    """Again it changes nothing, and a member that is reactive already is left alone."""
    crew.forked(name, "ada", 0, member_policies={"ada": "reactive"})
    path = f"/execution-group-forks/{name}/members"
    first = server.post(f"{path}/bob/promote", {})
    assert server.post(f"{path}/bob/promote", None).body == first.body
    assert server.post(f"{path}/ada/promote", {}).body == first.body
    assert refused(server.post(f"{path}/max/promote", {})) == (404, "member_not_found")
    assert refused(server.post("/execution-group-forks/unknown/members/bob/promote", {})) == (
        404,
        "fork_not_found",
    )
    assert refused(server.get("/execution-group-forks/unknown")) == (404, "fork_not_found")
    assert refused(server.get(f"/execution-group-forks/{crew.id}")) == (404, "fork_not_found")


@pytest.mark.parametrize(
    ("change", "status", "code", "field"),
    [
        ({"source_group_id": "unknown"}, 404, "group_not_found", None),
        ({"source_group_id": "no group"}, 404, "group_not_found", None),
        ({"intervention_member_id": "max"}, 404, "member_not_found", None),
        ({"fork_group_id": "a b"}, 400, "invalid_request", "fork_group_id"),
        ({"fork_group_id": "x" * 254}, 400, "invalid_request", "fork_group_id"),
        ({"intervention_cursor": -1}, 400, "invalid_request", "intervention_cursor"),
        ({"intervention_cursor": 1}, 400, "invalid_request", "intervention_cursor"),
        ({"member_policies": {"max": "frozen"}}, 400, "invalid_request", "member_policies.max"),
        ({"member_policies": {"bob": "asleep"}}, 400, "invalid_request", "member_policies.bob"),
        ({"member_policies": {"bob": None}}, 400, "invalid_request", "member_policies.bob"),
        ({"member_policies": []}, 400, "invalid_request", "member_policies"),
        ({"member_policies": {"\ud800": "frozen"}}, 400, "invalid_request", "member_policies"),
        ({"tool_policies": {"mail": "forbid"}}, 400, "invalid_request", "tool_policies.mail"),
        ({"tool_policies": {"mail": ["block"]}}, 400, "invalid_request", "tool_policies.mail"),
    ],
)
def test_a_refused_fork_leaves_nothing(
    server: RunningServer,
    crew: Crew,
    name: str,
    change: dict[str, Any],
    status: int,
    code: str,
    field: str | None,
) -> None:
    """Neither the group nor one of its channels."""
    refusal = crew.fork(name, "ada", 0, **change)
    assert (*refused(refusal), refusal.body.get("field")) == (status, code, field)
    assert refused(server.get(f"/execution-group-forks/{name}")) == (404, "fork_not_found")
    assert server.get(f"/channels/{name}:ada/metadata").status == 404
    assert crew.forked(name, "ada", 0)["fork_group_id"] == name


def test_a_fork_that_cannot_have_all_of_its_channels_has_none(
    server: RunningServer, crew: Crew, name: str
) -> None:
    """One that is taken, or was, or one whose source was deleted."""
    server.record(f"{name}:eve")
    assert refused(crew.fork(name, "ada", 0)) == (409, "channel_conflict")
    assert server.get(f"/channels/{name}:ada/metadata").status == 404
    assert refused(server.get(f"/execution-groups/{name}/members")) == (404, "group_not_found")
    server.request("DELETE", f"/api/v1/channels/{name}:eve")
    assert refused(crew.fork(name, "ada", 0)) == (409, "channel_deleted")
    server.record(crew.channel("bob"))
    server.request("DELETE", f"/api/v1/channels/{crew.channel('bob')}")
    assert refused(crew.fork(f"{name}.b", "ada", 0)) == (409, "channel_deleted")
    taken = Crew(server)
    assert refused(crew.fork(taken.id, "ada", 0)) == (409, "group_conflict")


def test_a_closed_member_is_forked_like_any_other(server: RunningServer, crew: Crew, name: str) -> None:
    """Its fork is open."""
    step(server, crew.channel("bob"), 1)
    server.post(f"/channels/{crew.channel('bob')}/close", {})
    crew.forked(name, "bob", 1, member_policies=REACTIVE)
    assert server.record(f"{name}:bob").status == 200


def test_a_fork_of_a_fork(server: RunningServer, crew: Crew, name: str) -> None:
    """Is a group like any other, with mail of its own."""
    step(server, crew.channel("ada"), 1)
    crew.sent("ada", "bob", "task")
    crew.forked(name, "ada", 1, member_policies=REACTIVE)
    branch = crew.fork_crew(name)
    assert branch.mail("bob") == []
    assert branch.sent("ada", "bob", "other task")["message_id"] == f"{name}:bob~2"
    made = branch.forked(f"{name}.b", "ada", 1, member_policies=REACTIVE)
    assert cuts(made) == {"ada": 1, "bob": 1, "eve": 1}
    assert server.get(f"/state/{name}.b:ada").body["state"] == {"after": 1}
    assert server.get(f"/channels/{name}.b:ada/steps").body["last_step_number"] == 1


def test_the_fork_of_a_member_that_had_done_nothing_can_be_promoted(
    server: RunningServer, crew: Crew, name: str
) -> None:
    """Into a channel that comes into being with that."""
    crew.forked(name, "ada", 0, member_policies=REACTIVE)
    step(server, f"{name}:ada", 1)
    promoted = server.post(f"/channels/{name}:ada/promote", None)
    assert (promoted.body["parent_channel_id"], promoted.body["cursor"]) == (crew.channel("ada"), 1)
    assert server.get(f"/state/{crew.channel('ada')}").body["state"] == {"after": 1}
    assert server.get(f"/events/verify/{crew.channel('ada')}").body["valid"] is True
    assert crew.sent("bob", "ada")["message_id"] == f"{crew.channel('ada')}~2"


def test_forking_needs_the_right_to_all_of_it(server: RunningServer) -> None:
    """Read on every member, write on every child; who sees a part of the fork is shown that part."""
    mine, yours = new_channel("mine"), new_channel("yours")
    crew = Crew(server, ada=mine, bob=yours)
    server.record(mine)
    server.record(yours)
    partly = make_key(server, read=("mine*",), write=("mine*",))
    body = {
        "fork_group_id": new_channel("mine"),
        "source_group_id": crew.id,
        "intervention_member_id": "ada",
        "intervention_cursor": 1,
    }
    refusal = server.post("/execution-group-forks", body, api_key=partly)
    assert refused(refusal) == (403, "forbidden")
    assert yours not in str(refusal.body)
    unseen = server.post("/execution-group-forks", {**body, "intervention_member_id": "bob"}, api_key=partly)
    assert refused(unseen) == (404, "member_not_found")
    reader = make_key(server, read=("*",), write=("mine*",))
    outside = {**body, "fork_group_id": new_channel("other")}
    assert refused(server.post("/execution-group-forks", outside, api_key=reader)) == (403, "forbidden")
    made = server.post("/execution-group-forks", body, api_key=reader)
    assert made.status == 200

    fork_id = body["fork_group_id"]
    one = make_key(server, read=(f"{fork_id}:ada",))
    shown = server.get(f"/execution-group-forks/{fork_id}", api_key=one).body["fork"]
    assert [each["member_id"] for each in shown["members"]] == ["ada"]
    assert shown["member_policies"] == {"ada": "frozen"}
    path = f"/execution-group-forks/{fork_id}/members"
    assert refused(server.post(f"{path}/ada/promote", {}, api_key=one)) == (403, "forbidden")
    assert refused(server.post(f"{path}/bob/promote", {}, api_key=one)) == (404, "member_not_found")
    nobody = make_key(server, read=("elsewhere",), write=("elsewhere",))
    assert refused(server.get(f"/execution-group-forks/{fork_id}", api_key=nobody)) == (404, "fork_not_found")
    taken = {**body, "source_group_id": Crew(server, ada="elsewhere").id}
    assert refused(server.post("/execution-group-forks", taken, api_key=nobody)) == (409, "group_conflict")
