"""A plain WebSocket client: it says what it is told to, and keeps every frame that it hears."""

import asyncio
import json
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.support.crowd import Crowd
from tests.support.server import RunningServer
from tests.support.waiting import until_async

FRAME_BYTES_MAX = 2**20  # what the published client takes

Event = dict[str, Any]


def address(server: RunningServer, path: str = "/ws") -> str:
    """Where a server's WebSocket is."""
    return server.url.replace("http", "ws", 1) + path


class Connection:
    """One client that was let in, or that tries to be.

    `heard` holds the events of each topic since its last confirmation.
    """

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.heard: dict[str, list[Event]] = defaultdict(list)
        self.frames: list[tuple[str, dict[str, Any]]] = []
        self.code: int | None = None
        self._acks: dict[str | None, asyncio.Future[dict[str, Any]]] = {}
        self._subscriptions: dict[str, list[asyncio.Future[dict[str, Any]]]] = defaultdict(list)
        self._hearing = asyncio.create_task(self._hear())

    async def say(self, **message: Any) -> None:
        """Send a message."""
        await self.socket.send(json.dumps(message))

    async def subscribe(self, topic: str, cursor: int | None = None) -> dict[str, Any]:
        """Subscribe; what the server confirms, or why it does not."""
        answered = await self.begin_to_subscribe(topic, cursor)
        return await asyncio.wait_for(answered, 60)

    async def begin_to_subscribe(
        self, topic: str, cursor: int | None = None
    ) -> asyncio.Future[dict[str, Any]]:
        """The same, without waiting for the answer."""
        answered = asyncio.get_running_loop().create_future()
        self._subscriptions[topic].append(answered)
        await self.say(type="subscribe", topic=topic, **({} if cursor is None else {"cursor": cursor}))
        return answered

    async def unsubscribe(self, topic: str) -> dict[str, Any]:
        """Unsubscribe; what the server confirms."""
        answered = asyncio.get_running_loop().create_future()
        self._subscriptions[topic].append(answered)
        await self.say(type="unsubscribe", topic=topic)
        return await asyncio.wait_for(answered, 60)

    async def publish(self, topic: str, payload: Any = None, **fields: Any) -> dict[str, Any]:
        """Publish; the Ack, or the Nack."""
        return await asyncio.wait_for(await self.begin_to_publish(topic, payload, **fields), 60)

    async def begin_to_publish(
        self, topic: str, payload: Any = None, **fields: Any
    ) -> asyncio.Future[dict[str, Any]]:
        """The same, without waiting for the answer."""
        answered = asyncio.get_running_loop().create_future()
        request_id = str(uuid4())
        self._acks[request_id] = answered
        await self.say(type="broadcast", topic=topic, payload=payload, request_id=request_id, **fields)
        return answered

    async def pong(self) -> None:
        """Return when the server has answered a ping: what it sent before has been heard by then."""
        count = self._count_pongs()
        await self.say(type="connection", event="ping", payload={})
        await until_async(lambda: self._count_pongs() > count or self.code is not None)

    def cursors(self, topic: str) -> list[int]:
        """The cursors that were heard since the last confirmation."""
        return [event["cursor"] for event in self.heard[topic]]

    async def until_heard(self, topic: str, cursor: int, *, seconds: float = 60) -> list[int]:
        """Return when an event at this cursor or above it was heard; all that were."""
        await until_async(lambda: self.heard[topic] and self.cursors(topic)[-1] >= cursor, seconds=seconds)
        return self.cursors(topic)

    async def until_closed(self, *, seconds: float = 60) -> int | None:
        """The code with which the server has closed; 1006 if it did not say."""
        await asyncio.wait_for(asyncio.shield(self._hearing), seconds)
        return self.code

    @property
    def errors(self) -> list[dict[str, Any]]:
        """Every Error that was heard."""
        return [fields for tag, fields in self.frames if tag == "Error"]

    async def close(self) -> None:
        """Leave."""
        await self.socket.close()
        await self._hearing

    def cut(self) -> None:
        """Be gone without a word."""
        self.socket.transport.abort()

    def _count_pongs(self) -> int:
        return sum(1 for tag, fields in self.frames if tag == "Connection" and fields["event"] == "pong")

    async def _hear(self) -> None:
        try:
            async for text in self.socket:
                assert len(text) <= FRAME_BYTES_MAX
                ((tag, fields),) = json.loads(text).items()
                if tag == "Broadcast":
                    self.heard[fields["topic"]].append(fields["payload"]["event"])
                else:
                    self.frames.append((tag, fields))
                    self._settle(tag, fields)
        except ConnectionClosed:
            pass
        self.code = self.socket.close_code
        subscriptions = [each for some in self._subscriptions.values() for each in some]
        for waiting in (*self._acks.values(), *subscriptions):
            if not waiting.done():
                waiting.set_exception(ConnectionError("the connection has ended"))
                waiting.exception()  # seen: nobody may be waiting any more

    def _settle(self, tag: str, fields: dict[str, Any]) -> None:
        if tag == "Subscription":
            if fields["event"] == "subscribed":
                self.heard[fields["topic"]] = []
            waiting = self._subscriptions.get(fields["topic"])
            if waiting:
                waiting.pop(0).set_result(fields)
        elif tag in {"Ack", "Nack"}:
            self._acks.pop(fields["request_id"]).set_result(fields)


async def record(crowd: Crowd, channel_id: str, count: int = 1, payload: Any = None) -> int:
    """Append events over HTTP, all at once; the newest cursor."""
    metadata = {"actor": "test", "agent_id": None, "user_id": None, "metadata": None}
    body = {"channel_id": channel_id, "event_type": "note", "payload": payload, "metadata": metadata}
    answers = await crowd.post_together("/events/record", [body] * count)
    assert {answer.status for answer in answers} == {200}
    return max(answer.body["event"]["cursor"] for answer in answers)


@asynccontextmanager
async def connected(
    server: RunningServer, *, api_key: str | None = None, token: str | None = None, **options: Any
) -> AsyncIterator[Connection]:
    """A connection that was let in."""
    connection = await let_in(server, api_key=api_key, token=token, **options)
    try:
        yield connection
    finally:
        await connection.close()


async def let_in(
    server: RunningServer, *, api_key: str | None = None, token: str | None = None, **options: Any
) -> Connection:
    """The same, for who closes it by hand."""
    options = {"max_size": FRAME_BYTES_MAX, "compression": None, "open_timeout": 60, **options}
    socket = await connect(address(server), **options)
    credential = {"token": token} if token else {"api_key": api_key or server.api_key}
    await socket.send(json.dumps({"type": "auth", **credential}))
    for expected in ("connected", "authenticated"):
        ((tag, fields),) = json.loads(await socket.recv()).items()
        assert (tag, fields.get("event")) == ("Connection", expected), fields
    return Connection(socket)
