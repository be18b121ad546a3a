"""Two servers behind one pooler: what one commits, the readers of the other are told."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest

from tests.support.crowd import crowd_at
from tests.support.forking import effect, events_of, fork, step
from tests.support.pgbouncer import PgBouncer
from tests.support.server import RunningServer

NUMBERS = list(range(1, 21))


@pytest.fixture
def servers(start_pooled: Callable[..., RunningServer]) -> tuple[RunningServer, RunningServer]:
    """Both poll so seldom that only hints can be what brings an event in time."""
    first, second = (start_pooled(ACTAE_STREAM_POLL_SECONDS="3600") for _ in range(2))
    return first, second


@asynccontextmanager
async def socket_at(server: RunningServer, channel: str) -> AsyncIterator[Callable[[], Any]]:
    """Subscribed from the beginning of a channel; gives what brings the next event."""
    async with aiohttp.ClientSession() as session, session.ws_connect(f"{server.url}/ws") as socket:

        async def hear(tag: str) -> Any:
            while tag not in (frame := await socket.receive_json(timeout=30)):
                pass
            return frame[tag]

        await socket.send_json({"type": "auth", "api_key": server.api_key})
        await socket.send_json({"type": "subscribe", "topic": channel, "cursor": 0})
        assert (await hear("Subscription"))["event"] == "subscribed"

        async def next_event() -> Any:
            return (await hear("Broadcast"))["payload"]["event"]

        yield next_event


@asynccontextmanager
async def stream_at(server: RunningServer, channel: str) -> AsyncIterator[Callable[[], Any]]:
    """The same as server-sent events."""
    headers = {"x-api-key": server.api_key}
    url = f"{server.url}/api/v1/events/stream/{channel}?cursor=0"
    timeout = aiohttp.ClientTimeout(total=None, sock_read=30)
    async with (
        aiohttp.ClientSession(headers=headers, timeout=timeout) as session,
        session.get(url) as answer,
    ):
        assert answer.status == 200

        async def next_event() -> Any:
            async for line in answer.content:
                if line.startswith(b"data: "):
                    return json.loads(line.removeprefix(b"data: "))
            raise AssertionError("the stream ended")

        yield next_event


@pytest.mark.parametrize("follow", [socket_at, stream_at], ids=["WebSocket", "server-sent events"])
async def test_readers_of_one_are_told_what_the_other_commits(
    servers: tuple[RunningServer, RunningServer], channel: str, follow: Any
) -> None:
    """From the past into the present, in order, each event once; by hints, which pass the pooler by."""
    first, second = servers
    await asyncio.to_thread(first.record, channel, payload=1)
    async with follow(second, channel) as next_event:
        heard = [(await next_event())["payload"]]
        for number in NUMBERS[1:]:
            await asyncio.to_thread(first.record, channel, payload=number)
            heard.append((await next_event())["payload"])
    assert heard == NUMBERS


def test_all_workers_of_a_server_know_both_ways(
    start_pooled: Callable[..., RunningServer], pooler: PgBouncer, channel: str
) -> None:
    """Writes of each go past the pooler, and reads of each through it."""
    server = start_pooled("--workers", "2")
    assert server.record(channel).status == 200
    assert len(events_of(server, channel)) == 1
    pooler.stop()
    for _ in range(10):
        server.pool.clear()  # a new connection may come to the other worker
        assert server.record(channel).status == 200
        assert server.get(f"/events/replay/{channel}").status == 503


def test_a_run_goes_on_at_the_other_server(
    servers: tuple[RunningServer, RunningServer], channel: str
) -> None:
    """Steps and effects at one, fork and promotion at the other, and both read the same."""
    first, second = servers
    step(first, channel, 1)
    effect(first, channel, "charge:1", result={"charged": 1})
    at = step(first, channel, 2)
    child = f"{channel}-fork"
    assert fork(second, channel, child, at).status == 200
    replayed = second.claim(child, "charge:1")
    assert (replayed.body["status"], replayed.body["execution"]["result"]) == ("replayed", {"charged": 1})
    step(second, child, 3)
    promoted = first.post(f"/channels/{child}/promote", {})
    assert promoted.status == 200, promoted
    assert first.get(f"/state/{channel}").body["state"] == {"after": 3}
    assert events_of(first, channel) == events_of(second, channel)


async def test_many_readers_share_few_sessions(
    servers: tuple[RunningServer, RunningServer], channel: str
) -> None:
    """32 at a time on each server, over ten connections and two sessions, beside a writer."""
    first, second = servers
    async with crowd_at(first) as one, crowd_at(second) as other:

        async def read(crowd: Any, number: int) -> None:
            for _ in range(5):
                answer = await crowd.get(f"/events/replay/{channel}?limit={number}")
                assert answer.status == 200, answer
                cursors = [event["cursor"] for event in answer.body["events"]]
                assert cursors == list(range(1, len(cursors) + 1))

        async def write() -> None:
            for number in range(50):
                await asyncio.to_thread(first.record, channel, payload=number)

        readers = (read(crowd, number) for crowd in (one, other) for number in range(1, 33))
        await asyncio.gather(write(), *readers)
    assert len(events_of(second, channel)) == 50
