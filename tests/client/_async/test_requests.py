"""What each call sends."""

from typing import Any
from uuid import UUID

import pytest

from actae_client import ActaeClient
from tests.client.support.replies import CLAIMED, EVENT, EXECUTION, METADATA
from tests.client.support.scripted_server import ScriptedServer


async def test_every_request_carries_the_key(client: ActaeClient, scripted: ScriptedServer) -> None:
    """The key travels in x-api-key, and a body says that it is JSON."""
    scripted.answers({"event": EVENT})
    await client.record("run-7", "note", None, actor="a")
    assert scripted.last.headers["x-api-key"] == "sk-test"
    assert scripted.last.headers["content-type"] == "application/json"


async def test_record_sends_all_that_it_was_given(client: ActaeClient, scripted: ScriptedServer) -> None:
    """Each argument has its place in the body."""
    scripted.answers({"event": EVENT})
    await client.record(
        "run-7",
        "note",
        {"text": "hello"},
        actor="agent",
        agent_id="a-1",
        user_id="u-1",
        metadata={"model": "m"},
        operation_id="op-1",
        step_number=2,
        dependencies=[{"event_id": "e-1"}],
    )
    assert (scripted.last.method, scripted.last.target) == ("POST", "/api/v1/events/record")
    assert scripted.last.json == {
        "channel_id": "run-7",
        "event_type": "note",
        "payload": {"text": "hello"},
        "metadata": {
            "actor": "agent",
            "agent_id": "a-1",
            "user_id": "u-1",
            "metadata": {"model": "m"},
        },
        "operation_id": "op-1",
        "step_number": 2,
        "dependencies": [{"event_id": "e-1"}],
    }


async def test_writes_get_an_identity(client: ActaeClient, scripted: ScriptedServer) -> None:
    """Without an operation_id, each logical call has one of its own."""
    scripted.answers({"event": EVENT, "state_version": 1, "version": 1})
    await client.record("run-7", "note", None, actor="a")
    await client.transition("run-7", "note", None, {})
    await client.save_state("run-7", 0, {})
    made = [heard.json["operation_id"] for heard in scripted.heard]
    assert len(set(made)) == 3
    for identity in made:
        assert UUID(identity).version == 4


async def test_transition_leaves_out_what_is_not_set(client: ActaeClient, scripted: ScriptedServer) -> None:
    """Empty metadata and absent expectations do not travel; an expectation of 0 does."""
    scripted.answers({"event": EVENT, "state_version": 1})
    await client.transition("run-7", "note", 1, {"n": 1}, metadata={}, operation_id="op", expected_version=0)
    assert scripted.last.json == {
        "channel_id": "run-7",
        "type": "note",
        "payload": 1,
        "state": {"n": 1},
        "metadata": {"actor": "system"},
        "operation_id": "op",
        "expected_version": 0,
    }


async def test_a_claim_sends_an_attempt_id(client: ActaeClient, scripted: ScriptedServer) -> None:
    """The attempt id is made by the client; nulls and False stay at home."""
    scripted.answers(CLAIMED)
    await client.claim_execution("run-7", "k", "mail.send")
    body = scripted.last.json
    assert UUID(body.pop("attempt_id")).version == 4
    assert body == {"channel_id": "run-7", "key_name": "k", "tool_name": "mail.send"}


async def test_a_claim_sends_all_that_it_was_given(client: ActaeClient, scripted: ScriptedServer) -> None:
    """Each argument has its place in the body, an empty list included."""
    scripted.answers(CLAIMED)
    await client.claim_execution(
        "run-7",
        "k",
        "mail.send",
        {"invoice": 88},
        dedup_fields=[],
        lease_seconds=30,
        emit_replay_event=True,
        actor="agent",
        attempt_id="a-1",
        on_lapse="ambiguous",
        dispatches=True,
        on_failure="replay",
        ttl_seconds=3600,
    )
    assert scripted.last.json == {
        "channel_id": "run-7",
        "key_name": "k",
        "tool_name": "mail.send",
        "attempt_id": "a-1",
        "params": {"invoice": 88},
        "dedup_fields": [],
        "lease_seconds": 30,
        "emit_replay_event": True,
        "actor": "agent",
        "on_lapse": "ambiguous",
        "dispatches": True,
        "on_failure": "replay",
        "ttl_seconds": 3600,
    }


