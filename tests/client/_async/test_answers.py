"""What each call makes of the answer."""

import json
from decimal import Decimal
from typing import assert_never

import pytest

from actae_client import ActaeClient, Claimed, ExecutionClaim, InProgress, Reclaimed, Replayed
from actae_client.types import Capabilities, Owned
from tests.client.support.replies import CLAIMED, EVENT, EXECUTION, METADATA
from tests.client.support.scripted_server import Answer, ScriptedServer


async def test_record_returns_the_event(client: ActaeClient, scripted: ScriptedServer) -> None:
    """The event has the names of the wire, but for its type; unknown keys are ignored."""
    scripted.answers({"event": {**EVENT, "hash": "9f2c"}})
    event = await client.record("run-7", "note", {"text": "hello"}, actor="agent")
    assert event.id == EVENT["id"]
    assert (event.event_type, event.cursor, event.channel_cursor) == ("note", 3, 3)
    assert (event.user_id, event.metadata, event.depends_on) == ("u-1", {"model": "m"}, None)


@pytest.mark.parametrize("digits", ["9" * 5_000, "-1" + "0" * 4_300])
@pytest.mark.parametrize("wrapped", ["%s", '{"$sonic_rs::private::JsonNumber":"%s"}'])
async def test_an_integer_without_end_is_a_decimal(
    client: ActaeClient, scripted: ScriptedServer, digits: str, wrapped: str
) -> None:
    """Somebody else's claim must not make a list unreadable; other integers stay what they are."""
    params = '{"n":%s,"small":7}' % (wrapped % digits)
    scripted.answers('{"executions":[%s]}' % json.dumps({**EXECUTION, "params": "@"}).replace('"@"', params))  # noqa: UP031
    (listed,) = await client.list_executions("run-7")
    assert listed.params == {"n": Decimal(digits), "small": 7}
    assert type(listed.params["small"]) is int


async def test_transition_returns_event_and_version(client: ActaeClient, scripted: ScriptedServer) -> None:
    """Both halves of the write come back."""
    scripted.answers({"event": EVENT, "state_version": 4})
    result = await client.transition("run-7", "note", None, {})
    assert (result.event.cursor, result.state_version) == (3, 4)


async def test_replay_and_query_return_events_in_order(client: ActaeClient, scripted: ScriptedServer) -> None:
    """The order is the server's."""
    scripted.answers({"events": [EVENT, {**EVENT, "cursor": 4, "channel_cursor": 4}]})
    assert [event.cursor for event in await client.replay("run-7")] == [3, 4]
    assert [event.cursor for event in await client.query()] == [3, 4]


async def test_what_does_not_exist_yet_is_none(client: ActaeClient, scripted: ScriptedServer) -> None:
    """Reads of channels without events or state are answered with an empty form."""
    scripted.answers({"latest_cursor": None, "cursor": None, "events": [], "versions": []})
    assert await client.get_cursor("run-7") is None
    assert await client.latest_state("run-7") is None
    assert await client.get_state("run-7", 1) is None
    assert await client.replay("run-7") == []
    assert await client.list_states("run-7") == []


async def test_state_comes_with_its_cursor(client: ActaeClient, scripted: ScriptedServer) -> None:
    """Cursor 0 is a state, and its value may be null."""
    scripted.answers({"cursor": 0, "state": None, "version": 4, "timestamp": "2026-03-01T09:30:00Z"})
    assert await client.latest_state("run-7") == {"cursor": 0, "state": None}
    assert await client.get_state("run-7", 4) == {"cursor": 0, "state": None, "version": 4}
    await client.delete_state("run-7", 4)


async def test_save_state_returns_the_version(client: ActaeClient, scripted: ScriptedServer) -> None:
    """The number of the new snapshot."""
    scripted.answers({"version": 5, "channel_id": "run-7"})
    assert await client.save_state("run-7", 3, {}) == 5


async def test_unknown_keys_in_metadata_are_ignored(client: ActaeClient, scripted: ScriptedServer) -> None:
    """A newer server may say more; what it leaves out has its default."""
    scripted.answers({**METADATA, "status": "open", "created_at": "2026-03-01T09:30:00Z"})
    metadata = await client.get_channel_metadata("run-7")
    assert metadata is not None
    assert (metadata.display_name, metadata.restorable, metadata.manifest) == ("Nightly", False, None)


