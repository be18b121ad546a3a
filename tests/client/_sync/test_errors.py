# Written by tools/generate_sync.py from _async/test_errors.py. Do not edit.
"""What a refusal becomes."""

from typing import Any

import pytest

from actae_client import ActaeError, SyncActaeClient, errors
from tests.client.support.scripted_server import Answer, ScriptedServer

UNREADABLE = [
    pytest.param(Answer(200, b"<html>", content_type="text/html"), id="html"),
    pytest.param(Answer(200, b"", content_type=""), id="nothing"),
    pytest.param(Answer(200, b'{"event": '), id="half"),
    pytest.param(Answer(200, b'{"event": "\xff"}'), id="bad utf-8"),
    pytest.param(Answer(200, {"evnt": {}}), id="wrong key"),
    pytest.param(Answer(200, [1]), id="a list"),
    pytest.param(Answer(200, None), id="null"),
    pytest.param(Answer(200, b"[" * 100_000 + b"]" * 100_000), id="too deep"),
]


@pytest.mark.parametrize("answer", UNREADABLE)
def test_an_unreadable_answer_is_an_error_of_the_client(
    client: SyncActaeClient, scripted: ScriptedServer, answer: Answer
) -> None:
    """Whatever answers, the caller meets an ActaeError that shows how the answer begins."""
    scripted.will(answer)
    with pytest.raises(errors.InvalidReplyError, match=r"POST /api/v1/events/record .* begins") as caught:
        client.record("run-7", "note", None, actor="a")
    assert isinstance(caught.value, errors.ActaeConnectionError)
    assert not caught.value.is_outcome_known


def test_a_refusal_carries_all_that_the_server_said(
    client: SyncActaeClient, scripted: ScriptedServer
) -> None:
    """Code, status, hint, request id and the values that help; hint and id show in the traceback."""
    scripted.answers(
        {
            "status": "version_conflict",
            "error": "The latest snapshot is version 4.",
            "hint": "Load the latest state.",
            "retryable": False,
            "request_id": "r-1",
            "current_version": 4,
            "current_cursor": 9,
        },
        status=409,
    )
    with pytest.raises(errors.VersionConflictError) as caught:
        client.save_state("run-7", 3, {}, expected_version=3)
    error = caught.value
    assert str(error) == "The latest snapshot is version 4."
    assert (error.code, error.status_code, error.retryable) == ("version_conflict", 409, False)
    assert (error.hint, error.request_id) == ("Load the latest state.", "r-1")
    assert (error.current_version, error.current_cursor) == (4, 9)
    assert error.__notes__ == ["Load the latest state.", "request id: r-1"]


@pytest.mark.parametrize("body", [{"status": "unauthorized", "error": "no"}, b"<html>", b"", [1], None])
def test_401_is_an_auth_error_whatever_its_body(
    client: SyncActaeClient, scripted: ScriptedServer, body: Any
) -> None:
    """A proxy that guards the server answers in its own words."""
    scripted.will(Answer(401, body, content_type="text/html"))
    with pytest.raises(errors.AuthError) as caught:
        client.capabilities()
    assert caught.value.status_code == 401


@pytest.mark.parametrize(
    ("answer", "seconds"),
    [
        (Answer(429, {"status": "rate_limited", "error": "slow down", "retry_after_seconds": 90}), 90),
        (Answer(429, b"<html>", content_type="text/html"), 60),
        (Answer(429, b"", headers={"retry-after": "45"}), 45),
        (Answer(429, {"retry_after_seconds": "soon"}, headers={"retry-after": "Wed, 01 Jan"}), 60),
    ],
)
def test_429_says_when_to_come_back(
    client: SyncActaeClient, scripted: ScriptedServer, answer: Answer, seconds: int
) -> None:
    """The body names the time, else the header, else it is a minute; that long is not waited for."""
    scripted.will(answer)
    with pytest.raises(errors.RateLimitError) as caught:
        client.get_cursor("run-7")
    assert caught.value.retry_after_seconds == seconds
    assert len(scripted.heard) == 1


def test_404_of_a_missing_operation(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """Known by its code, or by the word in the sentence."""
    for body in (
        {"status": "execution_not_found", "error": "no operation"},
        {"status": "not_found", "error": "execution_not_found: no operation"},
    ):
        scripted.answers(body, status=404)
        with pytest.raises(errors.ExecutionNotFoundError) as caught:
            client.get_execution("run-7~5f")
        assert caught.value.code == "execution_not_found"


def test_a_404_that_is_not_of_the_server_is_no_answer(
    client: SyncActaeClient, scripted: ScriptedServer
) -> None:
    """With a wrong endpoint, a web server's page must not read as "no such channel"."""
    scripted.will(Answer(404, b"<html>", content_type="text/html"))
    with pytest.raises(errors.NotFoundError):
        client.get_channel_metadata("run-7")


def test_a_redirect_is_not_followed(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """The key goes to the endpoint that was named, and nowhere else."""
    scripted.will(Answer(307, b"", headers={"location": "/elsewhere"}))
    with pytest.raises(errors.APIError) as caught:
        client.get_cursor("run-7")
    assert caught.value.status_code == 307
    assert len(scripted.heard) == 1


@pytest.mark.parametrize("status", [400, 402, 403, 404, 405, 409, 413, 418, 422, 500, 503])
def test_other_refusals_are_api_errors_with_their_status(
    client: SyncActaeClient, scripted: ScriptedServer, status: int
) -> None:
    """An unknown code is kept, and the status class is caught as APIError."""
    scripted.answers({"status": "something_new", "message": "words"}, status=status)
    with pytest.raises(errors.APIError, match=r"^words$") as caught:
        client.delete_execution("run-7~5f")
    assert (caught.value.status_code, caught.value.code) == (status, "something_new")


def test_odd_fields_in_a_refusal_do_no_harm(client: SyncActaeClient, scripted: ScriptedServer) -> None:
    """Values of the wrong type count as absent."""
    scripted.answers({"status": 5, "error": None, "hint": {}, "retryable": "no", "x": 1}, status=400)
    with pytest.raises(ActaeError, match="status 400") as caught:
        client.get_cursor("run-7")
    assert (caught.value.code, caught.value.hint, caught.value.retryable) == (None, None, None)
    assert caught.value.details == {"x": 1}
