"""One channel that somebody follows: how far it is told, and who is told."""

import asyncio
from collections.abc import Sequence

from actae.domain.errors import ActaeError
from actae.observations import Observer, TailFailed
from actae.operations.tail.follower import Follower
from actae.operations.tail.log import Log
from actae.operations.tail.memory import Memory, Recollection
from actae.operations.tail.round import Round
from actae.operations.tail.told import Run, Told, are_consecutive, runs_of


class Topic:
    """The live end of one channel in this process.

    It learns of new events from this server's own commits, and, where another server was first, by
    reading the log. `position` only moves forward by consecutive events, so nothing is told out of order.
    """

    def __init__(self, channel_id: str, log: Log, memory: Memory, observe: Observer) -> None:
        self.channel_id = channel_id
        self.position = 0
        self.live: set[Follower] = set()
        self.followers: set[Follower] = set()
        self.observe = observe
        self._log = log
        self._remembered = Recollection(memory)
        self._round = Round(self)
        self._known = 0
        self._is_open = False
        self._reading = asyncio.Lock()
        self._refreshing: asyncio.Task[None] | None = None

    async def open(self) -> bool:
        """Find out where the log ends. What is committed from now on is told.

        Whether that was found out just now, and not before or for somebody else.

        Raises:
            UnavailableError: the database is out of reach.
        """
        if self._is_open:  # before the lock, or whoever joins would wait for those who catch up
            return False
        async with self._reading:
            is_first = not self._is_open
            if is_first:
                self.position = await self._log.read_head(self.channel_id)
                self._is_open = True
        self.hear_of(self._known)
        return is_first

    async def read_head(self) -> int:
        """Where the log ends now, whoever wrote it.

        Raises:
            UnavailableError: the database is out of reach.
        """
        head = await self._log.read_head(self.channel_id)
        self.hear_of(head)
        return max(head, self.position)

    def leave(self, follower: Follower) -> None:
        """It follows no more."""
        self.live.discard(follower)
        self.followers.discard(follower)

    def forget(self) -> None:
        """What is remembered must not be told any more."""
        self._remembered.forget()

    def close(self) -> None:
        """Nobody follows any more."""
        self.forget()
        if self._refreshing is not None:
            self._refreshing.cancel()

    def learn(self, told: Sequence[Told]) -> None:
        """Events that were committed, ascending; tell those that are new."""
        fresh = [each for each in told if each.event.cursor > self.position]
        if not fresh:
            return
        first, last = fresh[0].event.cursor, fresh[-1].event.cursor
        if not self._is_open or first != self.position + 1 or not are_consecutive(fresh):
            self.hear_of(last)
            return
        for run in runs_of(fresh):
            self._remembered.add_newest(run)
            self.position = run.last
            self._round.begin(run)

    def hear_of(self, cursor: int) -> None:
        """The log reaches to this cursor at least."""
        self._known = max(self._known, cursor)
        if self._is_open and self._known > self.position and self._refreshing is None:
            self._refreshing = asyncio.create_task(self._refresh(), name="actae topic refresh")

    async def _refresh(self) -> None:
        try:
            while self._known > self.position:
                reached = self.position
                self.learn(await self._log.read_after(self.channel_id, reached))
                if self.position == reached:
                    break
        except ActaeError:
            pass  # The database is away: the next hint or poll asks again.
        except Exception as error:  # a defect, and no reason to be deaf from now on
            self.observe(TailFailed("topic refresh", error))
        finally:
            self._known = self.position
            self._refreshing = None

    def remembered_after(self, cursor: int) -> Run | None:
        """The next events above a cursor, if they are still in memory."""
        return self._remembered.find_after(cursor)

    def newest_after(self, cursor: int) -> Run | None:
        """The same, as much of it as one write carries."""
        return self._remembered.join_after(cursor)

    async def read_after(self, cursor: int) -> Run | None:
        """The next events above a cursor, from the log; one reader at a time, so others find them here.

        Raises:
            UnavailableError: the database is out of reach.
        """
        async with self._reading:
            found = self.remembered_after(cursor)
            if found is not None:
                return found
            runs = list(runs_of(await self._log.read_after(self.channel_id, cursor)))
            self._remembered.add_read(runs)
            return runs[0] if runs else None
