"""Methods about what happens now: subscribing, publishing, streaming."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, TypeVar

from actae_client._async.sender import Sender
from actae_client._calls import events
from actae_client._calls.channel_ids import validate_channel_id
from actae_client._calls.requests import Requests
from actae_client._types.events import Event
from actae_client._types.json import Json
from actae_client.errors import ActaeConnectionError, ActaeError
from actae_client.live.callbacks import Callbacks, plain
from actae_client.live.connection import Address
from actae_client.live.cursors import validate_cursor
from actae_client.live.feed import Feed
from actae_client.live.link import Link
from actae_client.live.links import Links
from actae_client.live.publication import FRAME_BYTES_MAX, Publication, publication, recorded
from actae_client.live.stream import Stream
from actae_client.live.topics import Topics
from actae_client.retry import Repeat, RetryPolicy
from actae_client.transport import AsyncTransport

T = TypeVar("T")


class LiveMethods(Sender):
    """What goes over the WebSocket, which is opened by the first of these that needs it.

    It belongs to the event loop that opened it; on another loop the client opens another one. The
    callbacks are the client's, and are called on the loop whose WebSocket brought the news.
    """

    def __init__(
        self,
        transport: AsyncTransport,
        requests: Requests,
        retry: RetryPolicy,
        completion_retry: RetryPolicy,
        *,
        address: Address,
        auto_reconnect: bool,
        echo_self: bool,
    ) -> None:
        super().__init__(transport, requests, retry, completion_retry)
        self._address = address
        self._auto_reconnect = auto_reconnect
        self._echo_self = echo_self
        self._callbacks = Callbacks()
        self._links = Links(self._make_link)

    async def connect(self) -> None:
        """Open the WebSocket of this event loop, if it is not open. The other methods do it themselves.

        Raises AuthError for a key that is not good, ActaeConnectionError when there is no WebSocket.
        """
        async with self._in_time(f"{self._address.url} is not connected"):
            await self._connected()

    async def disconnect(self) -> None:
        """Close all connections: streams end, no callback is called any more. A later call opens new ones."""
        await self._links.close()
        await super().disconnect()

    def subscribe(
        self, topic: str, cursor: int | None = None, *, wait: bool = True
    ) -> Coroutine[Any, Any, None]:
        """Have the callbacks of `on_message` called with the events of a channel after a cursor.

        0 is all of them, None those to come. Each comes once and in order, also when the connection is lost
        in between. A cursor for a topic that is subscribed already starts it over. Returns when the
        server has confirmed; without `wait` at once, and a refusal is only told to `on_error`.

        Raises PermissionDeniedError and what else the server refuses it with, and ActaeConnectionError.
        """
        validate_channel_id(topic)
        return self._subscribe(topic, validate_cursor(cursor), wait=wait)

    async def unsubscribe(self, topic: str) -> None:
        """End what `subscribe` began. Streams of the same topic go on."""
        link = self._links.existing()
        if link is not None:
            link.subscriptions.end(topic)

    def publish(
        self, topic: str, payload: Json, *, operation_id: str | None = None
    ) -> Coroutine[Any, Any, Event]:
        """Append an event of type `broadcast` to a channel, and tell everybody who follows it.

        It is sent again after a cut, within `timeout`, and stored once: under `operation_id`, which is the
        same as that of `record`, or under an id made for this call. This client's own subscriptions and
        streams leave it out, unless the client was made with `echo_self`. A payload of about a megabyte
        and more goes over HTTP, and comes back to them in any case.

        Raises IdempotencyConflictError when the id names other content, ConflictError when the channel is
        closed or deleted, PermissionDeniedError, and ActaeConnectionError when there was no
        acknowledgement: then it may be stored, and publishing it again under the same id settles that.
        """
        written = publication(topic, payload, operation_id)
        if len(written.frame) > FRAME_BYTES_MAX:
            return self._send(recorded(written, payload))
        return self._publish(written)

    def stream(self, topic: str, cursor: int | None = None) -> Stream:
        """The events of a channel after a cursor, for `async for`; 0 is all, None those to come.

        Each comes once and in order, also when the connection is lost in between. `async with` tells from
        when on: what is recorded after it was entered will come.
        """
        validate_channel_id(topic)
        return Stream(partial(self._open_feed, topic, validate_cursor(cursor)))

    def on_message(self, callback: Callable[[str, Event], object]) -> None:
        """Call with topic and event, for all that was subscribed. There may be several, called in order."""
        self._callbacks.on_message.append(plain(callback))

    def on_error(self, callback: Callable[[str], object]) -> None:
        """Call with a sentence about what no call raises: a subscription that ended, a complaint."""
        self._callbacks.on_error = plain(callback)

    def on_subscribed(self, callback: Callable[[str, int], object]) -> None:
        """Call with topic and cursor whenever the server confirms a subscription, also after a cut."""
        self._callbacks.on_subscribed = plain(callback)

    def on_disconnected(self, callback: Callable[[], object]) -> None:
        """Call when the connection is lost."""
        self._callbacks.on_disconnected = plain(callback)

    def on_reconnect(self, callback: Callable[[], object]) -> None:
        """Call when it is there again and every topic is subscribed."""
        self._callbacks.on_reconnect = plain(callback)

    def _make_link(self) -> Link:
        topics = Topics(self._read_events, self._read_head, self._callbacks, echo_self=self._echo_self)
        return Link(self._address, topics, self._callbacks, auto_reconnect=self._auto_reconnect)

    async def _connected(self) -> Link:
        link = self._links.here()
        await self._insist(link.connect)
        return link

    async def _subscribe(self, topic: str, cursor: int | None, *, wait: bool) -> None:
        async with self._in_time(f"topic {topic} was not confirmed"):
            link = await self._connected()
            is_new = topic not in link.subscriptions
            feed = link.subscriptions.begin(topic, cursor)
            if not wait:
                return
            try:
                await link.topics.confirmed(feed)
            except BaseException:
                if is_new:
                    link.subscriptions.end(topic)
                raise

    async def _publish(self, written: Publication) -> Event:
        async with self._in_time(f"what was published on {written.topic} was not acknowledged"):
            link = await self._connected()
            acknowledged = await self._insist(partial(link.publish, written), once_connected=True)
            if not acknowledged.is_stub:
                return acknowledged.event
            page = await self._read_events(written.topic, acknowledged.event.cursor - 1, 1)
            return page[0] if page else acknowledged.event

    async def _open_feed(self, topic: str, cursor: int | None) -> tuple[Feed, Callable[[], None]]:
        async with self._in_time(f"topic {topic} was not confirmed"):
            link = await self._connected()
            feed = link.topics.open_feed(topic, cursor)
            try:
                await link.topics.confirmed(feed)
            except BaseException:
                link.topics.close_feed(feed)
                raise
            return feed, partial(link.topics.close_feed, feed)

    async def _read_events(self, channel_id: str, cursor: int, limit: int) -> list[Event]:
        return await self._send(events.replay(channel_id, cursor=cursor, limit=limit, event_type=None))

    async def _read_head(self, channel_id: str) -> int | None:
        return await self._send(events.get_cursor(channel_id))

    async def _insist(self, ask: Callable[[], Awaitable[T]], *, once_connected: bool = False) -> T:
        """As `_send` does. A connected link insists by itself: what it raises about that is final."""
        attempts_made = 0
        while True:
            try:
                return await ask()
            except ActaeError as error:
                attempts_made += 1
                pause = self._pause(Repeat.SAFE, attempts_made, error)
                if pause is None or (once_connected and isinstance(error, ActaeConnectionError)):
                    raise
            await asyncio.sleep(pause)

    @asynccontextmanager
    async def _in_time(self, complaint: str) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self._address.timeout_seconds):
                yield
        except TimeoutError:
            raise ActaeConnectionError(f"{complaint} within {self._address.timeout_seconds} s") from None
