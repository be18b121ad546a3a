"""Runs coroutines for code that has no event loop."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")


class _Loop:
    """An event loop in a daemon thread. It ends when nobody holds this object any more."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        # The thread holds the loop alone, not this object, which could then never go away.
        threading.Thread(target=_serve, args=(self.loop,), name="actae-client", daemon=True).start()

    def __del__(self) -> None:
        with suppress(RuntimeError, AttributeError):  # It is closed already, or was never made.
            self.loop.call_soon_threadsafe(self.loop.stop)


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


_of_this_thread = threading.local()


def _forget() -> None:
    """After a fork the child has the memory of this thread, but not the loop's thread."""
    global _of_this_thread
    _of_this_thread = threading.local()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on the calling thread's background loop, and wait for its result.

    It sees the context variables of the caller. An interrupt of the caller cancels it.
    """
    try:
        held: _Loop = _of_this_thread.held
    except AttributeError:
        held = _of_this_thread.held = _Loop()
    future = asyncio.run_coroutine_threadsafe(coroutine, held.loop)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise
