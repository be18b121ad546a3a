"""Retention over HTTP: policies, runs, sizes, and who may."""

from collections.abc import Iterator

import pytest

from tests.support.forking import step
from tests.support.keeping import drop, end, is_there, keep, policies, run
from tests.support.keys import make_key
from tests.support.postgres import Clock
from tests.support.server import RunningServer, new_channel


@pytest.fixture
def prefix(server: RunningServer) -> Iterator[str]:
    """The beginning of channel ids of this test's own; its policies are removed at the end."""
    beginning = new_channel("kept") + "."
    yield beginning
    for pattern in policies(server):
        if pattern.startswith(beginning):
            drop(server, pattern)


@pytest.fixture
def admin(server: RunningServer, prefix: str) -> str:
    """A key that administers those, and nothing else."""
    return make_key(server, admin=(f"{prefix}*",))


def test_a_policy_is_set_changed_and_removed(server: RunningServer, prefix: str) -> None:
    """By its pattern; setting it again changes it."""
    first = keep(server, f"{prefix}*", 60).body
    assert (first["pattern"], first["keep_for_seconds"]) == (f"{prefix}*", 60)
    assert keep(server, f"{prefix}*", None).body["keep_for_seconds"] is None
    assert keep(server, f"{prefix}a", 86_400).status == 200
    mine = {name: kept for name, kept in policies(server).items() if name.startswith(prefix)}
    assert mine == {f"{prefix}*": None, f"{prefix}a": 86_400}
    assert drop(server, f"{prefix}a").body == {"pattern": f"{prefix}a", "status": "removed"}
    gone = drop(server, f"{prefix}a")
    assert (gone.status, gone.body["status"], gone.body["pattern"]) == (
        404,
        "retention_policy_not_found",
        f"{prefix}a",
    )


@pytest.mark.parametrize("pattern", ["a*b", "*a", "**", "a%20b", "%C3%A9", "a~", "x" * 257])
def test_what_is_no_pattern_is_refused(server: RunningServer, pattern: str) -> None:
    """With the field's name."""
    for reply in (keep(server, pattern, 60), drop(server, pattern)):
        assert (reply.status, reply.body["status"], reply.body["field"]) == (
            400,
            "invalid_request",
            "pattern",
        )


@pytest.mark.parametrize("seconds", [0, -1, 316_224_001, 1.5, "30d", True, [], {}])
def test_what_is_no_time_is_refused(server: RunningServer, prefix: str, seconds: object) -> None:
    """And nothing is set."""
    reply = server.request("PUT", f"/api/v1/retention/policies/{prefix}*", {"keep_for_seconds": seconds})
    assert (reply.status, reply.body["field"]) == (400, "keep_for_seconds")
    assert server.request("PUT", f"/api/v1/retention/policies/{prefix}*", {}).status == 400
    assert f"{prefix}*" not in policies(server)


def test_who_administers_some_channels_decides_about_those(
    server: RunningServer, prefix: str, admin: str, server_clock: Clock
) -> None:
    """Of other policies and of other channels nothing is said."""
    assert keep(server, f"{prefix}*", 60, api_key=admin).status == 200
    assert keep(server, f"{prefix}run-7", 600, api_key=admin).status == 200
    for pattern in ("*", prefix[:-1], prefix[:-1] + "*", "other"):
        assert keep(server, pattern, 60, api_key=admin).status == 403
        assert drop(server, pattern, api_key=admin).status == 403
    keep(server, prefix[:-1] + "!*".replace("!", "-"), 60)
    assert set(policies(server, api_key=admin)) == {f"{prefix}*", f"{prefix}run-7"}
    assert drop(server, prefix[:-1] + "-*").status == 200
    for channel in (f"{prefix}1", f"{prefix}run-7"):
        end(server, channel)
    server_clock.advance(120)
    seen = run(server, api_key=admin, dry_run=True)
    assert [each["channel_id"] for each in seen["removed"]] == [f"{prefix}1"]
    assert run(server, api_key=make_key(server, admin=("other",)))["removed"] == []
    assert is_there(server, f"{prefix}1")
    assert [each["channel_id"] for each in run(server, api_key=admin)["removed"]] == [f"{prefix}1"]
    assert not is_there(server, f"{prefix}1")


def test_who_administers_nothing_learns_nothing(server: RunningServer, prefix: str) -> None:
    """Not even with permission to read, write and delete all."""
    key = make_key(server, read=("*",), write=("*",), delete=("*",))
    for reply in (
        server.get("/retention/policies", api_key=key),
        keep(server, f"{prefix}*", 60, api_key=key),
        drop(server, f"{prefix}*", api_key=key),
        server.post("/retention/run", {}, api_key=key),
        server.get("/storage", api_key=key),
    ):
        assert (reply.status, reply.body["status"]) == (403, "forbidden")