@pytest.mark.parametrize(
    ("method", "args", "kwargs", "route", "body"),
    [
        (
            "complete_execution",
            ("run-7~5f", "t", False),
            {},
            "complete",
            {"claim_token": "t", "result": False},
        ),
        ("complete_execution", ("run-7~5f", "t"), {}, "complete", {"claim_token": "t"}),
        (
            "fail_execution",
            ("run-7~5f", "broke"),
            {"claim_token": "t", "error_type": "OSError", "stack": "…"},
            "fail",
            {"message": "broke", "claim_token": "t", "error_type": "OSError", "stack": "…"},
        ),
        (
            "heartbeat_execution",
            ("run-7~5f", "t", 9),
            {},
            "heartbeat",
            {"claim_token": "t", "lease_seconds": 9},
        ),
        (
            "fail_execution",
            ("run-7~5f", "silence"),
            {"claim_token": "t", "outcome_unknown": True},
            "fail",
            {"message": "silence", "claim_token": "t", "outcome_unknown": True},
        ),
        ("mark_dispatched", ("run-7~5f", "t"), {}, "dispatched", {"claim_token": "t"}),
        ("cancel_execution", ("run-7~5f", "t"), {}, "cancel", {"claim_token": "t"}),
        (
            "resolve_execution",
            ("run-7~5f", "applied"),
            {
                "by": "ada",
                "result": 0,
                "reason": "seen",
                "evidence": [1],
                "attempts": 2,
                "operation_id": "op",
            },
            "resolve",
            {
                "outcome": "applied",
                "by": "ada",
                "result": 0,
                "reason": "seen",
                "evidence": [1],
                "attempts": 2,
                "operation_id": "op",
            },
        ),
    ],
)
async def test_what_settles_an_operation(
    client: ActaeClient,
    scripted: ScriptedServer,
    method: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    route: str,
    body: dict[str, Any],
) -> None:
    """The token and the rest travel in the body, the id in the path."""
    scripted.answers({"execution": EXECUTION})
    execution = await getattr(client, method)(*args, **kwargs)
    assert execution.id == EXECUTION["id"]
    assert scripted.last.target == f"/api/v1/executions/run-7~5f/{route}"
    assert scripted.last.json == body


@pytest.mark.parametrize(
    ("method", "args", "kwargs", "sent"),
    [
        ("replay", ("run-7",), {}, "GET /api/v1/events/replay/run-7?limit=100"),
        (
            "replay",
            ("run-7",),
            {"cursor": 0, "limit": 5, "event_type": "a b&c"},
            "GET /api/v1/events/replay/run-7?limit=5&cursor=0&event_type=a+b%26c",
        ),
        ("get_cursor", ("run:7",), {}, "GET /api/v1/events/cursor/run:7"),
        ("latest_cursor", ("run-7",), {}, "GET /api/v1/events/cursor/run-7"),
        ("causal_graph", ("e/1",), {"max_nodes": 5}, "GET /api/v1/events/e%2F1/causal-graph?max_nodes=5"),
        ("latest_state", ("run-7",), {}, "GET /api/v1/state/run-7"),
        ("list_states", ("run-7",), {}, "GET /api/v1/state/run-7/versions?limit=100&offset=0"),
        ("get_state", ("run-7", 4), {}, "GET /api/v1/state/run-7/version/4"),
        ("delete_state", ("run-7", 4), {}, "DELETE /api/v1/state/run-7/version/4"),
        ("list_channels", (), {}, "GET /api/v1/channels"),
        ("get_channel_metadata", ("run-7",), {}, "GET /api/v1/channels/run-7/metadata"),
        ("resolve_step", ("run-7", 3), {}, "GET /api/v1/channels/run-7/steps/3"),
        ("latest_step_number", ("run-7",), {}, "GET /api/v1/channels/run-7/steps"),
        ("close_channel", ("run-7",), {}, "POST /api/v1/channels/run-7/close"),
        ("delete_channel", ("run-7",), {}, "DELETE /api/v1/channels/run-7?recursive=false"),
        ("delete_channel", ("run-7", True), {}, "DELETE /api/v1/channels/run-7?recursive=true"),
        ("get_execution", ("run-7~5f?x",), {}, "GET /api/v1/executions/run-7~5f%3Fx"),
        ("list_executions", ("run-7",), {}, "GET /api/v1/executions?channel_id=run-7&limit=50"),
        (
            "list_executions",
            ("run-7", 9),
            {"offset": 18, "status": "lapsed"},
            "GET /api/v1/executions?channel_id=run-7&limit=9&offset=18&status=lapsed",
        ),
        ("delete_execution", ("run-7~5f",), {}, "DELETE /api/v1/executions/run-7~5f"),
        ("get_checklist", ("run-7",), {}, "GET /api/v1/channels/run-7/checklist"),
        ("list_checklists", ("run*",), {}, "GET /api/v1/checklists?pattern=run%2A&limit=20"),
        ("capabilities", (), {}, "GET /api/v1/auth/capabilities"),
        ("auth_config", (), {}, "GET /api/v1/auth/config"),
        ("preferences", (), {}, "GET /api/v1/user/preferences"),
        ("instance", (), {}, "GET /api/v1/instance"),
        ("health_check", (), {}, "GET /healthz"),
        ("readiness_check", (), {}, "GET /readyz"),
        ("get_metrics_text", (), {}, "GET /metrics"),
        ("get_metrics_json", (), {}, "GET /metrics.json"),
    ],
)
async def test_calls_without_a_body(
    client: ActaeClient,
    scripted: ScriptedServer,
    method: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    sent: str,
) -> None:
    """The path and its query say it all; ids are percent-encoded."""
    scripted.answers(
        {
            "events": [],
            "latest_cursor": None,
            "cursor": None,
            "versions": [],
            "channels": [],
            "checklists": [],
            "executions": [],
            "execution": EXECUTION,
            "step_number": 3,
            "last_step_number": 3,
            "status": "ok",
            **METADATA,
        }
    )
    if method == "resolve_step":
        scripted.answers({"channel_id": "run-7", "cursor": 3})
    await getattr(client, method)(*args, **kwargs)
    assert f"{scripted.last.method} {scripted.last.target}" == sent
    assert scripted.last.body == b""


