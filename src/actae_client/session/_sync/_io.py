"""What differs between the two kinds of session: waiting, locking, and what runs beside them."""

from __future__ import annotations

import contextlib
import inspect
import threading
from collections.abc import Callable, Iterator
from threading import Lock
from time import sleep
from typing import Any

_STOP_SECONDS_MAX = 10.0

__all__ = ["Lock", "Ticker", "at_most", "call", "sleep"]


def call(function: Callable[[], Any]) -> Any:
    """What a function of the application returns. Raises TypeError for a coroutine function."""
    value = function()
    if inspect.isawaitable(value):
        if inspect.iscoroutine(value):
            value.close()
        raise TypeError("a blocking session cannot await; give it a function that returns the value")
    return value


@contextlib.contextmanager
def at_most(_seconds: float) -> Iterator[None]:
    """A blocking call cannot be given up from outside; the client's own time-outs bound it."""
    yield


class Ticker:
    """Calls a function again and again in a thread, until it answers False or the ticker is stopped."""

    def __init__(self, seconds: float, beat: Callable[[], bool]) -> None:
        self._seconds = seconds
        self._beat = beat
        self._is_over = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin; the first call comes after the first interval."""
        self._is_over.clear()
        self._thread = threading.Thread(target=self._run, name="actae-session", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End, and wait for a call that is under way, but not for ever."""
        self._is_over.set()
        if self._thread is not None:
            self._thread.join(_STOP_SECONDS_MAX)

    def _run(self) -> None:
        while not self._is_over.wait(self._seconds):
            if not self._beat():
                return
