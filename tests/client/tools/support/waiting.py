"""Waiting for facts."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

_DEADLINE_SECONDS = 20.0


async def until(fact: Callable[[], object]) -> None:
    """Return once the fact holds, and fail if it never does."""
    deadline = time.monotonic() + _DEADLINE_SECONDS
    while not fact():
        assert time.monotonic() < deadline, "what was waited for did not happen"
        await asyncio.sleep(0.005)


def until_blocking(fact: Callable[[], object]) -> None:
    """`until` for code without an event loop."""
    deadline = time.monotonic() + _DEADLINE_SECONDS
    while not fact():
        assert time.monotonic() < deadline, "what was waited for did not happen"
        time.sleep(0.005)
