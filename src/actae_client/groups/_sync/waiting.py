# Written by tools/generate_sync.py from _async/waiting.py. Do not edit.
"""Looking again and again, until something is there."""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import monotonic
from typing import TypeVar

from actae_client._transient import pause_after
from actae_client.groups._sync._io import at_most, sleep

T = TypeVar("T")

logger: logging.Logger = logging.getLogger("actae_client.groups")

_TROUBLE_SECONDS_MAX = 5.0
_ONE_LOOK_SECONDS = 1.0


def until_found(
    look: Callable[[], T | None],
    *,
    timeout: float | None,
    poll_interval: float,
    what: str,
) -> T:
    """What `look` finds first; it looks at least once. A server that is away for a while is waited for.

    Raises TimeoutError when `timeout` seconds have passed, and what a look raises that will not pass.
    """
    if poll_interval <= 0:
        raise ValueError(f"poll_interval is {poll_interval}; it must be more than 0 seconds")
    deadline = None if timeout is None else monotonic() + timeout
    pauses = _Pauses(poll_interval)
    try:
        # A look that hangs must not outlast the deadline, but there has to be time for one.
        with at_most(None if timeout is None else max(timeout, _ONE_LOOK_SECONDS)):
            while True:
                try:
                    found = look()
                except Exception as error:
                    pause = pauses.after(error)
                else:
                    if found is not None:
                        return found
                    pause = pauses.usual()
                sleep(pause if deadline is None else min(pause, _seconds_until(deadline)))
    except TimeoutError as late:
        raise TimeoutError(f"{what} within {timeout} s") from late


def _seconds_until(deadline: float) -> float:
    left = deadline - monotonic()
    if left <= 0:
        raise TimeoutError
    return left


class _Pauses:
    """How long to wait before the next look."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._failures = 0

    def usual(self) -> float:
        """After a look that found nothing."""
        self._failures = 0
        return self._seconds

    def after(self, error: Exception) -> float:
        """After a look that failed: longer each time. Raises the error if it would come again."""
        longer = min(_TROUBLE_SECONDS_MAX, self._seconds * 2.0 ** min(self._failures, 16))
        pause = pause_after(error, longer)
        if pause is None:
            raise error
        level = logging.INFO if self._failures else logging.WARNING
        self._failures += 1
        logger.log(level, "%s; looking again in %.1f s", error, pause)
        return pause
