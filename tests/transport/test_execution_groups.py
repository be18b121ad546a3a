"""Execution groups over HTTP: groups, members, leases, and who may see them."""

from typing import Any

import pytest

from tests.support.crew import Crew, refused
from tests.support.keys import make_key
from tests.support.postgres import Clock
from tests.support.server import RunningServer, new_channel


def test_a_group_is_made_once(server: RunningServer) -> None:
    """The same one twice is one, whatever the order of its metadata; another one of that name is refused."""
    group_id = new_channel("crew")
    metadata = {"goal": "bill", "n": 1}
    made = server.post("/execution-groups", {"group_id": group_id, "metadata": metadata})
    assert made.status == 200
    group = made.body["group"]
    assert group | {"created_at": None, "updated_at": None} == {
        "group_id": group_id,
        "status": "active",
        "metadata": metadata,
        "created_at": None,
        "updated_at": None,
    }
    again = server.post("/execution-groups", {"metadata": {"n": 1.0, "goal": "bill"}, "group_id": group_id})
    assert again.body["group"] == group
    for other in ({"n": 2}, None):
        refusal = server.post("/execution-groups", {"group_id": group_id, "metadata": other})
        assert refused(refusal) == (409, "group_conflict")
    assert group in server.get("/execution-groups").body["groups"]


def test_a_member_is_bound_once(server: RunningServer) -> None:
    """To a channel that need not exist; adding it again is harmless, changing it is refused."""
    crew = Crew(server)
    added = crew.add("ada", "not-there-yet", role="planner", metadata={"a": 1})
    assert added.body["member"] == {
        "group_id": crew.id,
        "member_id": "ada",
        "channel_id": "not-there-yet",
        "role": "planner",
        "metadata": {"a": 1},
        "owner_id": None,
        "generation": 0,
        "lease_until": None,
    }
    assert crew.add("ada", "not-there-yet", role="planner", metadata={"a": 1}).body == added.body
    changes: list[dict[str, Any]] = [{"role": "worker"}, {"role": None}, {"metadata": {}}]
    for change in changes:
        fields = {"role": "planner", "metadata": {"a": 1}, **change}
        assert refused(crew.add("ada", "not-there-yet", **fields)) == (409, "member_conflict")
    assert refused(crew.add("ada", "elsewhere", role="planner", metadata={"a": 1})) == (
        409,
        "member_conflict",
    )
    assert crew.members() == [added.body["member"]]
    listed = next(
        each for each in server.get("/execution-groups").body["groups"] if each["group_id"] == crew.id
    )
    assert listed["updated_at"] > listed["created_at"]
    assert server.get("/channels/not-there-yet/metadata").status == 404


def test_members_are_listed_as_they_were_added(server: RunningServer) -> None:
    """Several may share a channel."""
    crew = Crew(server, "zoe", "ada")
    crew.add("bob", crew.channel("ada"))
    assert [(each["member_id"], each["channel_id"]) for each in crew.members()] == [
        ("zoe", crew.channel("zoe")),
        ("ada", crew.channel("ada")),
        ("bob", crew.channel("ada")),
    ]


def test_what_is_not_there_is_named(server: RunningServer) -> None:
    """The group, or the member of it."""
    crew = Crew(server, "ada")
    held = {"owner_id": "o", "generation": 1}
    for group in ("unknown", "no%20group", "%00"):
        path = f"/execution-groups/{group}/members"
        assert refused(server.get(path)) == (404, "group_not_found")
        assert refused(server.post(path, {"member_id": "a", "channel_id": "c"})) == (404, "group_not_found")
        assert refused(server.post(f"{path}/ada/claim", held)) == (404, "group_not_found")
    for member in ("bob", "no%20name", "%00"):
        for verb in ("claim", "heartbeat", "release"):
            reply = crew.post(f"/members/{member}/{verb}", held)
            assert refused(reply) == (404, "member_not_found")


def test_bad_values_are_named_by_their_paths(server: RunningServer) -> None:
    """And nothing is made."""
    crew = Crew(server, "ada")
    big = {"x": "y" * 65_536}
    bad: list[tuple[str, dict[str, Any], str]] = [
        ("/execution-groups", {"metadata": {}}, "group_id"),
        ("/execution-groups", {"group_id": "a b", "metadata": {}}, "group_id"),
        ("/execution-groups", {"group_id": new_channel(), "metadata": []}, "metadata"),
        ("/execution-groups", {"group_id": new_channel(), "metadata": big}, "metadata"),
        (f"/execution-groups/{crew.id}/members", {"member_id": ".", "channel_id": "c"}, "member_id"),
        (f"/execution-groups/{crew.id}/members", {"member_id": "b", "channel_id": "c/d"}, "channel_id"),
        (f"/execution-groups/{crew.id}/members", {"member_id": "b", "channel_id": "c", "role": ""}, "role"),
        (f"/execution-groups/{crew.id}/members/ada/claim", {"owner_id": ""}, "owner_id"),
        (
            f"/execution-groups/{crew.id}/members/ada/claim",
            {"owner_id": "o", "lease_seconds": 86_401},
            "lease_seconds",
        ),
        (f"/execution-groups/{crew.id}/members/ada/heartbeat", {"owner_id": "o"}, "generation"),
        (
            f"/execution-groups/{crew.id}/members/ada/release",
            {"owner_id": "o", "generation": -1},
            "generation",
        ),
    ]
    for path, body, field in bad:
        reply = server.post(path, body)
        assert (reply.status, reply.body.get("field")) == (400, field), (path, body, reply)
    assert [each["member_id"] for each in crew.members()] == ["ada"]


