"""The WebSockets of one client: one for each event loop that asks for it."""

from __future__ import annotations

import asyncio
import threading
from asyncio import AbstractEventLoop
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from actae_client.live.link import Link

_CLOSE_SECONDS_MAX: Final = 5.0


class Links:
    """A link belongs to the loop that opened it, and so do its topics, streams and callbacks."""

    def __init__(self, make_link: Callable[[], Link]) -> None:
        self._make_link = make_link
        self._links: dict[AbstractEventLoop, Link] = {}
        self._lock = threading.Lock()

    def existing(self) -> Link | None:
        """The link of the running loop, if it has one."""
        return self._links.get(asyncio.get_running_loop())

    def here(self) -> Link:
        """The link of the running loop."""
        loop = asyncio.get_running_loop()
        with self._lock:
            for ended in [known for known in self._links if known.is_closed()]:
                del self._links[ended]
            if loop not in self._links:
                self._links[loop] = self._make_link()
            return self._links[loop]

    async def close(self) -> None:
        """Close the links of all loops, each on its own."""
        with self._lock:
            links, self._links = self._links, {}
        here = asyncio.get_running_loop()
        for loop, link in links.items():
            if loop is here:
                await link.close()
            elif loop.is_running():
                closing = asyncio.run_coroutine_threadsafe(link.close(), loop)
                with suppress(TimeoutError):  # That loop may be blocked, even by who called this.
                    await asyncio.wait_for(asyncio.wrap_future(closing), _CLOSE_SECONDS_MAX)
