"""Heavy thinking goes beside the event loop, so that other callers need not wait for it."""

import asyncio
from collections.abc import Callable
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

# To read and compare 64 KiB of JSON takes about a millisecond; a thread costs a fraction of that.
_ASIDE_BYTES: Final = 65_536


async def aside(size: int, think: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What a pure function says about an input of this many bytes."""
    if size < _ASIDE_BYTES:
        return think(*args, **kwargs)
    return await asyncio.to_thread(think, *args, **kwargs)