async def test_a_missing_channel_or_step_is_none(client: ActaeClient, scripted: ScriptedServer) -> None:
    """For these three, "not found" is an answer."""
    scripted.answers({"status": "channel_not_found", "error": "no such channel"}, status=404)
    assert await client.get_channel_metadata("run-7") is None
    assert await client.resolve_step("run-7", 1) is None
    assert await client.latest_step_number("run-7") is None


async def test_steps(client: ActaeClient, scripted: ScriptedServer) -> None:
    """A step is found at its owner; 0 means that there is none."""
    scripted.answers({"channel_id": "run-6", "step_number": 2, "cursor": 9, "event_id": "e-1"})
    assert await client.resolve_step("run-7", 2) == ("run-6", 9, "e-1")
    scripted.answers({"last_step_number": 0})
    assert await client.latest_step_number("run-7") == 0


@pytest.mark.parametrize(("status", "kind"), [("claimed", Claimed), ("reclaimed", Reclaimed)])
async def test_the_owner_gets_a_token(
    client: ActaeClient, scripted: ScriptedServer, status: str, kind: type
) -> None:
    """A claim that makes the caller the owner carries the token, and no result."""
    scripted.answers({**CLAIMED, "status": status})
    claim = await client.claim_execution("run-7", "k", "mail.send")
    assert isinstance(claim, kind)
    assert isinstance(claim, Owned)
    assert (claim.status, claim.claim_token, claim.result) == (status, "ct_5QZ", None)
    assert claim.execution.attempts == 1


async def test_a_replay_has_the_result_and_no_token(client: ActaeClient, scripted: ScriptedServer) -> None:
    """What was completed before comes back, null included."""
    scripted.answers({"status": "replayed", "execution": EXECUTION, "result": [1], "claim_token": None})
    claim = await client.claim_execution("run-7", "k", "mail.send")
    assert isinstance(claim, Replayed)
    assert (claim.status, claim.result, claim.claim_token) == ("replayed", [1], None)


async def test_every_claim_matches_one_case(client: ActaeClient, scripted: ScriptedServer) -> None:
    """A match on the answer is complete, and its status says the same."""
    for status in ("claimed", "reclaimed", "replayed", "in_progress"):
        scripted.answers({**CLAIMED, "status": status})
        claim = await client.claim_execution("run-7", "k", "mail.send")
        assert isinstance(claim, ExecutionClaim)
        assert claim.status == status
        assert described(claim) == status


def described(claim: ExecutionClaim) -> str:
    """One word for each kind of answer."""
    match claim:
        case Claimed(claim_token=token):
            return "claimed" if token else "claimed without a token"
        case Reclaimed():
            return "reclaimed"
        case Replayed(result=None):
            return "replayed"
        case Replayed():
            return "replayed with a result"
        case InProgress(execution=execution):
            return "in_progress" if execution.lease_until else "in progress without end"
        case _:
            assert_never(claim)


async def test_executions_are_read_and_deleted(client: ActaeClient, scripted: ScriptedServer) -> None:
    """Reading gives the operation, deleting True."""
    scripted.answers({"execution": EXECUTION, "executions": [EXECUTION]})
    assert (await client.get_execution("run-7~5f0c")).key_name == "invoice-88:send"
    assert [item.id for item in await client.list_executions("run-7")] == ["run-7~5f0c"]
    assert await client.delete_execution("run-7~5f0c") is True


async def test_signing_in_gives_user_and_token(client: ActaeClient, scripted: ScriptedServer) -> None:
    """The token is in the result, and not in what is printed."""
    scripted.answers({"user": {"id": "u-1", "email": "a@example.org"}, "token": "jwt-canary"})
    result = await client.login("a@example.org", "secret")
    assert (result.user.email, result.user.email_verified, result.token) == (
        "a@example.org",
        False,
        "jwt-canary",
    )
    assert "jwt-canary" not in repr(result)


async def test_capabilities(client: ActaeClient, scripted: ScriptedServer) -> None:
    """Missing lists count as empty."""
    scripted.answers({"permissions": {"read": ["*"], "write": None}, "auth_method": "api_key"})
    assert await client.capabilities() == Capabilities(read=["*"], auth_method="api_key")


