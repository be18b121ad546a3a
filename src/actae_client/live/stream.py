"""The events of a channel, for `async for`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from types import TracebackType
from typing import Self, TypeAlias

from actae_client._types.events import Event
from actae_client.live.feed import Feed

OpenFeed: TypeAlias = Callable[[], Awaitable[tuple[Feed, Callable[[], None]]]]
"""Opens a feed; gives it, and what closes it again."""


class Stream:
    """Each event of a channel once and in order, through whatever happens to the connection.

    It begins when it is entered with `async with`, or asked for its first event. It ends when the client
    is disconnected, or when it is closed; a stream that is left behind closes itself. It raises what the
    server refuses it with, and ActaeConnectionError when the connection is lost for good.
    """

    _loop: asyncio.AbstractEventLoop | None = None  # What an interrupt leaves of `__init__` has it too.

    def __init__(self, open_feed: OpenFeed) -> None:
        self._open_feed = open_feed
        self._opening = asyncio.Lock()
        self._feed: Feed | None = None
        self._close_feed: Callable[[], None] | None = None
        self._is_closed = False

    @property
    def cursor(self) -> int | None:
        """Where another stream would go on after this one. None before it has begun."""
        return None if self._feed is None else self._feed.cursor

    async def __aenter__(self) -> Self:
        await self._opened()
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Event:
        feed = self._feed or await self._opened()
        event = await feed.take()
        if event is None:
            raise StopAsyncIteration
        return event

    async def aclose(self) -> None:
        """End it. Events that were not taken are dropped."""
        self._is_closed = True
        if self._close_feed is not None:
            self._close_feed()

    def __del__(self) -> None:
        if self._loop is not None and self._close_feed is not None:
            with suppress(RuntimeError):  # The loop has ended, and with it everything.
                self._loop.call_soon_threadsafe(self._close_feed)

    async def _opened(self) -> Feed:
        async with self._opening:
            if self._is_closed:
                raise StopAsyncIteration
            if self._feed is None:
                self._loop = asyncio.get_running_loop()
                self._feed, self._close_feed = await self._open_feed()
            return self._feed
