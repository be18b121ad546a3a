# Written by tools/generate_sync.py from _async/test_retries.py. Do not edit.
"""What is sent again, and what is not."""

import logging
from typing import Any

import pytest

from actae_client import SyncActaeClient, errors
from tests.client.support.replies import CLAIMED, EVENT, EXECUTION
from tests.client.support.scripted_server import Answer, CutShort, Hangup, ScriptedServer, Silence, Step

BUSY = Answer(503, {"status": "unavailable", "error": "restarting", "retryable": True})
BROKEN = Answer(500, {"status": "internal", "error": "a defect", "retryable": False})
GATEWAY = Answer(502, b"<html>", content_type="text/html")
SLOW_DOWN = Answer(429, {"status": "rate_limited", "error": "slow down", "retry_after_seconds": 0})

LOST: list[Step] = [Hangup(), CutShort(), BUSY, GATEWAY, SLOW_DOWN]
IDS = ["hung up", "cut short", "503", "502", "429"]


@pytest.mark.parametrize("trouble", LOST, ids=IDS)
def test_a_claim_whose_reply_is_lost_is_repeated_as_the_same_claim(
    client: SyncActaeClient, scripted: ScriptedServer, trouble: Step
) -> None:
    """The attempt id is the same, so the server gives its first answer again."""
    scripted.will(trouble, trouble, Answer(200, CLAIMED))
    claim = client.claim_execution("run-7", "k", "mail.send")
    assert claim.status == "claimed"
    assert len({heard.json["attempt_id"] for heard in scripted.heard}) == 1
    assert len(scripted.heard) == 3


@pytest.mark.parametrize("trouble", LOST, ids=IDS)
def test_a_write_is_repeated_under_the_same_operation_id(
    client: SyncActaeClient, scripted: ScriptedServer, trouble: Step
) -> None:
    """Also when the caller gave none."""
    scripted.will(trouble, Answer(200, {"event": EVENT}))
    client.record("run-7", "note", None, actor="a")
    first, second = scripted.heard
    assert first.body == second.body


@pytest.mark.parametrize("trouble", LOST, ids=IDS)
def test_a_guard_that_is_gone_after_a_lost_reply_was_removed(
    client: SyncActaeClient, scripted: ScriptedServer, trouble: Step
) -> None:
    """By the attempt whose reply was lost; one that was turned away has removed nothing."""
    gone = Answer(404, {"status": "guard_not_found", "error": "there is none"})
    scripted.will(trouble, gone, gone)
    assert client.remove_guard("g-1") is (trouble is not SLOW_DOWN)
    assert client.remove_guard("g-1") is False


def test_unfreezing_names_what_it_removed_though_a_reply_was_lost(
    client: SyncActaeClient, scripted: ScriptedServer
) -> None:
    """Whoever reads that nothing was frozen looks for the wrong mistake."""
    freeze = {
        "guard_id": "g-1",
        "kind": "freeze",
        "tool_name": "mail.send",
        "channel_pattern": None,
        "created_at": "2026-01-02T03:04:05Z",
        "created_by": "u-1",
    }
    gone = Answer(404, {"status": "guard_not_found", "error": "there is none"})
    scripted.will(Answer(200, {"guards": [freeze]}), Hangup(), gone)
    assert client.unfreeze_tool("mail.send") == ["g-1"]