async def test_who_may_observe(client: ActaeClient, scripted: ScriptedServer) -> None:
    """Whoever may read may, and whoever may only see that something happened."""
    scripted.answers({"permissions": {"read": ["mine-*"], "observe": ["theirs-*"]}})
    granted = await client.capabilities()
    channels = ("mine-1", "theirs-1", "other-1")
    assert [granted.can("observe", channel) for channel in channels] == [True, True, False]
    assert [granted.can_read(channel) for channel in channels] == [True, False, False]


async def test_verify_chain(client: ActaeClient, scripted: ScriptedServer) -> None:
    """The result says where the chain breaks."""
    scripted.answers(
        {
            "channel_id": "run-7",
            "valid": False,
            "event_count": 3,
            "head_cursor": 3,
            "head_hash": "9f2c",
            "first_invalid_cursor": 2,
        }
    )
    verified = await client.verify_chain("run-7")
    assert (verified.valid, verified.first_invalid_cursor) == (False, 2)


async def test_health(client: ActaeClient, scripted: ScriptedServer) -> None:
    """Components keep what they say beside their status."""
    scripted.answers(
        {
            "status": "degraded",
            "timestamp": "2026-03-01T09:30:00Z",
            "instance_id": "i-1",
            "check_duration_ms": 2,
            "components": {"database": {"status": "down", "reason": "refused"}},
        }
    )
    health = await client.health_check()
    assert health.components["database"].status == "down"
    assert health.components["database"].details == {"reason": "refused"}


async def test_readiness(client: ActaeClient, scripted: ScriptedServer) -> None:
    """The checks are flattened into the result."""
    scripted.answers({"status": "ready", "readiness_checks": {"database_ready": True, "max_connections": 9}})
    ready = await client.readiness_check()
    assert (ready.status, ready.database_ready, ready.max_connections) == ("ready", True, 9)


async def test_metrics(client: ActaeClient, scripted: ScriptedServer) -> None:
    """As text for Prometheus, and as numbers."""
    scripted.will(Answer(200, "actae_up 1\n", content_type="text/plain; version=0.0.4"))
    assert await client.get_metrics_text() == "actae_up 1\n"
    scripted.answers({"status": "ok", "uptime_seconds": 5, "websocket": {"connections": 2}})
    metrics = await client.get_metrics_json()
    assert (metrics.connections, metrics.total_messages) == (2, 0)


async def test_open_objects_come_back_untouched(client: ActaeClient, scripted: ScriptedServer) -> None:
    """What has no fixed shape is a dict."""
    scripted.answers({"status": "closed", "closed_at": "2026-03-01T09:30:00Z"})
    closed = {"status": "closed", "closed_at": "2026-03-01T09:30:00Z"}
    assert await client.close_channel("run-7") == closed
    assert await client.delete_channel("run-7") == closed
    assert await client.causal_graph("e-1") == closed
    assert await client.instance() == closed
    assert await client.preferences() == closed
    assert await client.update_preferences({"theme": "dark"}) == closed


async def test_large_numbers_and_strange_text_come_back_as_they_are(
    client: ActaeClient, scripted: ScriptedServer
) -> None:
    """Big integers, NUL and lone surrogates survive the way back."""
    payload = {"n": 2**70, "text": "\0 \ud800 é"}
    scripted.answers({"event": {**EVENT, "payload": payload}})
    event = await client.record("run-7", "note", None, actor="a")
    assert event.payload == payload


async def test_wrapped_numbers_are_unwrapped(client: ActaeClient, scripted: ScriptedServer) -> None:
    """Some servers of this protocol write numbers as objects of one key."""
    wrapped = {"$sonic_rs::private::JsonNumber": "12"}
    scripted.answers({"cursor": wrapped, "state": {"n": wrapped}, "version": wrapped})
    assert await client.get_state("run-7", 12) == {"cursor": 12, "state": {"n": 12}, "version": 12}


@pytest.mark.parametrize("text", ["hello", "", " 12", "012", "NaN", "[1]", '{"a":1}', '"x"', "1" + "\n"])
async def test_what_wraps_no_number_is_an_object(
    client: ActaeClient, scripted: ScriptedServer, text: str
) -> None:
    """Somebody's own data must not make a channel unreadable."""
    data = {"page": {"$sonic_rs::private::JsonNumber": text}, "n": {"$sonic_rs::private::JsonNumber": "1.5"}}
    scripted.answers({"cursor": 12, "state": data, "version": 12})
    assert (await client.get_state("run-7", 12))["state"] == {**data, "n": 1.5}
