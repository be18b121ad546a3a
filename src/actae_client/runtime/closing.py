"""Closing a client of either kind."""

from __future__ import annotations

import asyncio
from typing import Any

from actae_client.tools.asking import ask
from actae_client.tools.background import background


async def close(client: Any) -> None:
    """Close the client's connections, if it knows how."""
    for method in ("disconnect", "close"):
        if callable(getattr(client, method, None)):
            await ask(client, method)
            return


def close_blocking(client: Any) -> None:
    """`close`, blocking. Raises RuntimeError where an event loop runs."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        background().run(close(client))
    else:
        # The connections of this loop are closed on this loop, which would be waiting here.
        raise RuntimeError("An event loop runs here; use `await close()` or `async with`.")
