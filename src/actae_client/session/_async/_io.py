"""What differs between the two kinds of session: waiting, locking, and what runs beside them."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from asyncio import Lock, sleep
from asyncio import timeout as at_most
from collections.abc import Callable, Coroutine
from typing import Any

__all__ = ["Lock", "Ticker", "at_most", "call", "sleep"]


async def call(function: Callable[[], Any]) -> Any:
    """What a function of the application returns, whether it is a coroutine function or not."""
    value = function()
    return await value if inspect.isawaitable(value) else value


class Ticker:
    """Calls a function again and again, until it answers False or the ticker is stopped."""

    def __init__(self, seconds: float, beat: Callable[[], Coroutine[Any, Any, bool]]) -> None:
        self._seconds = seconds
        self._beat = beat
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin; the first call comes after the first interval."""
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """End, and wait until a call that is under way has ended."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def _run(self) -> None:
        while True:
            await sleep(self._seconds)
            if not await self._beat():
                return
