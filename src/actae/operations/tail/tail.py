"""All channels that are followed in this process."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from typing import Final

from actae.domain.events import Event, to_event
from actae.domain.view import EventRow
from actae.operations.tail.follower import Follower, Sink
from actae.operations.tail.told import TOLD_BYTES_MAX
from actae.operations.tail.topic import Topic
from actae.store.channels import get_head
from actae.store.database import Database
from actae.store.events import replay_events

# What all topics together may keep in memory for readers who are a little behind.
_MEMORY_BYTES: Final = 64 * 2**20
_PAGE_EVENTS: Final = 256
_PAGE_BYTES: Final = 2**20

Heard = Callable[[Mapping[str, int]], None]


class Tail:
    """Who follows what, and the ways in which new events become known.

    Commits of this process come at once, through `told`. What other processes committed is heard of by a
    hint or by the poll (`heard`), and is then read. Both only say that there is something: order and
    completeness come from cursors alone.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
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

        It is told nothing before it is started. Close it in the end.

        Raises:
            UnavailableError: the database is out of reach.
        """
        topic = self._topics.get(channel_id)
        if topic is None:
            topic = Topic(channel_id, self._read_head, self._read_after, self._memory)
            self._topics[channel_id] = topic
            if len(self._topics) == 1:
                self._on_first()
        follower = Follower(topic, sink, 0)
        topic.followers.add(follower)
        try:
            await topic.open()
        except BaseException:
            await self.leave(follower, channel_id)
            raise
        follower.position = topic.position if after is None else after
        return follower

    async def leave(self, follower: Follower, channel_id: str) -> None:
        """Close a follower, and the topic if it was the last."""
        await follower.close()
        topic = self._topics.get(channel_id)
        if topic is not None and not topic.followers:
            topic.close()
            del self._topics[channel_id]

    def told(self, rows: Sequence[EventRow], recorded_at: datetime) -> None:
        """Events that this process has just committed."""
        topics = self._topics
        if topics:
            ordered = sorted((row for row in rows if row.channel_id in topics), key=_by_place)
            for channel_id, group in groupby(ordered, key=_by_channel):
                topics[channel_id].learn([to_event(row, recorded_at) for row in group])
        self._spread({row.channel_id: row.cursor for row in rows})

    def committed(self, heads: Mapping[str, int]) -> None:
        """Channels that this process has moved, to these cursors at least."""
        self.heard(heads)
        self._spread(heads)

    def heard(self, heads: Mapping[str, int]) -> None:
        """Channels that reach, somebody says, to these cursors at least."""
        for channel_id, cursor in heads.items():
            topic = self._topics.get(channel_id)
            if topic is not None:
                topic.hear_of(cursor)

    def _memory(self) -> int:
        return max(_MEMORY_BYTES // max(1, len(self._topics)), TOLD_BYTES_MAX // 16)

    async def _read_head(self, channel_id: str) -> int:
        head = await get_head(self._db, channel_id)
        return 0 if head is None else head.cursor

    async def _read_after(self, channel_id: str, cursor: int) -> Sequence[Event]:
        return await replay_events(
            self._db, channel_id, after=cursor, most=_PAGE_EVENTS, event_type=None, bytes_max=_PAGE_BYTES
        )


_by_channel = attrgetter("channel_id")
_by_place = attrgetter("channel_id", "cursor")


def _to_nobody(_heads: Mapping[str, int]) -> None:
    pass


def _nothing() -> None:
    pass
