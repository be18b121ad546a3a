"""Who may follow and publish, for how long, and how many."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from websockets.asyncio.client import connect

from actae.domain.access import Permissions
from actae.operations.accounts import create_user, set_user_permissions
from actae.operations.api_keys import create_key, revoke_key
from actae.store import api_keys as store
from actae.store.database import Database
from tests.support.crowd import crowd_at
from tests.support.event_stream import streaming
from tests.support.live import Connection, address, connected, let_in, record
from tests.support.server import Reply, RunningServer
from tests.support.waiting import until_true

Start = Callable[..., RunningServer]

OFTEN_CHECKED = {"ACTAE_STREAM_ACCESS_SECONDS": "0.2"}
TOLD_OF_NEWS = {"ACTAE_STREAM_ACCESS_SECONDS": "3600"}  # or else not within this test

READER = Permissions(read=("run-*",))
WRITER = Permissions(write=("run-*",))
PASSWORD = "correct horse battery"

BOTH = Permissions(read=("run-*", "memo"), write=("run-*",))


async def refusal_of(connection: Connection, **message: Any) -> dict[str, Any]:
    """What a message is answered with, which has to be one refusal."""
    before = len(connection.frames)
    await connection.say(**message)
    await connection.pong()
    tag, fields = connection.frames[before]
    assert tag in {"Subscription", "Nack"}
    assert fields["status"] == "forbidden", fields
    return fields


async def post(server: RunningServer, path: str, body: Any, **options: Any) -> Reply:
    """Without a key."""
    return await asyncio.to_thread(server.post, path, body, api_key=None, **options)


@pytest.fixture
def server(start_server: Start) -> RunningServer:
    """A server outside of dev mode that looks credentials up when it is told to, or meets a bad one."""
    return start_server(environment=TOLD_OF_NEWS)


async def test_permissions_are_those_of_each_channel(server: RunningServer, db: Database) -> None:
    """Who may only write does not follow, who may only read does not publish; patterns count."""
    (_, read_key), (_, write_key) = await create_key(db, "r", READER), await create_key(db, "w", WRITER)
    async with connected(server, api_key=read_key) as reader, connected(server, api_key=write_key) as writer:
        assert (await reader.subscribe("run-1"))["event"] == "subscribed"
        assert (await writer.publish("run-1", 1))["cursor"] == 1
        assert await reader.until_heard("run-1", 1) == [1]
        for connection, message in (
            (reader, {"type": "broadcast", "topic": "run-1", "payload": 1, "request_id": "r"}),
            (reader, {"type": "subscribe", "topic": "memo", "cursor": 0}),
            (writer, {"type": "broadcast", "topic": "memo", "payload": 1, "request_id": "r"}),
            (writer, {"type": "subscribe", "topic": "run-1"}),
        ):
            connection._acks["r"] = asyncio.get_running_loop().create_future()
            assert (await refusal_of(connection, **message))["topic"] == message["topic"]
        assert (await writer.publish("run-1", 2))["cursor"] == 2
        assert await reader.until_heard("run-1", 2) == [1, 2]


async def test_a_stream_is_for_who_may_read(server: RunningServer, db: Database) -> None:
    """Refused before it begins, like any other request."""
    (_, reader), (_, writer) = await create_key(db, "r", READER), await create_key(db, "w", WRITER)
    for api_key, channel, status in ((reader, "memo", 403), (writer, "run-1", 403), (None, "run-1", 401)):
        reply = await asyncio.to_thread(server.get, f"/events/stream/{channel}", api_key=api_key)
        assert reply.status == status
    async with streaming(server, "run-1", api_key=reader) as stream:
        assert stream.events == []


async def test_a_key_that_is_revoked_reads_no_longer(server: RunningServer, db: Database) -> None:
    """Its connections and its streams end, and say why; other keys' stay."""
    (key, secret), (_, other) = await create_key(db, "k", BOTH), await create_key(db, "o", BOTH)
    async with (
        connected(server, api_key=secret) as revoked,
        connected(server, api_key=other) as kept,
        streaming(server, "run-1", api_key=secret) as revoked_stream,
        streaming(server, "run-1", api_key=other) as kept_stream,
        crowd_at(server) as crowd,
    ):
        for connection in (revoked, kept):
            await connection.subscribe("run-1")
        await revoke_key(db, key.key_id)
        assert await revoked.until_closed() == 1008
        assert [error["status"] for error in revoked.errors] == ["unauthorized"]
        await revoked_stream.ended()
        assert not revoked_stream.broke
        await record(crowd, "run-1")
        assert await kept.until_heard("run-1", 1) == [1]
        assert await kept_stream.until(1) == [1]


async def test_who_may_read_no_longer_goes_on_as_an_observer(server: RunningServer, db: Database) -> None:
    """A stream that was begun as a reader's ends; the next one says nothing of what events hold."""
    user = await create_user(db, "ada@example.com", PASSWORD, READER)
    login = {"email": user.email, "password": PASSWORD}
    token = (await post(server, "/auth/login", login)).body["token"]
    await asyncio.to_thread(server.record, "run-1", payload={"canary": 1})
    async with streaming(server, "run-1", 0, api_key=token) as stream:
        await stream.until(1)
        assert stream.events[0]["payload"] == {"canary": 1}
        await set_user_permissions(db, user.email, Permissions(observe=("run-*",)))
        await stream.ended()
    async with streaming(server, "run-1", 0, api_key=token) as stream:
        await stream.until(1)
        assert (stream.events[0]["payload"], stream.events[0]["redacted"]) == ({}, True)


