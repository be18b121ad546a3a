"""The subscriptions of one WebSocket: asked for, confirmed, and asked for again after a cut."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any, Final

from actae_client.errors import ActaeConnectionError, ActaeError
from actae_client.live import messages
from actae_client.live.backoff import FAILURES_MAX, may_pass, pause
from actae_client.live.callbacks import Callbacks
from actae_client.live.connection import Connection
from actae_client.live.feed import Feed, ReadEvents
from actae_client.live.frames import (
    Acknowledged,
    Broadcast,
    Frame,
    Subscribed,
    SubscriptionRefused,
    Synchronised,
)
from actae_client.live.topic import Topic

CONFIRMATION_SECONDS_MAX: Final = 10.0

# Somebody waits for a first confirmation, and wants to know what stands against it.
_FIRST_FAILURES_MAX: Final = 4


class Topics:
    """All topics that somebody reads here. A topic is followed from its first reader to its last."""

    def __init__(
        self,
        read_events: ReadEvents,
        read_head: Callable[[str], Awaitable[int | None]],
        callbacks: Callbacks,
        *,
        echo_self: bool,
    ) -> None:
        self._read_events = read_events
        self._read_head = read_head
        self._callbacks = callbacks
        self._echo_self = echo_self
        self._topics: dict[str, Topic] = {}
        self._connection: Connection | None = None
        self._asking: set[asyncio.Task[None]] = set()

    def open_feed(self, name: str, cursor: int | None) -> Feed:
        """Read a topic from a cursor on, or from now on. Close the feed in the end."""
        topic = self._topics.get(name)
        if topic is None:
            topic = self._topics[name] = Topic(name)
            if self._connection is not None:
                self._ask(self._subscribe(self._connection, topic))
        feed = Feed(name, cursor, self._read_events)
        topic.join(feed)
        return feed

    async def confirmed(self, feed: Feed) -> None:
        """Return once the server brings the topic of the feed. Raises what it refused it with."""
        topic = self._topics.get(feed.channel_id)
        if topic is not None:
            await topic.settled()

    def close_feed(self, feed: Feed) -> None:
        """Read no more. With its last reader a topic is let go."""
        feed.end()
        topic = self._topics.get(feed.channel_id)
        if topic is None or feed not in topic.feeds:
            return
        topic.feeds.remove(feed)
        if not topic.feeds:
            del self._topics[topic.name]
            topic.end(None, _let_go(topic.name))
            if self._connection is not None:
                self._ask(self._unsubscribe(self._connection, topic.name))

    def connected(self, connection: Connection) -> list[asyncio.Task[None]]:
        """Ask a new connection for every topic. The tasks end when the topics are settled."""
        self._connection = connection
        return [self._ask(self._subscribe(connection, topic)) for topic in self._topics.values()]

    def disconnected(self) -> None:
        """The connection is lost."""
        self._connection = None
        for task in self._asking:
            task.cancel()

    def end(self, error: ActaeError | None, reason: ActaeError) -> None:
        """There will be no other connection."""
        for topic in self._topics.values():
            topic.end(error, reason)
        self._topics.clear()

    def take_in(self, frame: Frame, size: int) -> None:
        """What the server says of topics."""
        match frame:
            case Broadcast(name, event, is_stub) if topic := self._topics.get(name):
                topic.hear(event, size, is_stub=is_stub)
            case Acknowledged(_, event, is_stub) if topic := self._topics.get(event.channel_id):
                topic.acknowledge(event, size, echo=self._echo_self, is_stub=is_stub)
            case Synchronised(name, cursor) if topic := self._topics.get(name):
                topic.hear_of(cursor)
            case Subscribed(name, cursor) if topic := self._topics.get(name):
                self._confirm(topic, cursor)
                topic.answer(cursor)
            case SubscriptionRefused(name, error) if topic := self._topics.get(name):
                if not topic.refuse(error):
                    self._drop(topic, error)
            case _:
                pass

    def _ask(self, asking: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(asking, name="actae subscription")
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)
        return task

    async def _subscribe(self, connection: Connection, topic: Topic) -> None:
        """Subscribe until it is confirmed, or until there is no hope that it will be."""
        failures = 0
        while True:
            try:
                await self._confirmation(connection, topic)
            except ActaeError as error:
                failures += 1
                most = _FIRST_FAILURES_MAX if topic.watermark is None else FAILURES_MAX
                if failures >= most or not may_pass(error):
                    self._drop(topic, error)
                    return
            else:
                return
            await asyncio.sleep(pause(failures - 1))

    async def _confirmation(self, connection: Connection, topic: Topic) -> None:
        answer = topic.ask()
        with suppress(ActaeConnectionError):  # Then it is lost, and this task is about to be cancelled.
            await connection.send(messages.subscribe(topic.name, topic.watermark))
        try:
            async with asyncio.timeout(CONFIRMATION_SECONDS_MAX):
                cursor = await answer
        except TimeoutError:
            await connection.give_up(f"topic {topic.name} was not confirmed")
            raise connection.loss() from None
        if cursor is None:
            self._confirm(topic, await self._read_head(topic.name) or 0)

    def _confirm(self, topic: Topic, cursor: int | None) -> None:
        if cursor is not None:
            topic.confirm(cursor)
            self._callbacks.subscribed(topic.name, cursor)

    async def _unsubscribe(self, connection: Connection, name: str) -> None:
        with suppress(ActaeConnectionError):
            await connection.send(messages.unsubscribe(name))

    def _drop(self, topic: Topic, error: ActaeError) -> None:
        if self._topics.get(topic.name) is topic:
            del self._topics[topic.name]
            is_raised = topic.is_waited_for
            topic.end(error, error)
            if not is_raised:
                self._callbacks.error(f"topic {topic.name}: {error}")


def _let_go(name: str) -> ActaeConnectionError:
    error = ActaeConnectionError(f"topic {name} was unsubscribed before it was confirmed")
    error.retryable = False
    return error
