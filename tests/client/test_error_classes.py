"""The errors as classes."""

import pickle

import pytest

import actae_client
from actae.domain.errors import ActaeError as ServerSideError
from actae.transport.error_replies import STATUSES
from actae_client import errors
from actae_client._calls.refusals import error_class, error_of
from actae_client.transport import Reply

RESERVED = {
    "snapshot_boundary_required": errors.SnapshotBoundaryError,
    "version_conflict": errors.VersionConflictError,
    "consumer_not_found": errors.ConsumerError,
    "idempotency_key_mismatch": errors.IdempotencyKeyMismatchError,
    "execution_not_owned": errors.ExecutionNotOwnedError,
    "idempotency_conflict": errors.IdempotencyConflictError,
    "channel_conflict": errors.ChannelConflictError,
    "counterfactual_blocked": errors.CounterfactualBlockedError,
    "fork_tool_blocked": errors.ForkToolBlockedError,
}

OTHERS = [
    (400, "invalid_request", errors.InvalidRequestError),
    (400, "invalid_json", errors.InvalidRequestError),
    (401, "unauthorized", errors.AuthError),
    (401, "invalid_credentials", errors.AuthError),
    (403, "forbidden", errors.PermissionDeniedError),
    (404, "not_found", errors.NotFoundError),
    (405, "method_not_allowed", errors.NotFoundError),
    (404, "channel_not_found", errors.ChannelNotFoundError),
    (404, "step_not_found", errors.StepNotFoundError),
    (404, "event_not_found", errors.EventNotFoundError),
    (404, "execution_not_found", errors.ExecutionNotFoundError),
    (404, "wakeup_not_found", errors.WakeupNotFoundError),
    (409, "wakeup_not_pending", errors.WakeupNotPendingError),
    (404, "group_not_found", errors.GroupNotFoundError),
    (409, "group_conflict", errors.GroupConflictError),
    (409, "execution_terminal", errors.ExecutionTerminalError),
    (409, "execution_ambiguous", errors.ExecutionAmbiguousError),
    (409, "execution_in_progress", errors.ExecutionInProgressError),
    (409, "execution_moved_on", errors.ExecutionMovedOnError),
    (409, "key_expired", errors.KeyExpiredError),
    (409, "channel_closed", errors.ChannelClosedError),
    (409, "channel_deleted", errors.ChannelDeletedError),
    (409, "channel_has_forks", errors.ChannelHasForksError),
    (409, "email_taken", errors.EmailTakenError),
    (409, "something_new", errors.ConflictError),
    (413, "payload_too_large", errors.PayloadTooLargeError),
    (429, "rate_limited", errors.RateLimitError),
    (429, "overloaded", errors.OverloadedError),
    (500, "internal", errors.ServerError),
    (503, "unavailable", errors.UnavailableError),
    (418, None, errors.APIError),
]


@pytest.mark.parametrize(("code", "kind"), RESERVED.items())
def test_the_reserved_codes_have_classes_beside_api_error(code: str, kind: type[errors.ActaeError]) -> None:
    """Code that catches APIError for the rest does not catch these."""
    assert error_class(code, 409) is kind
    assert not issubclass(kind, errors.APIError)


@pytest.mark.parametrize(("status", "code", "kind"), OTHERS)
def test_every_code_has_a_class(status: int, code: str | None, kind: type[errors.ActaeError]) -> None:
    """By its name, else by its status."""
    assert error_class(code, status) is kind


@pytest.mark.parametrize(("kind", "status"), STATUSES.items())
def test_every_error_of_the_server_has_a_class(kind: type[ServerSideError], status: int) -> None:
    """None of them is only "some API error"."""
    assert error_class(kind.code, status) not in (errors.ActaeError, errors.APIError)


def test_every_error_is_an_actae_error() -> None:
    """One except clause is enough, and every class says what it means."""
    for name, kind in vars(errors).items():
        if isinstance(kind, type) and issubclass(kind, Exception):
            assert issubclass(kind, errors.ActaeError), name
            assert kind.__doc__, name


def test_errors_cross_processes() -> None:
    """Pickling keeps the message and all attributes."""
    body = {"status": "version_conflict", "error": "other", "hint": "load it", "current_version": 4}
    for status, code in ((409, "version_conflict"), (503, "unavailable"), (429, "overloaded")):
        error = error_of(Reply(status, "", b""), {**body, "status": code, "retry_after_seconds": 5})
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error)
        assert (str(again), again.code, again.hint) == ("other", code, "load it")
        assert again.details["current_version"] == 4
    assert pickle.loads(pickle.dumps(errors.RateLimitError(7, "slow"))).retry_after_seconds == 7
    assert pickle.loads(pickle.dumps(errors.APIError(418))).status_code == 418


def test_a_blocked_tool_names_the_event_that_says_so() -> None:
    """`boundary` is what the server sent, None where it did not."""
    assert errors.ForkToolBlockedError("no").boundary is None
    blocked = error_of(Reply(409, "", b""), {"status": "fork_tool_blocked", "error": "no", "boundary": "e-1"})
    assert isinstance(blocked, errors.ForkToolBlockedError)
    assert blocked.boundary == "e-1"


def test_constructors_take_what_they_always_took() -> None:
    """Programs and their fakes raise these by hand."""
    assert errors.RateLimitError(9).retry_after_seconds == 9
    assert str(errors.APIError(400, "no")) == "no"
    assert errors.AuthError("no").status_code == 401


def test_what_is_exported_exists_and_is_listed_once() -> None:
    """`from actae_client import *` works."""
    assert sorted(set(actae_client.__all__)) == sorted(actae_client.__all__)
    for name in actae_client.__all__:
        assert getattr(actae_client, name) is not None
