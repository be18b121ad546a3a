"""The event loop on which the ledger is talked to.

It runs in a daemon thread of its own, one per process, and no tool ever runs on it. So heartbeats
and completions go on while a tool blocks the caller's event loop, while that loop shuts down, and
while code without any event loop waits.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")

_THREADS_MAX = 64


class BackgroundLoop:
    """An event loop in a daemon thread."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        # Blocking clients are called in its threads; a hung request must not hold up the heartbeats.
        self._loop.set_default_executor(ThreadPoolExecutor(_THREADS_MAX, thread_name_prefix="actae-ledger"))
        self._thread = threading.Thread(target=self._loop.run_forever, name="actae-ledger", daemon=True)
        self._thread.start()
        # asyncio itself remembers tasks only weakly.
        self._unfinished: set[Future[Any]] = set()

    def submit(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        """Run the coroutine; it sees the caller's context variables."""
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        self._unfinished.add(future)
        future.add_done_callback(self._unfinished.discard)
        return future

    def call_soon(self, callback: Callable[[], object]) -> None:
        """Have the loop call this, in order with what else it was given."""
        self._loop.call_soon_threadsafe(callback)

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run the coroutine and wait for it. Raises RuntimeError on the loop's own thread."""
        self.refuse_own_thread(coroutine)
        return self.submit(coroutine).result()

    def refuse_own_thread(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        """Waiting for this loop in its own thread would be for ever."""
        if threading.current_thread() is self._thread:
            coroutine.close()
            raise RuntimeError("A blocking call from within a client's own coroutine would wait for itself.")


_lock = threading.Lock()
_background: BackgroundLoop | None = None


def background() -> BackgroundLoop:
    """The loop of this process, started at the first call."""
    global _background
    with _lock:
        if _background is None:
            _background = BackgroundLoop()
        return _background


def _forget() -> None:
    """After a fork the child has a copy of the object, but not of the thread."""
    global _background, _lock
    _background, _lock = None, threading.Lock()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_forget)
