"""When a call is sent again, and how long the client waits."""

import pytest

from actae_client.errors import (
    ActaeConnectionError,
    ActaeError,
    APIError,
    AuthError,
    RateLimitError,
    ServerError,
    VersionConflictError,
)
from actae_client.retry import COMPLETION_RETRY, Repeat, RetryPolicy, may_be_repeated

NEVER, SAFE, UNTIL_RECORDED = Repeat.NEVER, Repeat.SAFE, Repeat.UNTIL_RECORDED


def saying(error: ActaeError, *, retryable: bool) -> ActaeError:
    """The error, with the server's own word on whether to repeat."""
    error.retryable = retryable
    return error


@pytest.mark.parametrize(
    ("error", "repeated_by"),
    [
        (ActaeConnectionError("refused", is_outcome_known=True), {NEVER, SAFE, UNTIL_RECORDED}),
        (ActaeConnectionError("cut off"), {SAFE, UNTIL_RECORDED}),
        (saying(ActaeConnectionError("bad certificate", is_outcome_known=True), retryable=False), set()),
        (RateLimitError(1), {SAFE, UNTIL_RECORDED}),
        (saying(RateLimitError(1), retryable=False), set()),
        (ServerError(502), {SAFE, UNTIL_RECORDED}),
        (ServerError(503), {SAFE, UNTIL_RECORDED}),
        (ServerError(504), {SAFE, UNTIL_RECORDED}),
        (saying(ServerError(503), retryable=False), set()),
        (saying(ServerError(500), retryable=True), {SAFE, UNTIL_RECORDED}),
        (ServerError(500), {UNTIL_RECORDED}),
        (saying(ServerError(500), retryable=False), set()),
        (APIError(400), set()),
        (APIError(409), set()),
        (AuthError("no"), set()),
        (VersionConflictError("other"), set()),
    ],
)
def test_which_errors_are_worth_another_try(error: ActaeError, repeated_by: set[Repeat]) -> None:
    """It takes an error that may pass, and a call that may be repeated."""
    assert {repeat for repeat in Repeat if may_be_repeated(repeat, error)} == repeated_by


def test_waits_are_drawn_below_a_growing_ceiling() -> None:
    """Callers that failed together do not come back together."""
    policy = RetryPolicy(attempts=10, base_seconds=1.0, cap_seconds=5.0)
    for made, ceiling in ((1, 1.0), (2, 2.0), (3, 4.0), (4, 5.0), (9, 5.0)):
        drawn = [policy.pause(made, ActaeConnectionError()) for _ in range(300)]
        waits = [wait for wait in drawn if wait is not None]
        assert len(waits) == 300
        assert 0 <= min(waits) < 0.2 * ceiling
        assert 0.8 * ceiling < max(waits) <= ceiling


def test_tries_run_out() -> None:
    """The last error is raised."""
    policy = RetryPolicy(attempts=2)
    assert policy.pause(1, ActaeConnectionError()) is not None
    assert policy.pause(2, ActaeConnectionError()) is None


def test_patience_does_not_overflow() -> None:
    """Also not after thousands of tries."""
    policy = RetryPolicy(attempts=100_000)
    wait = policy.pause(99_999, ActaeConnectionError())
    assert wait is not None
    assert wait <= policy.cap_seconds


def test_the_server_says_how_long_to_wait() -> None:
    """At least as long as it named, unless that is more than the policy waits."""
    policy = RetryPolicy(base_seconds=0.1, server_wait_seconds_max=30)
    wait = policy.pause(1, RateLimitError(20))
    assert wait is not None
    assert 20 <= wait <= 20.1
    assert policy.pause(1, RateLimitError(31)) is None


def test_completions_outlast_a_restart() -> None:
    """On average two minutes of waiting, and never a wait without end."""
    ceilings = [min(COMPLETION_RETRY.cap_seconds, 0.1 * 2**n) for n in range(COMPLETION_RETRY.attempts - 1)]
    assert 100 < sum(ceilings) / 2 < 300


@pytest.mark.parametrize(
    "values", [{"attempts": 0}, {"base_seconds": -1}, {"base_seconds": 9, "cap_seconds": 1}]
)
def test_a_policy_that_makes_no_sense_is_refused(values: dict[str, float]) -> None:
    """When it is made, not when it is needed."""
    with pytest.raises(ValueError):
        RetryPolicy(**values)  # type: ignore[arg-type]