async def test_a_call_that_is_refused_ends_what_reads_with_its_key(
    server: RunningServer, db: Database, channel: str
) -> None:
    """Nobody told the server; the first call that meets it does."""
    key, secret = await create_key(db, "k", Permissions(read=("*",)))
    async with (
        connected(server, api_key=secret) as reader,
        streaming(server, channel, api_key=secret) as stream,
        streaming(server, channel) as kept,
    ):

        async def is_refused() -> bool:
            return (await asyncio.to_thread(server.get, "/channels", api_key=secret)).status == 401

        assert not await is_refused()
        await store.revoke_api_key(db, key.key_id)
        await until_true(is_refused)
        assert await reader.until_closed() == 1008
        await stream.ended()
        await asyncio.to_thread(server.record, channel)
        assert await kept.until(1) == [1]


async def test_what_no_news_tells_is_looked_at_now_and_then(start_server: Start, db: Database) -> None:
    """A hint may be lost."""
    server = start_server(environment=OFTEN_CHECKED)
    key, secret = await create_key(db, "k", BOTH)
    async with (
        connected(server, api_key=secret) as reader,
        streaming(server, "run-1", api_key=secret) as stream,
    ):
        await store.revoke_api_key(db, key.key_id)
        assert await reader.until_closed() == 1008
        await stream.ended()


async def test_permissions_that_are_taken_away_end_what_they_allowed(
    server: RunningServer, db: Database
) -> None:
    """And nothing else: the connection stays, and follows what it still may."""
    email = "ada@example.com"
    await create_user(db, email, PASSWORD, permissions=BOTH)
    signed_in = await post(server, "/auth/login", {"email": email, "password": PASSWORD})
    token = signed_in.body["token"]
    async with (
        connected(server, token=token) as reader,
        streaming(server, "memo", api_key=token) as stream,
        crowd_at(server) as crowd,
    ):
        for topic in ("run-1", "memo"):
            assert (await reader.subscribe(topic))["event"] == "subscribed"
        await set_user_permissions(db, email, READER)
        await stream.ended()
        await _until_told(reader, "memo")
        await record(crowd, "memo")
        await record(crowd, "run-1")
        assert await reader.until_heard("run-1", 1) == [1]
        assert reader.cursors("memo") == []
        assert (await reader.subscribe("memo"))["status"] == "forbidden"
        assert (await reader.publish("run-1", 1))["status"] == "forbidden"


async def test_a_token_that_is_signed_out_ends_its_connection(server: RunningServer) -> None:
    """As a key that is revoked."""
    token = (await post(server, "/auth/api-key-login", {"api_key": server.api_key})).body["token"]
    async with connected(server, token=token) as reader:
        await reader.subscribe("run-1")
        await post(server, "/auth/logout", {}, headers={"authorization": f"Bearer {token}"})
        assert await reader.until_closed() == 1008


async def _until_told(reader: Connection, topic: str) -> None:
    """Return when the subscription was ended by the server."""
    while not any(
        tag == "Subscription" and fields["event"] == "error" and fields["payload"]["topic"] == topic
        for tag, fields in reader.frames
    ):
        await reader.pong()


async def test_one_connection_follows_so_many_channels_and_no_more(start_server: Start) -> None:
    """Those that it follows may begin anew, and one that is given up makes room."""
    server = start_server(environment={"ACTAE_STREAM_SUBSCRIPTIONS_MAX": "3"})
    async with connected(server) as reader:
        for topic in ("a", "b", "c", "b"):
            assert (await reader.subscribe(topic))["event"] == "subscribed"
        refusal = await reader.subscribe("d")
        assert (refusal["event"], refusal["status"]) == ("error", "too_many_readers")
        await reader.unsubscribe("a")
        assert (await reader.subscribe("d"))["event"] == "subscribed"


async def test_a_process_takes_so_many_readers_and_no_more(start_server: Start) -> None:
    """WebSockets and streams together; whoever is refused may come back when somebody has left."""
    server = start_server(environment={"ACTAE_STREAM_CONNECTIONS_MAX": "2"})
    async with connected(server), streaming(server, "run-1"):
        async with connect(address(server)) as one_more:
            greeting, refusal = [json.loads(await one_more.recv()) for _ in range(2)]
            assert greeting["Connection"]["event"] == "connected"
            assert refusal["Error"]["status"] == "too_many_readers"
            await one_more.wait_closed()
            assert one_more.close_code == 1013
        reply = await asyncio.to_thread(server.get, "/events/stream/run-1")
        assert (reply.status, reply.body["status"]) == (429, "too_many_readers")
        assert reply.headers["retry-after"] == "5"
    async with connected(server), connected(server):
        pass


async def test_a_rate_limit_counts_what_is_said(start_server: Start) -> None:
    """Each message is a request; a ping is none. What is refused costs nothing else."""
    server = start_server(environment={"ACTAE_RATE_LIMIT_PER_SECOND": "5"})
    connection = await let_in(server)
    answers = await asyncio.gather(*[await connection.begin_to_publish("run-1", n) for n in range(20)])
    assert {answer.get("status", "stored") for answer in answers} == {"stored", "rate_limited"}
    await connection.pong()
    await connection.close()
