"""Topics whose events go to the callbacks."""

from __future__ import annotations

import asyncio

from actae_client.errors import ActaeError
from actae_client.live.callbacks import Callbacks
from actae_client.live.feed import Feed
from actae_client.live.topics import Topics


class Subscriptions:
    """At most one for each topic: a feed, and the task that calls."""

    def __init__(self, topics: Topics, callbacks: Callbacks) -> None:
        self._topics = topics
        self._callbacks = callbacks
        self._running: dict[str, tuple[Feed, asyncio.Task[None]]] = {}

    def __contains__(self, topic: str) -> bool:
        return topic in self._running

    def begin(self, topic: str, cursor: int | None) -> Feed:
        """Call for each event of the topic. With a cursor, a subscription that is there starts over."""
        running = self._running.get(topic)
        if running is not None and cursor is None and not running[0].has_ended:
            return running[0]
        feed = self._topics.open_feed(topic, cursor)
        self.end(topic)
        self._running[topic] = feed, asyncio.create_task(self._call_for_each(feed), name="actae callbacks")
        return feed

    def end(self, topic: str) -> None:
        """Call no more."""
        feed, task = self._running.pop(topic, (None, None))
        if feed is not None and task is not None:
            if task is not asyncio.current_task():
                task.cancel()
            self._topics.close_feed(feed)

    def end_all(self) -> None:
        """Call no more for any topic."""
        for topic in tuple(self._running):
            self.end(topic)

    async def _call_for_each(self, feed: Feed) -> None:
        try:
            while (event := await feed.take()) is not None:
                self._callbacks.message(feed.channel_id, event)
        except ActaeError as error:
            if not feed.has_ended:  # Otherwise whoever ended it has told.
                self._callbacks.error(str(error))
        if self._running.get(feed.channel_id, (None, None))[0] is feed:
            self.end(feed.channel_id)
