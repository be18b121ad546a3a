"""One channel that the WebSocket brings, for everybody here who reads it."""

from __future__ import annotations

import asyncio

from actae_client._types.events import Event
from actae_client.errors import ActaeError
from actae_client.live.feed import Feed


class Topic:
    """The feeds of one channel, which share one subscription, and where that goes on after a cut."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.watermark: int | None = None
        """All events up to here have come, or are known of; None before the first confirmation."""
        self.feeds: set[Feed] = set()
        self._head = 0
        self._answer: asyncio.Future[int | None] | None = None
        self._waiting = 0
        self._settled: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def join(self, feed: Feed) -> None:
        """Another reader."""
        self.feeds.add(feed)
        if self.watermark is not None:
            feed.begin(self.watermark, self._head)

    async def settled(self) -> None:
        """Return once the subscription has been confirmed. Raises the error that it ended with instead."""
        self._waiting += 1
        try:
            await asyncio.shield(self._settled)
        finally:
            self._waiting -= 1

    @property
    def is_waited_for(self) -> bool:
        """Whether somebody waits for the first confirmation, and is told what stands against it."""
        return self._waiting > 0 and not self._settled.done()

    def ask(self) -> asyncio.Future[int | None]:
        """What the server will answer to the subscription that is now sent: a cursor, or a refusal."""
        self._answer = asyncio.get_running_loop().create_future()
        return self._answer

    def answer(self, cursor: int | None) -> None:
        """The server has confirmed the subscription."""
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(cursor)

    def refuse(self, error: ActaeError) -> bool:
        """The server has refused it; False if nothing was asked."""
        if self._answer is None or self._answer.done():
            return False
        self._answer.set_exception(error)
        return True

    def confirm(self, cursor: int) -> None:
        """What comes after this cursor comes live."""
        self._head = max(self._head, cursor)
        if self.watermark is None:
            self.watermark = self._head
        for feed in self.feeds:
            feed.begin(cursor, self._head)
        if not self._settled.done():
            self._settled.set_result(None)

    def hear(self, event: Event, size: int, *, is_stub: bool) -> None:
        """An event has come. A stub only says that there is one."""
        self.hear_of(event.cursor)
        if not is_stub:
            for feed in self.feeds:
                feed.offer(event, size)

    def hear_of(self, cursor: int) -> None:
        """All events up to this cursor have been sent."""
        self._head = max(self._head, cursor)
        if self.watermark is not None:
            self.watermark = max(self.watermark, cursor)
        for feed in self.feeds:
            feed.hear_of(cursor)

    def acknowledge(self, event: Event, size: int, *, echo: bool, is_stub: bool) -> None:
        """An event that was published on this connection, which therefore does not come."""
        if event.cursor - 1 == self.watermark:
            self.watermark = event.cursor
        for feed in self.feeds:
            if not echo:
                feed.leave_out(event.cursor)
            elif is_stub:
                feed.hear_of(event.cursor)
            else:
                feed.offer_own(event, size)

    def end(self, error: ActaeError | None, reason: ActaeError) -> None:
        """Nothing comes any more. Who waits for the confirmation is told the reason."""
        for feed in self.feeds:
            feed.end(error)
        if not self._settled.done():
            self._settled.set_exception(reason)
            self._settled.exception()  # Perhaps nobody waits; then it is not lost either.