def test_reads_are_repeated(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """A read may always be sent again."""
    scripted.will(Hangup(), BUSY, Answer(200, {"latest_cursor": 3}))
    assert client.get_cursor("run-7") == 3


def test_a_silent_server_is_given_up(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """After the time-out of one attempt, the call goes out again."""
    scripted.will(Silence(), Answer(200, {"latest_cursor": 3}))
    assert client.get_cursor("run-7") == 3


def test_a_reply_of_garbage_is_asked_for_again(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """A damaged answer is as good as a lost one."""
    scripted.will(Answer(200, b"\0\0\0"), Answer(200, {"latest_cursor": 3}))
    assert client.get_cursor("run-7") == 3


def test_an_answer_of_another_shape_is_not_asked_for_again(
    client: SyncActaeClient, scripted: ScriptedServer
) -> None:
    """It is whole, and would look the same the next time."""
    scripted.answers({"something": "else"})
    with pytest.raises(errors.InvalidReplyError, match="KeyError"):
        client.complete_execution("run-7~5f", "token", None)
    assert len(scripted.heard) == 1


def test_the_last_error_is_raised_when_tries_run_out(
    client: SyncActaeClient, scripted: ScriptedServer
) -> None:
    """The policy of this client tries four times."""
    scripted.will(BUSY)
    with pytest.raises(errors.UnavailableError, match="restarting"):
        client.get_cursor("run-7")
    assert len(scripted.heard) == 4


def test_completions_are_repeated_longer_than_all_else(
    client: SyncActaeClient, scripted: ScriptedServer
) -> None:
    """Their own policy tries nine times here; token and result stay the same."""
    troubles: list[Step] = [Hangup(), BUSY, GATEWAY, SLOW_DOWN]
    scripted.will(*troubles, *troubles, Answer(200, {"execution": EXECUTION}))
    execution = client.complete_execution("run-7~5f", "token", {"ok": True})
    assert execution.id == EXECUTION["id"]
    assert {heard.body for heard in scripted.heard} == {b'{"claim_token":"token","result":{"ok":true}}'}
    assert len(scripted.heard) == 9


def test_a_completion_ends_when_somebody_else_owns_it(
    client: SyncActaeClient, scripted: ScriptedServer
) -> None:
    """A refusal is an answer: it is not asked for again."""
    refusal = Answer(409, {"status": "execution_not_owned", "error": "taken over"})
    scripted.will(Hangup(), refusal)
    with pytest.raises(errors.ExecutionNotOwnedError):
        client.complete_execution("run-7~5f", "token", None)
    assert len(scripted.heard) == 2


@pytest.mark.parametrize(
    "trouble", [Hangup(), BUSY, GATEWAY, SLOW_DOWN], ids=["hung up", "503", "502", "429"]
)
@pytest.mark.parametrize(
    ("method", "args"),
    [
        ("delete_execution", ("run-7~5f",)),
        ("update_metadata", ("run-7",)),
        ("cancel_wakeup", ("run-7~5f",)),
        ("login", ("a@example.org", "secret")),
        ("signup", ("a@example.org", "secret")),
        ("complete_execution", ("run-7~5f",)),
        ("health_check", ()),
    ],
)
def test_what_has_no_identity_is_sent_once(
    client: SyncActaeClient, scripted: ScriptedServer, method: str, args: tuple[Any, ...], trouble: Step
) -> None:
    """The first sending may have been carried out."""
    scripted.will(trouble)
    with pytest.raises(errors.ActaeError):
        getattr(client, method)(*args)
    assert len(scripted.heard) == 1


def test_a_defect_of_the_server_is_not_asked_for_again(
    client: SyncActaeClient, scripted: ScriptedServer
) -> None:
    """A 500 is repeated only where the server says that it may be."""
    scripted.will(BROKEN)
    with pytest.raises(errors.ServerError):
        client.get_cursor("run-7")
    assert len(scripted.heard) == 1
    scripted.will(Answer(500, {"status": "internal", "error": "later", "retryable": True}), BROKEN)
    with pytest.raises(errors.ServerError, match="a defect"):
        client.get_cursor("run-7")
    assert len(scripted.heard) == 3


def test_refused_input_is_not_sent_again(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """The same words would meet the same answer."""
    scripted.answers({"status": "invalid_request", "error": "limit is -1", "field": "limit"}, status=400)
    with pytest.raises(errors.InvalidRequestError) as caught:
        client.replay("run-7", limit=-1)
    assert caught.value.details == {"field": "limit"}
    assert len(scripted.heard) == 1


def test_an_outage_is_told_once(
    client: SyncActaeClient, scripted: ScriptedServer, caplog: pytest.LogCaptureFixture
) -> None:
    """However many attempts and calls it meets; the next one is told again."""
    caplog.set_level(logging.INFO, "actae_client")
    there = Answer(200, {"latest_cursor": 4})
    for _ in range(2):
        scripted.will(Hangup(), Hangup(), there)
        client.get_cursor("run-7")
    assert [record.levelname for record in caplog.records] == ["WARNING", "INFO"] * 2
    assert "ssl" not in caplog.text


def test_repetitions_are_logged_without_secrets(
    client: SyncActaeClient, scripted: ScriptedServer, caplog: pytest.LogCaptureFixture
) -> None:
    """Which call, why, and that it goes on; neither key nor token nor result."""
    scripted.will(BUSY, Answer(200, {"execution": EXECUTION}))
    client.complete_execution("run-7~5f", "token-canary", "result-canary")
    (record,) = caplog.records
    assert record.getMessage() == ("POST /api/v1/executions/run-7~5f/complete: restarting; attempt 2 follows")
    assert "canary" not in caplog.text
    assert "sk-test" not in caplog.text
