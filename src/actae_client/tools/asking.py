"""Calling a client of either kind from a coroutine."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

from actae_client.client import SyncActaeClient


async def ask(client: Any, method: str, *args: Any, **kwargs: Any) -> Any:
    """Call a method of an async or a blocking client without blocking the event loop."""
    call = getattr(client, method)
    if isinstance(client, SyncActaeClient):
        return await asyncio.to_thread(call, *args, **kwargs)
    answer = call(*args, **kwargs)
    return await answer if inspect.isawaitable(answer) else answer
