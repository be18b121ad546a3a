"""All channels that are followed in this process."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from typing import Final

from actae.domain.events import to_event
from actae.domain.view import EventRow
from actae.observations import Observer, TailFailed
from actae.operations.tail.follower import Follower, Sink
from actae.operations.tail.log import Log
from actae.operations.tail.memory import Memory
from actae.operations.tail.told import tell
from actae.operations.tail.topic import Topic

# What all topics together may keep in memory for readers who are a little behind.
MEMORY_BYTES: Final = 96 * 2**20

Heard = Callable[[Mapping[str, int]], None]


class Tail:
    """Who follows what, and the ways in which new events become known.

    Commits of this process come at once, through `told`. What other processes committed is heard of by a
    hint or by the poll (`heard`), and is then read. Both only say that there is something: order and
    completeness come from cursors alone.
    """

    def __init__(self, log: Log, observe: Observer, *, memory_bytes: int = MEMORY_BYTES) -> None:
        self._log = log
        self._observe = observe
        self._memory = Memory(memory_bytes)
        self._topics: dict[str, Topic] = {}
        self._spread: Heard = _to_nobody
        self._on_first: Callable[[], None] = _nothing

    def spread_with(self, spread: Heard, on_first: Callable[[], None]) -> None:
        """Tell other processes of this one's commits from now on, and when the first reader comes."""
        self._spread = spread
        self._on_first = on_first

    @property
    def channel_ids(self) -> list[str]:
        """The channels that somebody follows."""
        return list(self._topics)

    @property
    def followers(self) -> Iterable[Follower]:
        """Everybody who follows."""
        for topic in self._topics.values():
            yield from topic.followers

    async def follow(self, channel_id: str, sink: Sink, *, after: int | None) -> Follower:
        """A follower that will be told what lies above a cursor, or above the head if that is None.

        It is told nothing before it is started. It must be left in the end. The head is that of the log, not
        what this process has heard of: what was acknowledged before, anywhere, is not told.

        Raises:
            UnavailableError: the database is out of reach.
        """
        topic = self._topics.get(channel_id)
        if topic is None:
            topic = Topic(channel_id, self._log, self._memory, self._observe)
            self._topics[channel_id] = topic
            if len(self._topics) == 1:
                self._on_first()
        follower = Follower(topic, sink)
        topic.followers.add(follower)
        try:
            is_fresh = await topic.open()
            if after is not None:
                follower.position = after
            else:
                follower.position = topic.position if is_fresh else await topic.read_head()
        except BaseException:
            self.leave(follower)
            raise
        return follower

    def leave(self, follower: Follower) -> None:
        """Close a follower, and the topic if it was the last."""
        follower.close()
        topic = self._topics.get(follower.channel_id)
        if topic is not None and not topic.followers:
            topic.close()
            del self._topics[follower.channel_id]

    def told(self, rows: Sequence[EventRow], recorded_at: datetime) -> None:
        """Events that this process has just committed. Never raises: the writer is the one who tells."""
        heads = {row.channel_id: row.cursor for row in rows}
        if self._topics:
            try:
                self._tell(rows, recorded_at)
            except Exception as error:  # a defect; what was not told is read
                self._observe(TailFailed("telling", error))
                self.heard(heads)
        self._spread(heads)

    def _tell(self, rows: Sequence[EventRow], recorded_at: datetime) -> None:
        topics = self._topics
        ordered = sorted((row for row in rows if row.channel_id in topics), key=_by_place)
        for channel_id, group in groupby(ordered, key=_by_channel):
            topics[channel_id].learn([tell(to_event(row, recorded_at)) for row in group])

    def committed(self, heads: Mapping[str, int], deleted: Collection[str] = ()) -> None:
        """Channels that this process has moved, to these cursors at least, and those that it has deleted."""
        self.heard(heads)
        self._spread(heads)
        self.forget(deleted)

    def heard(self, heads: Mapping[str, int]) -> None:
        """Channels that reach, somebody says, to these cursors at least."""
        for channel_id, cursor in heads.items():
            topic = self._topics.get(channel_id)
            if topic is not None:
                topic.hear_of(cursor)

    def forget(self, deleted: Collection[str]) -> None:
        """Channels that were deleted: nobody is told any more of what they held."""
        for channel_id in deleted:
            topic = self._topics.get(channel_id)
            if topic is not None:
                topic.forget()


_by_channel = attrgetter("channel_id")
_by_place = attrgetter("channel_id", "cursor")


def _to_nobody(_heads: Mapping[str, int]) -> None:
    pass


def _nothing() -> None:
    pass
