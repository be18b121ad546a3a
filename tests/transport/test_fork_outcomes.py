"""What a child inherits of outcomes that nobody knew: what was completed by its boundary, whoever said so."""

from typing import Any

from tests.support.forking import effect, fork
from tests.support.postgres import Clock
from tests.support.server import RunningServer


def give_up(server: RunningServer, channel: str, key: str) -> str:
    """An operation whose owner does not know; its id."""
    held = server.claim(channel, key).body
    body = {"claim_token": held["claim_token"], "message": "time-out", "outcome_unknown": True}
    assert server.post(f"/executions/{held['execution']['id']}/fail", body).status == 200
    execution_id: str = held["execution"]["id"]
    return execution_id


def resolve(server: RunningServer, execution_id: str, outcome: str, **fields: Any) -> None:
    """Somebody says what happened."""
    assert (
        server.post(f"/executions/{execution_id}/resolve", {"outcome": outcome, "by": "ann", **fields}).status
        == 200
    )


def test_a_resolved_effect_is_inherited_by_forks_behind_its_resolution(
    server: RunningServer, channel: str
) -> None:
    """And by no other: what was open at the boundary is the child's to run, whatever is said of it later."""
    execution_id = give_up(server, channel, "charge")
    assert fork(server, channel, f"{channel}.before").status == 200
    resolve(server, execution_id, "applied", result="ch_1")
    assert fork(server, channel, f"{channel}.behind").status == 200
    behind = server.claim(f"{channel}.behind", "charge").body
    assert (behind["status"], behind["result"]) == ("replayed", "ch_1")
    assert server.claim(f"{channel}.before", "charge").body["status"] == "claimed"
    assert server.claim(channel, "charge").body["result"] == "ch_1"


def test_what_nobody_knows_is_run_by_a_child_unless_its_policies_say_no(
    server: RunningServer, channel: str
) -> None:
    """As everything that was open at the boundary. The parent's operation stays as it is."""
    execution_id = give_up(server, channel, "charge")
    for policy, status in (
        ("auto", "claimed"),
        ("replay", "fork_tool_blocked"),
        ("block", "fork_tool_blocked"),
    ):
        child = f"{channel}.{policy}"
        assert fork(server, channel, child, tool_policies={"charge": policy}).status == 200
        assert server.claim(child, "charge").body["status"] == status
    assert server.get(f"/executions/{execution_id}").body["execution"]["status"] == "ambiguous"


def test_a_child_s_own_outcome_is_unknown_on_the_child(
    server: RunningServer, channel: str, server_clock: Clock
) -> None:
    """Its row answers before anything that is inherited."""
    effect(server, channel, "other")
    child = f"{channel}.b"
    assert fork(server, channel, child, tool_policies={"charge": "live"}).status == 200
    server.claim(child, "charge", on_lapse="ambiguous", lease_seconds=10)
    server_clock.advance(11)
    assert server.claim(child, "charge").body["status"] == "execution_ambiguous"
    assert server.claim(channel, "charge").body["status"] == "claimed"


def test_a_key_whose_time_is_over_is_still_inherited(
    server: RunningServer, channel: str, server_clock: Clock
) -> None:
    """The time of a key ends in its own channel: running the tool again is no answer to that."""
    effect(server, channel, "charge", result="ch_1", ttl_seconds=60)
    assert fork(server, channel, f"{channel}.before").status == 200
    server_clock.advance(61)
    assert server.claim(channel, "charge").body["status"] == "key_expired"
    assert fork(server, channel, f"{channel}.after").status == 200
    for child in (f"{channel}.before", f"{channel}.after"):
        assert server.claim(child, "charge").body["result"] == "ch_1"


def test_a_recorded_failure_is_not_inherited(server: RunningServer, channel: str) -> None:
    """Whatever the claim says about failures."""
    held = server.claim(channel, "charge").body
    failed = {"claim_token": held["claim_token"], "message": "no"}
    assert server.post(f"/executions/{held['execution']['id']}/fail", failed).status == 200
    assert fork(server, channel, f"{channel}.b").status == 200
    assert server.claim(channel, "charge", on_failure="replay").body["status"] == "replayed"
    assert server.claim(f"{channel}.b", "charge", on_failure="replay").body["status"] == "claimed"
    for each in (channel, f"{channel}.b"):
        assert server.get(f"/events/verify/{each}").body["valid"]
