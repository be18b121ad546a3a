"""The client against a real server and its database."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from actae_client import ActaeClient, Claimed, InProgress, Reclaimed, Replayed, errors
from tests.support.postgres import Clock

STRANGE = {"n": 2**70, "small": 1e-300, "text": "\0 \ud800 é 漢", "empty": [{}, [], "", None], "z": 1, "a": 2}


async def test_events_are_recorded_and_replayed(actae: ActaeClient, channel: str) -> None:
    """In order, page by page, and with everything that they carried."""
    first = await actae.record(
        channel, "note", STRANGE, actor="agent", agent_id="a-1", user_id="u-1", metadata={"model": "m"}
    )
    second = await actae.record(channel, "other", None, actor="agent", dependencies=[{"event_id": first.id}])
    assert (first.cursor, second.cursor, second.depends_on) == (1, 2, first.id)
    assert await actae.get_cursor(channel) == 2
    assert await actae.replay(channel) == [first, second]
    assert await actae.replay(channel, cursor=1) == [second]
    assert await actae.replay(channel, event_type="note", limit=1) == [first]
    (replayed,) = await actae.replay(channel, event_type="note")
    assert replayed.payload == STRANGE
    assert list(replayed.payload) == list(STRANGE)
    assert (replayed.agent_id, replayed.user_id, replayed.metadata) == ("a-1", "u-1", {"model": "m"})


async def test_a_write_with_the_same_identity_is_one_write(actae: ActaeClient, channel: str) -> None:
    """Repeating it returns the first event; other content under the id is refused."""
    identity = str(uuid4())
    first = await actae.record(channel, "note", {"a": 1, "b": 2}, actor="agent", operation_id=identity)
    again = await actae.record(channel, "note", {"b": 2, "a": 1}, actor="agent", operation_id=identity)
    assert again.id == first.id
    with pytest.raises(errors.IdempotencyConflictError) as caught:
        await actae.record(channel, "note", {"a": 2}, actor="agent", operation_id=identity)
    assert caught.value.status_code == 409
    assert caught.value.request_id


async def test_query_finds_events_across_channels(actae: ActaeClient, channel: str) -> None:
    """Newest first, by all that was asked for."""
    other = f"{channel}.b"
    await actae.record(channel, "note", 1, actor="one")
    await actae.record(other, "note", 2, actor="two")
    found = await actae.query(channel_ids=[channel, other])
    assert [event.payload for event in found] == [2, 1]
    assert [event.payload for event in await actae.query(channel_ids=[channel, other], actor="one")] == [1]
    assert await actae.query(channel_ids=[channel], cursor_start=2) == []


async def test_what_led_to_an_event(actae: ActaeClient, channel: str) -> None:
    """The graph holds the causes, and the chain of the channel is whole."""
    cause = await actae.record(channel, "note", 1, actor="a")
    effect = await actae.record(channel, "note", 2, actor="a", dependencies=[{"event_id": cause.id}])
    graph = await actae.causal_graph(effect.id)
    assert {event["id"] for event in graph["events"]} == {cause.id, effect.id}
    verified = await actae.verify_chain(channel)
    assert (verified.valid, verified.event_count, verified.first_invalid_cursor) == (True, 2, None)
    with pytest.raises(errors.EventNotFoundError):
        await actae.causal_graph(str(uuid4()))


async def test_state_and_event_commit_together(actae: ActaeClient, channel: str) -> None:
    """A wrong expectation leaves neither, and says what the right one is."""
    moved = await actae.transition(channel, "moved", {"to": 1}, {"at": 1}, expected_version=0)
    assert (moved.event.cursor, moved.state_version) == (1, 1)
    with pytest.raises(errors.VersionConflictError) as caught:
        await actae.transition(channel, "moved", {"to": 2}, {"at": 2}, expected_version=0)
    assert caught.value.current_version == 1
    assert await actae.get_cursor(channel) == 1
    assert await actae.latest_state(channel) == {"cursor": 1, "state": {"at": 1}}


async def test_states_are_numbered(actae: ActaeClient, channel: str) -> None:
    """Every version can be read, listed and removed."""
    assert await actae.latest_state(channel) is None
    assert await actae.save_state(channel, 0, STRANGE) == 1
    assert await actae.save_state(channel, 0, None, expected_version=1) == 2
    assert [item["version"] for item in await actae.list_states(channel)] == [2, 1]
    assert await actae.get_state(channel, 1) == {"cursor": 0, "state": STRANGE, "version": 1}
    await actae.delete_state(channel, 2)
    assert await actae.get_state(channel, 2) is None
    assert await actae.latest_state(channel) == {"cursor": 0, "state": STRANGE}


async def test_an_effect_runs_once(actae: ActaeClient, channel: str) -> None:
    """Claim, complete, and every later claim replays the result."""
    claim = await actae.claim_execution(channel, "invoice-88", "mail.send", {"invoice": 88}, actor="agent")
    assert isinstance(claim, Claimed)
    waiting = await actae.claim_execution(channel, "invoice-88", "mail.send", {"invoice": 88.0})
    assert isinstance(waiting, InProgress)
    done = await actae.complete_execution(claim.execution.id, claim.claim_token, STRANGE)
    assert (done.status, done.result) == ("completed", STRANGE)
    replayed = await actae.claim_execution(channel, "invoice-88", "mail.send", {"invoice": 88})
    assert isinstance(replayed, Replayed)
    assert replayed.result == STRANGE
    again = await actae.complete_execution(claim.execution.id, claim.claim_token, "ignored")
    assert again.result == STRANGE
    events = await actae.replay(channel)
    assert [event.event_type for event in events] == ["tool.started", "tool.completed"]


async def test_a_key_with_other_input_is_refused(actae: ActaeClient, channel: str) -> None:
    """Unless the fields that differ were said not to matter."""
    await actae.claim_execution(channel, "k", "tool", {"id": 1, "at": "now"}, dedup_fields=["id"])
    same = await actae.claim_execution(channel, "k", "tool", {"id": 1, "at": "later"}, dedup_fields=["id"])
    assert same.status == "in_progress"
    with pytest.raises(errors.IdempotencyKeyMismatchError):
        await actae.claim_execution(channel, "k", "tool", {"id": 2}, dedup_fields=["id"])


async def test_a_repeated_claim_with_the_same_attempt_gets_the_same_token(
    actae: ActaeClient, channel: str
) -> None:
    """So a claim whose reply was lost is not lost."""
    attempt = str(uuid4())
    first = await actae.claim_execution(channel, "k", "tool", attempt_id=attempt)
    again = await actae.claim_execution(channel, "k", "tool", attempt_id=attempt)
    assert isinstance(again, Claimed)
    assert again.claim_token == first.claim_token
    assert again.execution.attempts == 1


async def test_a_failed_effect_is_handed_out_again(actae: ActaeClient, channel: str) -> None:
    """With a new token, and the old one owns nothing any more."""
    first = await actae.claim_execution(channel, "k", "tool")
    failed = await actae.fail_execution(
        first.execution.id, "refused", claim_token=first.claim_token, error_type="OSError", stack="…"
    )
    assert failed.error["message"] == "refused"
    second = await actae.claim_execution(channel, "k", "tool")
    assert isinstance(second, Reclaimed)
    assert second.execution.attempts == 2
    with pytest.raises(errors.ExecutionNotOwnedError):
        await actae.complete_execution(first.execution.id, first.claim_token, None)
    cancelled = await actae.cancel_execution(second.execution.id, second.claim_token)
    assert cancelled.status == "cancelled"


async def test_a_heartbeat_keeps_the_lease(actae: ActaeClient, channel: str, server_clock: Clock) -> None:
    """A lease that lapsed may be taken over; then its first owner is told."""
    first = await actae.claim_execution(channel, "k", "tool", lease_seconds=60)
    await actae.heartbeat_execution(first.execution.id, first.claim_token, 300)
    server_clock.advance(100)
    assert (await actae.claim_execution(channel, "k", "tool")).status == "in_progress"
    server_clock.advance(300)
    assert (await actae.claim_execution(channel, "k", "tool")).status == "reclaimed"
    with pytest.raises(errors.ExecutionNotOwnedError):
        await actae.heartbeat_execution(first.execution.id, first.claim_token)


async def test_operations_are_listed_read_and_deleted(actae: ActaeClient, channel: str) -> None:
    """A deleted one is gone, and its key is free."""
    claim = await actae.claim_execution(channel, "k/ü", "tool", {"a": 1})
    assert await actae.get_execution(claim.execution.id) == claim.execution
    assert await actae.list_executions(channel) == [claim.execution]
    assert await actae.delete_execution(claim.execution.id) is True
    with pytest.raises(errors.ExecutionNotFoundError):
        await actae.get_execution(claim.execution.id)


async def test_a_channel_has_metadata_and_steps(actae: ActaeClient, channel: str) -> None:
    """From its first event on."""
    assert await actae.get_channel_metadata(channel) is None
    assert await actae.latest_step_number(channel) is None
    event = await actae.record(channel, "step", 1, actor="a", step_number=1)
    metadata = await actae.update_metadata(channel, display_name="Nightly", experiment_metadata=STRANGE)
    assert metadata == await actae.get_channel_metadata(channel)
    assert (metadata.display_name, metadata.experiment_metadata) == ("Nightly", STRANGE)
    assert await actae.latest_step_number(channel) == 1
    assert await actae.resolve_step(channel, 1) == (channel, 1, event.id)
    assert await actae.resolve_step(channel, 2) is None
    assert channel in await actae.list_channels()


async def test_runs_are_told_with_what_they_did(actae: ActaeClient, channel: str) -> None:
    """In order of their ids under a prefix, over all pages; and the newest first without one."""
    for number in range(3):
        await actae.claim_execution(f"{channel}.{number}", "k", "charge", {})
    await actae.record(f"{channel}.1", "model.answered", {"usage": {"input_tokens": 7}}, actor="agent")
    found = {run.channel_id: run async for run in actae.list_runs(prefix=f"{channel}.", page_size=2)}
    assert list(found) == [f"{channel}.{number}" for number in range(3)]
    told = found[f"{channel}.1"]
    assert (told.lifecycle, told.cursor, told.forks, told.effects.running) == ("open", 2, 0, 1)
    assert (told.tokens.input, told.tokens.output) == (7, None)
    assert (told.last_event.event_type, told.last_event.actor) == ("model.answered", "agent")
    async for newest in actae.channels.list_runs():
        assert newest.channel_id == f"{channel}.1"
        break


async def test_a_closed_channel_can_be_read_and_a_deleted_one_is_gone(
    actae: ActaeClient, channel: str
) -> None:
    """Both refuse to be written, by name."""
    await actae.record(channel, "note", 1, actor="a")
    assert (await actae.close_channel(channel))["status"] == "closed"
    with pytest.raises(errors.ChannelClosedError):
        await actae.record(channel, "note", 2, actor="a")
    assert len(await actae.replay(channel)) == 1
    assert (await actae.delete_channel(channel))["deleted"] == [channel]
    with pytest.raises(errors.ChannelDeletedError):
        await actae.record(channel, "note", 2, actor="a")
    assert channel not in await actae.list_channels()


async def test_an_account_signs_in_and_out(actae: ActaeClient) -> None:
    """A token works until it is revoked."""
    email = f"{uuid4().hex}@example.org"
    opened = await actae.signup(email, "correct horse battery", "Ada")
    assert (opened.user.email, opened.user.name) == (email, "Ada")
    with pytest.raises(errors.EmailTakenError):
        await actae.signup(email, "correct horse battery")
    entered = await actae.login(email, "correct horse battery")
    assert await actae.get_me(entered.token) == entered.user
    await actae.logout(entered.token)
    with pytest.raises(errors.AuthError):
        await actae.get_me(entered.token)
    with pytest.raises(errors.AuthError):
        await actae.login(email, "wrong horse battery")


async def test_the_key_and_the_server_describe_themselves(actae: ActaeClient) -> None:
    """What may be done, where, and how it is going."""
    granted = await actae.capabilities()
    assert granted.can_read("anything")
    assert "api_key" in (await actae.auth_config())["methods"]
    assert (await actae.instance())["api_version"] == "v1"
    assert await actae.update_preferences({"theme": "dark"}) == {"theme": "dark"}
    assert await actae.preferences() == {"theme": "dark"}
    assert (await actae.health_check()).components["database"].status == "ok"
    assert (await actae.readiness_check()).database_ready
    assert "# TYPE" in await actae.get_metrics_text()
    assert (await actae.get_metrics_json()).uptime_seconds >= 0


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(lambda c: c.claim_execution("run-7", "", "tool"), id="an empty key"),
        pytest.param(lambda c: c.claim_execution("run-7", "k", "tool", lease_seconds=0), id="no lease"),
        pytest.param(
            lambda c: c.claim_execution("run-7", "k", "tool", {"a": 1}, dedup_fields=["b"]),
            id="no such field",
        ),
        pytest.param(lambda c: c.record("run-7", "", None, actor="a"), id="an empty type"),
        pytest.param(lambda c: c.query(from_time="yesterday"), id="not a time"),
    ],
)
async def test_bad_values_are_refused_with_their_path(actae: ActaeClient, call: Callable[..., Any]) -> None:
    """The server names the field."""
    with pytest.raises(errors.InvalidRequestError) as caught:
        await call(actae)
    assert caught.value.code == "invalid_request"
    assert caught.value.details["field"]