async def test_query_leaves_out_what_is_not_set(client: ActaeClient, scripted: ScriptedServer) -> None:
    """Only the limit always travels; times have their short names."""
    scripted.answers({"events": []})
    await client.query()
    assert scripted.last.json == {"limit": 100}
    await client.query(channel_ids=[], cursor_start=0, from_time="2026-01-01T00:00:00Z", offset=5, limit=7)
    assert scripted.last.json == {
        "limit": 7,
        "channel_ids": [],
        "cursor_start": 0,
        "from": "2026-01-01T00:00:00Z",
        "offset": 5,
    }


async def test_update_metadata_sends_empty_values(client: ActaeClient, scripted: ScriptedServer) -> None:
    """An empty text or object is a value: it overwrites."""
    scripted.answers(METADATA)
    await client.update_metadata("run-7", display_name="", experiment_metadata={})
    assert (scripted.last.method, scripted.last.target) == ("PUT", "/api/v1/channels/run-7/metadata")
    assert scripted.last.json == {"channel_id": "run-7", "display_name": "", "experiment_metadata": {}}


async def test_account_calls_carry_the_token(client: ActaeClient, scripted: ScriptedServer) -> None:
    """The bearer token travels beside the key, and only where it was given."""
    scripted.answers({"user": {"id": "u-1", "email": "a@example.org"}, "token": "jwt"})
    await client.get_me("jwt-1")
    assert scripted.last.headers["authorization"] == "Bearer jwt-1"
    await client.logout("jwt-1")
    assert (scripted.last.method, scripted.last.target) == ("POST", "/api/v1/auth/logout")
    await client.login("a@example.org", "secret")
    assert scripted.last.json == {"email": "a@example.org", "password": "secret"}
    assert "authorization" not in scripted.last.headers
    await client.signup("a@example.org", "secret", "")
    assert scripted.last.json == {"email": "a@example.org", "password": "secret"}


async def test_large_numbers_and_strange_text_arrive_as_they_are(
    client: ActaeClient, scripted: ScriptedServer
) -> None:
    """Big integers, NUL, lone surrogates and key order survive the way there."""
    scripted.answers({"event": EVENT})
    payload = {"z": 2**70, "a": "\0 \ud800 é 漢", "f": 1.1, "empty": [{}, [], "", None]}
    await client.record("run-7", "note", payload, actor="a")
    heard = scripted.last.json["payload"]
    assert heard == payload
    assert list(heard) == list(payload)
