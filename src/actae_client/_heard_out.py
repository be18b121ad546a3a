"""Waiting a little longer for an answer that somebody will need, though the caller does not want to wait."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")


async def heard_out(work: Callable[[], Coroutine[Any, Any, T]], seconds_max: float) -> T:
    """Await the work. Who is cancelled meanwhile waits for its end, this long at most; then they are."""
    working = asyncio.ensure_future(work())
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds_max):
                await asyncio.gather(working, return_exceptions=True)
        raise
