"""What differs between the two kinds of session: waiting, locking, and what runs beside them."""

from __future__ import annotations

import inspect
from asyncio import Lock
from collections.abc import Callable
from typing import Any

from actae_client._async._io import Ticker, at_most, sleep
from actae_client._heard_out import heard_out

__all__ = ["Lock", "Ticker", "at_most", "call", "heard_out", "sleep"]


async def call(function: Callable[[], Any]) -> Any:
    """What a function of the application returns, whether it is a coroutine function or not."""
    value = function()
    return await value if inspect.isawaitable(value) else value