def test_a_lease_goes_from_owner_to_owner(server: RunningServer, server_clock: Clock) -> None:
    """Each new owner is a new generation, and the ones before it are fenced."""
    crew = Crew(server, "ada")
    first = crew.claim("ada", "one").body["lease"]
    assert (first["owner_id"], first["generation"]) == ("one", 1)
    renewed = crew.claim("ada", "one").body["lease"]
    assert renewed["generation"] == 1
    assert renewed["lease_until"] > first["lease_until"]
    held = crew.claim("ada", "two")
    assert refused(held) == (409, "member_lease_held")
    assert held.body["lease_until"] == renewed["lease_until"]
    (shown,) = crew.members()
    assert (shown["owner_id"], shown["generation"], shown["lease_until"]) == (
        "one",
        1,
        renewed["lease_until"],
    )

    server_clock.advance(100)
    beat = crew.post("/members/ada/heartbeat", {"owner_id": "one", "generation": 1, "lease_seconds": 60})
    assert beat.body["lease"]["generation"] == 1  # lapsed, but nobody came
    server_clock.advance(100)
    assert crew.claim("ada", "two").body["lease"]["generation"] == 2
    for verb in ("heartbeat", "release"):
        for stale in ({"owner_id": "one", "generation": 1}, {"owner_id": "one", "generation": 2},
                      {"owner_id": "two", "generation": 1}):  # fmt: skip
            reply = crew.post(f"/members/ada/{verb}", stale)
            assert refused(reply) == (409, "member_lease_lost")
            assert reply.body["current_generation"] == 2

    mine = {"owner_id": "two", "generation": 2}
    released = crew.post("/members/ada/release", mine)
    assert released.body == {"status": "released", "group_id": crew.id, "member_id": "ada"}
    assert crew.post("/members/ada/release", mine).status == 200
    assert refused(crew.post("/members/ada/heartbeat", mine)) == (409, "member_lease_lost")
    (shown,) = crew.members()
    assert (shown["owner_id"], shown["generation"], shown["lease_until"]) == (None, 2, None)
    assert crew.claim("ada", "two").body["lease"]["generation"] == 3
    assert refused(crew.post("/members/ada/release", mine)) == (409, "member_lease_lost")


def test_a_member_of_a_closed_channel_can_be_claimed_and_of_a_deleted_one_not(server: RunningServer) -> None:
    """What is held can still be let go."""
    crew = Crew(server, "ada")
    server.record(crew.channel("ada"))
    server.post(f"/channels/{crew.channel('ada')}/close", {})
    held = {"owner_id": "owner", "generation": crew.claim("ada").body["lease"]["generation"]}
    server.request("DELETE", f"/api/v1/channels/{crew.channel('ada')}")
    assert refused(crew.claim("ada")) == (409, "channel_deleted")
    assert crew.post("/members/ada/release", held).status == 200
    assert refused(crew.add("bob", crew.channel("ada"))) == (409, "channel_deleted")
    assert [each["member_id"] for each in crew.members()] == ["ada"]


def test_a_tenant_sees_and_touches_its_own_members_alone(server: RunningServer) -> None:
    """Others are as if they were not there."""
    mine, yours = new_channel("mine"), new_channel("yours")
    crew = Crew(server, ada=mine, bob=yours)
    key = make_key(server, read=("mine*",), write=("mine*",))
    assert [each["member_id"] for each in crew.members(api_key=key)] == ["ada"]
    assert crew.post("/members/ada/claim", {"owner_id": "o"}, api_key=key).status == 200
    assert refused(crew.post("/members/bob/claim", {"owner_id": "o"}, api_key=key)) == (
        404,
        "member_not_found",
    )
    eve = {"member_id": "eve", "channel_id": yours}
    assert refused(crew.post("/members", eve, api_key=key)) == (403, "forbidden")

    hidden = Crew(server, bob=yours)
    listed = server.get("/execution-groups", api_key=key).body["groups"]
    assert crew.id in {each["group_id"] for each in listed}
    assert hidden.id not in {each["group_id"] for each in listed}
    assert refused(hidden.get("/members", api_key=key)) == (404, "group_not_found")
    own = {"member_id": "eve", "channel_id": mine}
    assert refused(hidden.post("/members", own, api_key=key)) == (404, "group_not_found")
    same = {"group_id": hidden.id, "metadata": {}}
    assert refused(server.post("/execution-groups", same, api_key=key)) == (409, "group_conflict")


def test_reading_a_member_is_not_holding_it(server: RunningServer) -> None:
    """A lease needs write on its channel, and so does its end."""
    channel = new_channel("mine")
    crew = Crew(server, ada=channel)
    key = make_key(server, read=("mine*",))
    assert [each["member_id"] for each in crew.members(api_key=key)] == ["ada"]
    for verb in ("claim", "heartbeat", "release"):
        reply = crew.post(f"/members/ada/{verb}", {"owner_id": "o", "generation": 1}, api_key=key)
        assert refused(reply) == (403, "forbidden")
    refusal = server.post("/execution-groups", {"group_id": new_channel(), "metadata": {}}, api_key=key)
    assert refused(refusal) == (403, "forbidden")


@pytest.mark.parametrize(("query", "count"), [("?limit=2", 2), ("?limit=0", 0), ("?limit=2&offset=1", 2)])
def test_groups_come_in_pages(server: RunningServer, query: str, count: int) -> None:
    """The newest first."""
    made = [Crew(server).id for _ in range(4)][::-1]
    reply = server.get(f"/execution-groups{query}").body
    offset = int("offset=1" in query)
    assert [each["group_id"] for each in reply["groups"]] == made[offset : offset + count]
    assert reply["has_more"] is True
