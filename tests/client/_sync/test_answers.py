# Written by tools/generate_sync.py from _async/test_answers.py. Do not edit.
"""What each call makes of the answer."""

import json
from decimal import Decimal
from typing import assert_never

import pytest

from actae_client import Claimed, ExecutionClaim, InProgress, Reclaimed, Replayed, SyncActaeClient
from actae_client.types import Capabilities, Owned
from tests.client.support.replies import CLAIMED, EVENT, EXECUTION, METADATA
from tests.client.support.scripted_server import Answer, ScriptedServer


def test_record_returns_the_event(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """The event has the names of the wire, but for its type; unknown keys are ignored."""
    scripted.answers({"event": {**EVENT, "hash": "9f2c"}})
    event = client.record("run-7", "note", {"text": "hello"}, actor="agent")
    assert event.id == EVENT["id"]
    assert (event.event_type, event.cursor, event.channel_cursor) == ("note", 3, 3)
    assert (event.user_id, event.metadata, event.depends_on) == ("u-1", {"model": "m"}, None)


@pytest.mark.parametrize("digits", ["9" * 5_000, "-1" + "0" * 4_300])
@pytest.mark.parametrize("wrapped", ["%s", '{"$sonic_rs::private::JsonNumber":"%s"}'])
def test_an_integer_without_end_is_a_decimal(
    client: SyncActaeClient, scripted: ScriptedServer, digits: str, wrapped: str
) -> None:
    """Somebody else's claim must not make a list unreadable; other integers stay what they are."""
    params = '{"n":%s,"small":7}' % (wrapped % digits)
    scripted.answers('{"executions":[%s]}' % json.dumps({**EXECUTION, "params": "@"}).replace('"@"', params))  # noqa: UP031
    (listed,) = client.list_executions("run-7")
    assert listed.params == {"n": Decimal(digits), "small": 7}
    assert type(listed.params["small"]) is int


def test_transition_returns_event_and_version(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """Both halves of the write come back."""
    scripted.answers({"event": EVENT, "state_version": 4})
    result = client.transition("run-7", "note", None, {})
    assert (result.event.cursor, result.state_version) == (3, 4)


def test_replay_and_query_return_events_in_order(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """The order is the server's."""
    scripted.answers({"events": [EVENT, {**EVENT, "cursor": 4, "channel_cursor": 4}]})
    assert [event.cursor for event in client.replay("run-7")] == [3, 4]
    assert [event.cursor for event in client.query()] == [3, 4]


def test_what_does_not_exist_yet_is_none(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """Reads of channels without events or state are answered with an empty form."""
    scripted.answers({"latest_cursor": None, "cursor": None, "events": [], "versions": []})
    assert client.get_cursor("run-7") is None
    assert client.latest_state("run-7") is None
    assert client.get_state("run-7", 1) is None
    assert client.replay("run-7") == []
    assert client.list_states("run-7") == []


def test_state_comes_with_its_cursor(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """Cursor 0 is a state, and its value may be null."""
    scripted.answers({"cursor": 0, "state": None, "version": 4, "timestamp": "2026-03-01T09:30:00Z"})
    assert client.latest_state("run-7") == {"cursor": 0, "state": None}
    assert client.get_state("run-7", 4) == {"cursor": 0, "state": None, "version": 4}
    client.delete_state("run-7", 4)


def test_save_state_returns_the_version(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """The number of the new snapshot."""
    scripted.answers({"version": 5, "channel_id": "run-7"})
    assert client.save_state("run-7", 3, {}) == 5


def test_unknown_keys_in_metadata_are_ignored(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """A newer server may say more; what it leaves out has its default."""
    scripted.answers({**METADATA, "status": "open", "created_at": "2026-03-01T09:30:00Z"})
    metadata = client.get_channel_metadata("run-7")
    assert metadata is not None
    assert (metadata.display_name, metadata.restorable, metadata.manifest) == ("Nightly", False, None)


def test_a_missing_channel_or_step_is_none(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """For these three, "not found" is an answer."""
    scripted.answers({"status": "channel_not_found", "error": "no such channel"}, status=404)
    assert client.get_channel_metadata("run-7") is None
    assert client.resolve_step("run-7", 1) is None
    assert client.latest_step_number("run-7") is None


def test_steps(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """A step is found at its owner; 0 means that there is none."""
    scripted.answers({"channel_id": "run-6", "step_number": 2, "cursor": 9, "event_id": "e-1"})
    assert client.resolve_step("run-7", 2) == ("run-6", 9, "e-1")
    scripted.answers({"last_step_number": 0})
    assert client.latest_step_number("run-7") == 0


@pytest.mark.parametrize(("status", "kind"), [("claimed", Claimed), ("reclaimed", Reclaimed)])
def test_the_owner_gets_a_token(
    client: SyncActaeClient, scripted: ScriptedServer, status: str, kind: type
) -> None:
    """A claim that makes the caller the owner carries the token, and no result."""
    scripted.answers({**CLAIMED, "status": status})
    claim = client.claim_execution("run-7", "k", "mail.send")
    assert isinstance(claim, kind)
    assert isinstance(claim, Owned)
    assert (claim.status, claim.claim_token, claim.result) == (status, "ct_5QZ", None)
    assert claim.execution.attempts == 1


def test_a_replay_has_the_result_and_no_token(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """What was completed before comes back, null included."""
    scripted.answers({"status": "replayed", "execution": EXECUTION, "result": [1], "claim_token": None})
    claim = client.claim_execution("run-7", "k", "mail.send")
    assert isinstance(claim, Replayed)
    assert (claim.status, claim.result, claim.claim_token) == ("replayed", [1], None)


def test_every_claim_matches_one_case(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """A match on the answer is complete, and its status says the same."""
    for status in ("claimed", "reclaimed", "replayed", "in_progress"):
        scripted.answers({**CLAIMED, "status": status})
        claim = client.claim_execution("run-7", "k", "mail.send")
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


def test_executions_are_read_and_deleted(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """Reading gives the operation, deleting True."""
    scripted.answers({"execution": EXECUTION, "executions": [EXECUTION]})
    assert (client.get_execution("run-7~5f0c")).key_name == "invoice-88:send"
    assert [item.id for item in client.list_executions("run-7")] == ["run-7~5f0c"]
    assert client.delete_execution("run-7~5f0c") is True


def test_signing_in_gives_user_and_token(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """The token is in the result, and not in what is printed."""
    scripted.answers({"user": {"id": "u-1", "email": "a@example.org"}, "token": "jwt-canary"})
    result = client.login("a@example.org", "secret")
    assert (result.user.email, result.user.email_verified, result.token) == (
        "a@example.org",
        False,
        "jwt-canary",
    )
    assert "jwt-canary" not in repr(result)


def test_capabilities(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """Missing lists count as empty."""
    scripted.answers({"permissions": {"read": ["*"], "write": None}, "auth_method": "api_key"})
    assert client.capabilities() == Capabilities(read=["*"], auth_method="api_key")


def test_who_may_observe(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """Whoever may read may, and whoever may only see that something happened."""
    scripted.answers({"permissions": {"read": ["mine-*"], "observe": ["theirs-*"]}})
    granted = client.capabilities()
    channels = ("mine-1", "theirs-1", "other-1")
    assert [granted.can("observe", channel) for channel in channels] == [True, True, False]
    assert [granted.can_read(channel) for channel in channels] == [True, False, False]


def test_verify_chain(client: SyncActaeClient, scripted: ScriptedServer) -> None:
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
    verified = client.verify_chain("run-7")
    assert (verified.valid, verified.first_invalid_cursor) == (False, 2)


def test_health(client: SyncActaeClient, scripted: ScriptedServer) -> None:
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
    health = client.health_check()
    assert health.components["database"].status == "down"
    assert health.components["database"].details == {"reason": "refused"}


def test_readiness(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """The checks are flattened into the result."""
    scripted.answers({"status": "ready", "readiness_checks": {"database_ready": True, "max_connections": 9}})
    ready = client.readiness_check()
    assert (ready.status, ready.database_ready, ready.max_connections) == ("ready", True, 9)


def test_metrics(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """As text for Prometheus, and as numbers."""
    scripted.will(Answer(200, "actae_up 1\n", content_type="text/plain; version=0.0.4"))
    assert client.get_metrics_text() == "actae_up 1\n"
    scripted.answers({"status": "ok", "uptime_seconds": 5, "websocket": {"connections": 2}})
    metrics = client.get_metrics_json()
    assert (metrics.connections, metrics.total_messages) == (2, 0)


def test_open_objects_come_back_untouched(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """What has no fixed shape is a dict."""
    scripted.answers({"status": "closed", "closed_at": "2026-03-01T09:30:00Z"})
    closed = {"status": "closed", "closed_at": "2026-03-01T09:30:00Z"}
    assert client.close_channel("run-7") == closed
    assert client.delete_channel("run-7") == closed
    assert client.causal_graph("e-1") == closed
    assert client.instance() == closed
    assert client.preferences() == closed
    assert client.update_preferences({"theme": "dark"}) == closed


def test_large_numbers_and_strange_text_come_back_as_they_are(
    client: SyncActaeClient, scripted: ScriptedServer
) -> None:
    """Big integers, NUL and lone surrogates survive the way back."""
    payload = {"n": 2**70, "text": "\0 \ud800 é"}
    scripted.answers({"event": {**EVENT, "payload": payload}})
    event = client.record("run-7", "note", None, actor="a")
    assert event.payload == payload


def test_wrapped_numbers_are_unwrapped(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """Some servers of this protocol write numbers as objects of one key."""
    wrapped = {"$sonic_rs::private::JsonNumber": "12"}
    scripted.answers({"cursor": wrapped, "state": {"n": wrapped}, "version": wrapped})
    assert client.get_state("run-7", 12) == {"cursor": 12, "state": {"n": 12}, "version": 12}


@pytest.mark.parametrize("text", ["hello", "", " 12", "012", "NaN", "[1]", '{"a":1}', '"x"', "1" + "\n"])
def test_what_wraps_no_number_is_an_object(
    client: SyncActaeClient, scripted: ScriptedServer, text: str
) -> None:
    """Somebody's own data must not make a channel unreadable."""
    data = {"page": {"$sonic_rs::private::JsonNumber": text}, "n": {"$sonic_rs::private::JsonNumber": "1.5"}}
    scripted.answers({"cursor": 12, "state": data, "version": 12})
    assert (client.get_state("run-7", 12))["state"] == {**data, "n": 1.5}
