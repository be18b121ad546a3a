"""When a call is sent again, and how long to wait before that."""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import Enum

from actae_client.errors import (
    ActaeConnectionError,
    ActaeError,
    RateLimitError,
    ServerError,
)


class Repeat(Enum):
    """What may be done when the answer to a call did not come."""

    NEVER = "never"
    """The call has no identity: it is sent again only if it cannot have arrived."""

    SAFE = "safe"
    """A read, or a write with an identity: sent again, it has the same effect and answer."""

    UNTIL_RECORDED = "until_recorded"
    """As SAFE, and giving up would lose the only record of something that has happened."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often a call is tried, and how long to wait in between.

    The wait before the n-th repetition is drawn evenly from 0 to
    `base_seconds * 2 ** (n - 1)`, at most `cap_seconds`: callers that failed together do not
    come back together. When the server names a time, the wait is that time and a drawn rest;
    if it is longer than `server_wait_seconds_max`, the error is raised instead.
    """

    attempts: int = 4
    base_seconds: float = 0.1
    cap_seconds: float = 5.0
    server_wait_seconds_max: float = 30.0

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise ValueError(f"attempts is {self.attempts}; a call is tried at least once")
        if not 0 <= self.base_seconds <= self.cap_seconds:
            raise ValueError("base_seconds must lie between 0 and cap_seconds")

    def pause(self, attempts_made: int, error: ActaeError) -> float | None:
        """Seconds to wait before the next attempt, or None when the error is to be raised."""
        if attempts_made >= self.attempts:
            return None
        # The exponent is bounded, so that a patient policy does not overflow.
        ceiling = min(self.cap_seconds, self.base_seconds * 2.0 ** min(attempts_made - 1, 60))
        wait = random.uniform(0.0, ceiling)  # noqa: S311 - spreads callers, protects nothing
        if not isinstance(error, RateLimitError):
            return wait
        if error.retry_after_seconds > self.server_wait_seconds_max:
            return None
        return error.retry_after_seconds + wait


DEFAULT_RETRY = RetryPolicy()

COMPLETION_RETRY = RetryPolicy(attempts=24, cap_seconds=15.0, server_wait_seconds_max=120.0)
"""For completions: about two minutes of waiting, through a restart of server and database."""


def may_be_repeated(repeat: Repeat, error: ActaeError) -> bool:
    """Whether the same call may be sent again after this error."""
    if isinstance(error, ActaeConnectionError) and error.is_outcome_known:
        return error.retryable is not False
    if repeat is Repeat.NEVER:
        return False
    if isinstance(error, ActaeConnectionError | RateLimitError):
        return error.retryable is not False
    if not isinstance(error, ServerError):
        return False
    if error.status_code in (502, 503, 504) or repeat is Repeat.UNTIL_RECORDED:
        return error.retryable is not False
    return error.retryable is True


def may_have_arrived(error: ActaeError) -> bool:
    """Whether the call that ended with this may have had its effect."""
    if isinstance(error, ActaeConnectionError):
        return not error.is_outcome_known
    return isinstance(error, ServerError)


__all__ = [
    "COMPLETION_RETRY",
    "DEFAULT_RETRY",
    "Repeat",
    "RetryPolicy",
    "may_be_repeated",
    "may_have_arrived",
]
