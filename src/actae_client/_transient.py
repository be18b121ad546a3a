"""Which failures pass by themselves, and how long they are given."""

from __future__ import annotations

from actae_client.errors import ActaeConnectionError, ActaeError, APIError, RateLimitError

PAUSES = (0.5, 1.0, 2.0)
"""Seconds to wait before the first, the second and the last repetition."""

_SERVER_WAIT_SECONDS_MAX = 30.0


def pause_after(error: Exception, usual: float) -> float | None:
    """How long to wait before the same call is sent again; None if it would fail again.

    What is asked here is on top of what the client itself repeats. Only calls that have an identity,
    or that change nothing a second time, may be repeated like this.
    """
    if isinstance(error, ActaeError) and error.retryable is False:
        return None
    if isinstance(error, RateLimitError):
        wanted = max(usual, error.retry_after_seconds)
        return wanted if wanted <= _SERVER_WAIT_SECONDS_MAX else None
    if isinstance(error, APIError):
        return usual if error.status_code >= 500 else None
    return usual if isinstance(error, ActaeConnectionError | TimeoutError) else None
