"""What differs between the two kinds of session: waiting, locking, and what runs beside them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from threading import Lock
from typing import Any, TypeVar

from actae_client._sync._io import Ticker, at_most, sleep

__all__ = ["Lock", "Ticker", "at_most", "call", "heard_out", "sleep"]

T = TypeVar("T")


def call(function: Callable[[], Any]) -> Any:
    """What a function of the application returns. Raises TypeError for a coroutine function."""
    value = function()
    if inspect.isawaitable(value):
        if inspect.iscoroutine(value):
            value.close()
        raise TypeError("a blocking session cannot await; give it a function that returns the value")
    return value


def heard_out(work: Callable[[], T], _seconds_max: float) -> T:
    """What the work returns: nobody cancels a call that blocks."""
    return work()
