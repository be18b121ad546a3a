"""Digests of what callers send: at once when it is small, beside the event loop when it is large."""

import asyncio
from collections.abc import Callable
from typing import ParamSpec

P = ParamSpec("P")

# Canonical JSON of 64 KiB takes about a millisecond; the largest body takes seconds, and other callers
# must not wait for it.
_ASIDE_BYTES = 65_536


async def digest_aside(size: int, digest: Callable[P, bytes], *args: P.args, **kwargs: P.kwargs) -> bytes:
    """The digest of an input of this many bytes; raises what the digest raises."""
    if size < _ASIDE_BYTES:
        return digest(*args, **kwargs)
    return await asyncio.to_thread(digest, *args, **kwargs)
