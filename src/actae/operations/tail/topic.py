"""One channel that somebody follows: how far it is told, and the newest of what was told."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Final

from actae.domain.errors import ActaeError
from actae.domain.events import Event
from actae.operations.tail.follower import Follower
from actae.operations.tail.told import Run, are_consecutive, runs_of

ReadAfter = Callable[[str, int], Awaitable[Sequence[Event]]]
ReadHead = Callable[[str], Awaitable[int]]

_RUNS_MAX: Final = 256


class Topic:
    """The live end of one channel in this process.

    It learns of new events from this server's own commits, and, where another server was first, by
    reading the log. `position` only moves forward by consecutive events, so nothing is told out of order.
    """

    def __init__(
        self, channel_id: str, read_head: ReadHead, read_after: ReadAfter, memory: Callable[[], int]
    ) -> None:
        self.channel_id = channel_id
        self.position = 0
        self.live: set[Follower] = set()
        self.followers: set[Follower] = set()
        self._read_head = read_head
        self._read_after = read_after
        self._memory = memory  # bytes that it may remember
        self._runs: deque[Run] = deque()
        self._remembered = 0
        self._known = 0
        self._is_open = False
        self._reading = asyncio.Lock()
        self._refreshing: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Find out where the log ends. What is committed from now on is told.

        Raises:
            UnavailableError: the database is out of reach.
        """
        async with self._reading:
            if self._is_open:
                return
            head = await self._read_head(self.channel_id)
            self.position = head
            self._is_open = True
        self.hear_of(self._known)

    def leave(self, follower: Follower) -> None:
        """It follows no more."""
        self.live.discard(follower)
        self.followers.discard(follower)

    def close(self) -> None:
        """Nobody follows any more."""
        if self._refreshing is not None:
            self._refreshing.cancel()

    def learn(self, events: Sequence[Event]) -> None:
        """Consecutive events that were committed; tell those that are new."""
        if not self._is_open:
            self._known = max(self._known, events[-1].cursor)
            return
        fresh = [event for event in events if event.cursor > self.position]
        if not fresh:
            return
        if fresh[0].cursor != self.position + 1 or not are_consecutive(fresh):
            self.hear_of(fresh[-1].cursor)
            return
        for run in runs_of(fresh):
            self._remember(run)
            self.position = run.last
            for follower in tuple(self.live):
                follower.push(run)

    def hear_of(self, cursor: int) -> None:
        """The log reaches to this cursor at least."""
        self._known = max(self._known, cursor)
        if self._is_open and self._known > self.position and self._refreshing is None:
            self._refreshing = asyncio.create_task(self._refresh(), name="actae topic refresh")

    async def _refresh(self) -> None:
        # A database that is away is no reason to end: the next hint or poll asks again.
        with suppress(ActaeError):
            while self._known > self.position:
                events = await self._read_after(self.channel_id, self.position)
                if not events:
                    break
                self.learn(events)
        self._known = self.position
        self._refreshing = None

    def remembered_after(self, cursor: int) -> Run | None:
        """The next events above a cursor, if they are still in memory."""
        runs = self._runs
        if not runs or cursor + 1 < runs[0].first or cursor >= runs[-1].last:
            return None
        for run in reversed(runs):  # Most readers are only a little behind.
            if run.first <= cursor + 1 <= run.last:
                return run.after(cursor)
        return None

    async def read_after(self, cursor: int) -> Run | None:
        """The next events above a cursor, from the log; one reader at a time, so others find them here.

        Raises:
            UnavailableError: the database is out of reach.
        """
        async with self._reading:
            found = self.remembered_after(cursor)
            if found is not None:
                return found
            events = await self._read_after(self.channel_id, cursor)
            runs = list(runs_of(events))
            for run in reversed(runs):
                self._remember_earlier(run)
            return runs[0] if runs else None

    def _remember(self, run: Run) -> None:
        self._runs.append(run)
        self._remembered += run.size
        while len(self._runs) > 1 and (self._remembered > self._memory() or len(self._runs) > _RUNS_MAX):
            self._remembered -= self._runs.popleft().size

    def _remember_earlier(self, run: Run) -> None:
        """What leads up to what is remembered, while there is room: many readers catch up at once."""
        first = self._runs[0].first if self._runs else self.position + 1
        if (
            run.last + 1 == first
            and self._remembered + run.size <= self._memory()
            and len(self._runs) < _RUNS_MAX
        ):
            self._runs.appendleft(run)
            self._remembered += run.size
