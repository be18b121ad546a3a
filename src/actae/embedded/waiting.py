"""Waiting for a fact, with short pauses: everything we wait for ends by itself or by a signal we sent."""

import time
from collections.abc import Callable

PAUSE_SECONDS = 0.003
LONGEST_PAUSE_SECONDS = 0.05


def wait_until(fact: Callable[[], bool], *, seconds: float | None = None) -> bool:
    """Return True once `fact()` holds, or False after `seconds`; None waits for ever.

    The pause grows slowly, so that a short wait costs little time and a long one little work.
    """
    deadline = None if seconds is None else time.monotonic() + seconds
    pause = PAUSE_SECONDS
    while not fact():
        if deadline is not None and time.monotonic() >= deadline:
            return False
        time.sleep(pause)
        pause = min(pause * 1.1, LONGEST_PAUSE_SECONDS)
    return True
