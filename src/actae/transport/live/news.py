"""Requests that wait until something happens on a channel (long polls)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from actae.operations.tail import Run
from actae.transport.live.readers import WAITING_CONSUMERS
from actae.transport.route import Asked
from actae.transport.services import Services
from actae.transport.signals import Signal


class News:
    """Follows a channel and keeps nothing of it: it only says that something is new."""

    def __init__(self) -> None:
        self._something = Signal()
        self._has_ended = False

    def is_ready(self) -> bool:
        return True

    def write(self, _run: Run) -> None:
        self._something.set()

    async def drained(self) -> None:
        """It never holds anything."""

    def fail(self, _error: Exception) -> None:
        self.end()

    def end(self) -> None:
        """Nobody waits any more."""
        self._has_ended = True
        self._something.set()

    async def are_waited_for(self, seconds: float) -> bool:
        """Return when something is new, or the time is over: whether there is still somebody to tell."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._something.wait()
        self._something.clear()
        return not self._has_ended


@asynccontextmanager
async def news_of(services: Services, asked: Asked, channel_id: str) -> AsyncIterator[News]:
    """News of what is committed to a channel from now on, until the caller goes away or the server leaves.

    Raises:
        TooManyReadersError: the process takes no more.
        UnavailableError: the database is out of reach.
    """
    news = News()
    with services.readers.one_more(WAITING_CONSUMERS):
        follower = await services.tail.follow(channel_id, news, after=None)
        endings = [
            asyncio.create_task(_gone(asked), name="actae waiting caller"),
            asyncio.create_task(services.stopping.wait(), name="actae waiting server"),
        ]
        for each in endings:
            each.add_done_callback(lambda _task: news.end())
        try:
            follower.start()
            yield news
        finally:
            services.tail.leave(follower)
            for each in endings:
                each.cancel()


async def _gone(asked: Asked) -> None:
    while (await asked.receive())["type"] != "http.disconnect":
        pass
