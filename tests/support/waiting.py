"""Wait for facts, with a deadline that only a defect reaches."""

import asyncio
import time
from collections.abc import Awaitable, Callable


def until(fact: Callable[[], object], *, seconds: float = 30) -> None:
    """Return as soon as the fact holds."""
    deadline = time.monotonic() + seconds
    while not fact():
        assert time.monotonic() < deadline, f"not true within {seconds} s: {fact}"
        time.sleep(0.005)


async def until_async(fact: Callable[[], object], *, seconds: float = 30) -> None:
    """The same inside an event loop."""
    deadline = time.monotonic() + seconds
    while not fact():
        assert time.monotonic() < deadline, f"not true within {seconds} s: {fact}"
        await asyncio.sleep(0.005)


async def until_true(fact: Callable[[], Awaitable[bool]], *, seconds: float = 30) -> None:
    """Return as soon as a fact that has to be asked for holds."""
    deadline = time.monotonic() + seconds
    while not await fact():
        assert time.monotonic() < deadline, f"not true within {seconds} s: {fact}"
        await asyncio.sleep(0.005)
