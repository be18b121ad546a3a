"""One reader of one channel. It is a cursor, and no queue: what it cannot take now it reads later."""

import asyncio
from typing import TYPE_CHECKING, Protocol

from actae.domain.errors import ActaeError
from actae.observations import TailFailed
from actae.operations.tail.told import Run

if TYPE_CHECKING:
    from actae.operations.tail.topic import Topic


class ReaderGone(Exception):  # noqa: N818  # how every reading ends
    """The reader has gone, or was dropped because it does not read."""


class Sink(Protocol):
    """Where a follower's events go. Holds what one write carries, never more."""

    def is_ready(self) -> bool:
        """Whether it takes events now."""
        ...

    def write(self, run: Run) -> None:
        """Take them. Called only when ready."""
        ...

    async def drained(self) -> None:
        """Return when it is ready.

        Raises:
            ReaderGone: it will never be.
        """
        ...

    def fail(self, error: Exception) -> None:
        """End the reader: what it follows cannot be read."""
        ...


class Follower:
    """Tells a sink every event above a cursor, in order, each once.

    While it keeps up it is told directly by its topic. When its sink is not ready it falls behind; a task
    of its own then brings it forward, from the topic's memory or from the log, until it has caught up.
    So it is always one of four: live, behind, held, or closed; only a live one is pushed to, and only the
    task of one that is behind moves it.
    """

    def __init__(self, topic: "Topic", sink: Sink, position: int = 0) -> None:
        self.position = position
        self._topic = topic
        self._sink = sink
        self._behind: asyncio.Task[None] | None = None
        self._holds = 0
        self._own: set[int] = set()
        self._closed = False

    @property
    def channel_id(self) -> str:
        """What it follows."""
        return self._topic.channel_id

    @property
    def head(self) -> int:
        """The newest cursor of the channel that is known here."""
        return self._topic.position

    @property
    def lag(self) -> int:
        """Events that it has not been told yet."""
        return max(0, self._topic.position - self.position)

    @property
    def is_kept_waiting(self) -> bool:
        """Whether there is something to tell that own publishes hold back."""
        return self._holds > 0 and self.lag > 0

    def start(self) -> None:
        """Begin to tell."""
        self._go_on()

    def close(self) -> None:
        """Tell nothing any more."""
        self._closed = True
        self._topic.leave(self)
        if self._behind is not None:
            self._behind.cancel()

    def hold(self) -> None:
        """Tell nothing until `release`: the reader is publishing, and is not told of its own event."""
        self._holds += 1
        self._topic.live.discard(self)

    def release(self, own: int | None) -> None:
        """Go on, and leave out the event at this cursor."""
        self._holds -= 1
        if own is not None and own > self.position:
            self._own.add(own)
        if self._may_tell():
            self._go_on()

    def push(self, run: Run) -> None:
        """Take what has just been committed, from the topic that it keeps up with."""
        if self._sink.is_ready():
            self._take(run)
        else:
            self.fall_behind()

    def fall_behind(self) -> None:
        """Keep up no more, and find out alone what comes next."""
        self._topic.live.discard(self)
        self._go_on()

    def _may_tell(self) -> bool:
        return self._holds == 0 and not self._closed

    def _take(self, run: Run) -> None:
        rest = run.after(self.position)
        if rest is None:
            return
        self.position = rest.last
        if self._own:
            rest = rest.without(frozenset(self._own))
            self._own = {cursor for cursor in self._own if cursor > self.position}
        if rest is not None:
            try:
                self._sink.write(rest)
            except Exception as error:  # a defect costs this reader its connection, not the writer its lane
                self._give_up(error)

    def _go_on(self) -> None:
        """Catch up: at once where one step does it, otherwise step by step."""
        if self._behind is not None:
            return
        run = self._topic.remembered_after(self.position) if self._sink.is_ready() else None
        if run is not None:
            self._take(run)
        if self.position >= self._topic.position:
            self._topic.live.add(self)
        else:
            self._behind = asyncio.create_task(self._catch_up(), name="actae follower")

    async def _catch_up(self) -> None:
        try:
            while self._may_tell():
                await self._sink.drained()
                run = await self._next_run()
                if not self._may_tell():
                    return
                if run is not None:
                    if self._sink.is_ready():
                        self._take(run)
                    await asyncio.sleep(0)  # The reader's other channels have their turn.
                elif self.position >= self._topic.position:
                    self._topic.live.add(self)
                    return
        except ReaderGone:
            pass
        except ActaeError as error:
            self._sink.fail(error)
        except Exception as error:  # a defect: the reader must not wait for ever
            self._give_up(error)
        finally:
            self._behind = None

    async def _next_run(self) -> Run | None:
        """What comes next, from memory or from the log."""
        run = self._topic.remembered_after(self.position)
        head = self._topic.position
        if run is None and self.position < head:
            run = await self._topic.read_after(self.position)
            if run is None:  # The channel was deleted, and its events with it: there is nothing to tell.
                self.position = head
        return run

    def _give_up(self, error: Exception) -> None:
        self._topic.observe(TailFailed("follower", error))
        self._sink.fail(error)
