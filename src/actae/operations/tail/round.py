"""Tells the readers of one channel what is new, so many at a time: many readers keep nobody else waiting."""

import asyncio
from typing import TYPE_CHECKING, Final

from actae.operations.tail.told import Run

if TYPE_CHECKING:
    from actae.operations.tail.follower import Follower
    from actae.operations.tail.topic import Topic

# A write takes some ten microseconds, most of them in the kernel. So many readers are told at once when a
# commit is heard of; the others in further turns of the event loop, between which the writer gets its answer.
AT_ONCE: Final = 64


class Round:
    """Goes from reader to reader of those that keep up, with the same events for each.

    What becomes known meanwhile goes round afterwards, in one piece: the longer a round takes, the fewer and
    larger writes each reader gets.
    """

    __slots__ = ("_left", "_topic")

    def __init__(self, topic: "Topic") -> None:
        self._topic = topic
        self._left: list[Follower] = []

    def begin(self, run: Run) -> None:
        """Tell everybody what follows the events that they have. A round that is under way ends with that."""
        if not self._left:
            self._left = list(self._topic.live)
            self._go_on(run)

    def _go_on(self, run: Run) -> None:
        live = self._topic.live
        some = self._left[-AT_ONCE:]
        del self._left[-AT_ONCE:]
        for follower in some:
            if follower in live:  # it may have left since the round began
                follower.push(run)
        if self._left:
            asyncio.get_running_loop().call_soon(self._go_on, run)
        elif run.last < self._topic.position:
            self._go_round_again(run.last)

    def _go_round_again(self, told: int) -> None:
        run = self._topic.newest_after(told)
        if run is None:  # forgotten already
            for follower in tuple(self._topic.live):
                follower.fall_behind()
        elif self._topic.live:
            self._left = list(self._topic.live)
            asyncio.get_running_loop().call_soon(self._go_on, run)