def test_a_run_tells_what_went_and_why(server: RunningServer, prefix: str, server_clock: Clock) -> None:
    """A dry one the same in the same order, and nothing goes."""
    for number in range(3):
        end(server, f"{prefix}{number}")
    keep(server, f"{prefix}*", 60)
    key = make_key(server, admin=(f"{prefix}*",))
    server_clock.advance(61)
    dry = run(server, api_key=key, dry_run=True, limit=2)
    assert (dry["is_dry"], dry["has_more"], dry["kept"]) == (True, True, {})
    assert all(is_there(server, f"{prefix}{number}") for number in range(3))
    real = run(server, api_key=key, limit=2)
    assert real == {**dry, "is_dry": False}
    assert [(each["channel_id"], each["pattern"], each["event_count"]) for each in real["removed"]] == [
        (f"{prefix}0", f"{prefix}*", 1),
        (f"{prefix}1", f"{prefix}*", 1),
    ]
    rest = server.request("POST", "/api/v1/retention/run", api_key=key)  # without a body
    assert [each["channel_id"] for each in rest.body["removed"]] == [f"{prefix}2"]
    for bad in ({"limit": 0}, {"limit": 1001}, {"dry_run": "yes"}):
        assert server.post("/retention/run", bad).status == 400


def test_a_key_of_a_removed_channel_is_not_handed_out(
    server: RunningServer, prefix: str, server_clock: Clock
) -> None:
    """What a late retry means to do has been done; the channel says that it is gone."""
    channel = f"{prefix}1"
    claimed = server.claim(channel, "charge").body
    done = {"claim_token": claimed["claim_token"], "result": {"charge": 1}}
    assert server.post(f"/executions/{claimed['execution']['id']}/complete", done).status == 200
    assert server.post(f"/channels/{channel}/close", {}).status == 200
    keep(server, f"{prefix}*", 1)
    server_clock.advance(61)
    assert run(server, api_key=make_key(server, admin=(channel,)))["removed"][0]["channel_id"] == channel
    late = server.claim(channel, "charge")
    assert (late.status, late.body["status"]) == (409, "channel_deleted")
    assert server.get(f"/executions/{claimed['execution']['id']}").status == 404


def test_what_protects_after_the_removal(server: RunningServer, prefix: str, server_clock: Clock) -> None:
    """A count that all channels share; not the memory of a call, nor of a key elsewhere."""
    tool = prefix.rstrip(".")
    for guard in (
        {"kind": "budget", "limit": 2},
        {"kind": "near_duplicate", "window_seconds": 86_400, "action": "block", "across_channels": True},
    ):
        told = {**guard, "guard_id": f"{prefix}{guard['kind']}", "tool_name": tool}
        assert server.post("/guards", told).status == 200
    claimed = server.claim(f"{prefix}1", "charge", tool_name=tool).body
    done = {"claim_token": claimed["claim_token"], "result": {"charge": 1}}
    assert server.post(f"/executions/{claimed['execution']['id']}/complete", done).status == 200
    assert server.claim(f"{prefix}2", "anew", tool_name=tool).body["status"] == "near_duplicate"
    server.post(f"/channels/{prefix}1/close", {})
    keep(server, f"{prefix}*", 1)
    server_clock.advance(2)
    assert run(server, api_key=make_key(server, admin=(f"{prefix}1",)))["removed"]
    assert server.claim(f"{prefix}1", "charge", tool_name=tool).body["status"] == "channel_deleted"
    assert server.claim(f"{prefix}2", "charge", tool_name=tool).body["status"] == "claimed"
    again = server.claim(f"{prefix}3", "other", tool_name=tool, params={"n": 2})
    assert again.body["status"] == "budget_exceeded"
    for kind in ("budget", "near_duplicate"):
        assert server.request("DELETE", f"/api/v1/guards/{prefix}{kind}").status == 200


def test_storage_names_tables_and_the_largest_channels(server: RunningServer, prefix: str) -> None:
    """Snapshots count as they are stored."""
    large, small = f"{prefix}large", f"{prefix}small"
    step(server, small, 1)
    server.record(large)
    noise = "".join(chr(32 + (7919 * place * place) % 90) for place in range(300_000))
    assert server.post(f"/state/{large}", {"cursor": 1, "state": {"noise": noise}}).status == 200
    found = server.get("/storage?limit=1000").body
    sizes = {each["channel_id"]: each for each in found["channels"]}
    assert found["sampled_share"] == 1.0
    assert 1_000 < sizes[large]["bytes_estimate"] < 400_000
    assert sizes[large]["bytes_estimate"] > 2 * sizes[small]["bytes_estimate"]
    assert (sizes[large]["event_count"], sizes[large]["state_count"]) == (1, 1)
    tables = {each["name"]: each for each in found["tables"]}
    assert {"events", "states", "executions", "channels", "retention_policies"} <= set(tables)
    assert found["database_bytes"] > sum(each["table_bytes"] for each in tables.values())
    ordered = [each["bytes_estimate"] for each in found["channels"]]
    assert ordered == sorted(ordered, reverse=True)
    assert server.get("/storage?limit=0").body["channels"] == []
    assert server.get("/storage?limit=1001").status == 400
    assert server.get("/storage", api_key=make_key(server, admin=(f"{prefix}*",))).status == 403
