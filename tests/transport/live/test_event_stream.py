"""A channel as server-sent events: for browsers, curl, and whoever has no WebSocket."""

import asyncio
import json
import socket
from collections.abc import Callable, MutableMapping
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlsplit

import pytest

from actae.observations import Observation
from actae.operations.tail import Tail
from actae.transport.corking import TRANSPORT_STATE
from actae.transport.live.event_stream import EventStream, stream_message
from actae.transport.live.mailbox import Mailbox
from actae.transport.live.patience import Patience
from actae.transport.tally import Tally
from tests.support.crowd import crowd_at
from tests.support.event_stream import streaming
from tests.support.live import record
from tests.support.server import RunningServer
from tests.support.tailing import Scene
from tests.support.waiting import until, until_async, until_true
from tests.transport.live.conftest import Pair

Start = Callable[..., RunningServer]


async def test_each_message_is_one_event_under_its_cursor(pair: Pair, channel: str) -> None:
    """Backlog first, then live, from either server; the data is the event as it is stored."""
    async with crowd_at(pair.left) as crowd:
        await record(crowd, channel, 5)
        async with streaming(pair.left, channel, 2) as near, streaming(pair.right, channel) as far:
            await record(crowd, channel, 3, payload={"n": 1})
            assert await near.until(8) == [3, 4, 5, 6, 7, 8]
            assert await far.until(8) == [6, 7, 8]
            assert near.ids == ["3", "4", "5", "6", "7", "8"]
            stored = (await crowd.get(f"/events/replay/{channel}?cursor=7")).body["events"]
            assert [{**event, "event_type": event["type"]} for event in stored][-1] == far.events[-1]
            assert near.response.headers["content-type"] == "text/event-stream; charset=utf-8"
            assert near.response.headers["cache-control"] == "no-store"


async def test_who_comes_back_goes_on_behind_the_last_id(server: RunningServer, channel: str) -> None:
    """Which goes before the cursor in the address: a browser repeats that one for ever."""
    async with crowd_at(server) as crowd:
        await record(crowd, channel, 6)
        async with streaming(server, channel, 1, last_event_id="4") as stream:
            assert await stream.until(6) == [5, 6]
        async with streaming(server, channel, 1, last_event_id="") as stream:
            assert await stream.until(6) == [2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("query", "last_event_id", "field"),
    [
        pytest.param("?cursor=-1", None, "cursor", id="below zero"),
        pytest.param("?cursor=x", None, "cursor", id="no number"),
        pytest.param("?cursor=9223372036854775808", None, "cursor", id="above every cursor"),
        pytest.param("?cursor=null", None, "cursor", id="the word null"),
        pytest.param("", "-1", "last-event-id", id="an id below zero"),
        pytest.param("?cursor=1", "1.0", "last-event-id", id="an id with a fraction"),
        pytest.param("", "9" * 19, "last-event-id", id="an id above every cursor"),
        pytest.param("", "x" * 1_000, "last-event-id", id="a long id"),
    ],
)
def test_a_bad_beginning_is_refused_before_anything_is_sent(
    server: RunningServer, channel: str, query: str, last_event_id: str | None, field: str
) -> None:
    """As any other request is, with the name of what is wrong."""
    headers = {} if last_event_id is None else {"last-event-id": last_event_id}
    reply = server.get(f"/events/stream/{channel}{query}", headers=headers)
    assert (reply.status, reply.body["status"], reply.body["field"]) == (400, "invalid_request", field)


def test_a_bad_channel_is_refused(server: RunningServer) -> None:
    """By its name."""
    assert server.get("/events/stream/a%20b").status == 400


@pytest.mark.parametrize(
    "written",
    [
        pytest.param('{\n  "a": [\n    1,\n    2\n  ],\n  "b": "c\\nd"\n}', id="pretty-printed"),
        pytest.param('[1.50,\n\n\n 1e400, "\\ud800", "\u2028\u2029\x7f"]', id="odd"),
        pytest.param(json.dumps({"id: 9": "\n\ndata: x\r\n: y"}), id="looks like a message"),
    ],
)
async def test_json_comes_as_it_was_sent_whatever_lines_it_has(
    server: RunningServer, channel: str, written: str
) -> None:
    """Line breaks are those of the transport; whoever puts the lines together has the bytes again."""
    async with streaming(server, channel, 0) as stream:
        await record_raw(server, channel, written)
        await stream.until(1)
        assert f'"payload":{written},"actor"' in stream.raw[0]


async def test_a_carriage_return_between_tokens_is_a_line_break(server: RunningServer, channel: str) -> None:
    """To the standard it is one; the value stays what it was."""
    async with streaming(server, channel, 0) as stream:
        await record_raw(server, channel, "[1,\r\n2\r]")
        await stream.until(1)
        assert stream.events[0]["payload"] == [1, 2]


async def record_raw(server: RunningServer, channel: str, payload: str) -> None:
    """Append an event whose payload is written just so."""
    event = f'"channel_id": "{channel}", "event_type": "note", "payload": {payload}'
    raw = f'{{{event}, "metadata": {{"actor": "test"}}}}'.encode()
    recorded = await asyncio.to_thread(server.request, "POST", "/api/v1/events/record", raw=raw)
    assert recorded.status == 200, recorded


def test_who_asks_for_the_head_gets_that_and_no_more(server: RunningServer, channel: str) -> None:
    """A body without an end would keep it waiting."""
    reply = server.request("HEAD", f"/api/v1/events/stream/{channel}?cursor=0")
    assert (reply.status, reply.body) == (200, b"")
    assert reply.headers["content-type"] == "text/event-stream; charset=utf-8"


def live_figures(server: RunningServer) -> dict[str, float]:
    """What the server counts of its streams, by name."""
    text = server.request("GET", "/metrics", api_key=None).body.decode()
    wanted = ("actae_stream_", "actae_event_streams")
    lines = (line.split() for line in text.splitlines() if line.startswith(wanted))
    return {name: float(value) for name, value in lines}


async def test_a_client_that_has_gone_is_forgotten(start_server: Start, channel: str) -> None:
    """Without an event that would have to be sent to it first."""
    server = start_server()
    for leave_abruptly in (False, True):
        async with streaming(server, channel) as stream:
            figures = await asyncio.to_thread(live_figures, server)
            assert (figures["actae_event_streams"], figures["actae_stream_subscribers"]) == (1, 1)
            if leave_abruptly:
                assert stream.response.connection is not None
                assert stream.response.connection.transport is not None
                stream.response.connection.transport.abort()
        await asyncio.to_thread(until, lambda: not any(live_figures(server).values()))


async def test_streams_end_when_the_server_stops(start_server: Start, channel: str) -> None:
    """At once and whole: the body is complete, and the server ends cleanly."""
    server = start_server()
    async with streaming(server, channel) as one, streaming(server, f"{channel}.b") as other:
        stopping = asyncio.create_task(asyncio.to_thread(server.stop))
        for stream in (one, other):
            await stream.ended()
            assert not stream.broke
        assert await stopping == 0


def begin_and_read_nothing(server: RunningServer, channel: str) -> socket.socket:
    """A stream on a connection that takes hardly anything."""
    parts = urlsplit(server.url)
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    connection.connect((parts.hostname, parts.port))
    path = f"/api/v1/events/stream/{channel}?cursor=0"
    lines = (f"GET {path} HTTP/1.1", "host: x", f"x-api-key: {server.api_key}", "", "")
    connection.sendall("\r\n".join(lines).encode())
    return connection


async def test_a_stream_that_nobody_reads_is_dropped(start_server: Start, channel: str) -> None:
    """Though it never takes the end of it either; its neighbour has everything."""
    server = start_server(environment={"ACTAE_STREAM_STALL_SECONDS": "3"})
    async with crowd_at(server) as crowd, streaming(server, channel) as neighbour:
        with begin_and_read_nothing(server, channel):
            await record(crowd, channel, 40, payload="x" * 500_000)
            assert await neighbour.until(40) == list(range(1, 41))
            await asyncio.to_thread(until, lambda: live_figures(server)["actae_event_streams"] == 1)
        figures = await asyncio.to_thread(live_figures, server)
        assert (figures["actae_stream_subscribers"], figures["actae_stream_stalled"]) == (1, 0)
        assert figures["actae_stream_lag_events"] == 0


async def test_a_stream_that_nobody_reads_does_not_keep_a_server_from_stopping(
    start_server: Start, channel: str
) -> None:
    """It is counted while it stands still; in the end it has a moment to read on, and no more."""
    server = start_server(environment={"ACTAE_STREAM_STALL_SECONDS": "3600"})
    async with crowd_at(server) as crowd:
        with begin_and_read_nothing(server, channel):
            await record(crowd, channel, 40, payload="x" * 500_000)
            await asyncio.to_thread(until, lambda: live_figures(server)["actae_stream_stalled"] == 1)
            assert await asyncio.to_thread(server.stop, 20) == 0


class Exchange:
    """One request without a network: what it is answered, and when its client goes."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.aborted = False
        self.stuck = asyncio.Event()
        self.stuck.set()
        self.gone = asyncio.Event()
        self.scope = {"method": "GET", "path": "/", "state": {TRANSPORT_STATE: self}}

    async def receive(self) -> MutableMapping[str, Any]:
        """Nothing, until the client goes."""
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: MutableMapping[str, Any]) -> None:
        """Take it, if the client reads."""
        await self.stuck.wait()
        self.sent.append(message.get("body", b""))

    def get_extra_info(self, _name: str) -> None:
        """There is no socket."""

    def abort(self) -> None:
        """Drop the connection."""
        self.aborted = True


class Streamed:
    """A stream on a scripted tail, and everything that may end it."""

    def __init__(self, *, keep_alive_seconds: float = 3600) -> None:
        self.scene = Scene()
        self.exchange = Exchange()
        self.stopping = asyncio.Event()
        self.refused = asyncio.Event()
        self.keep_alive_seconds = keep_alive_seconds

    async def serve(self) -> None:
        """Until it ends."""
        tail: Tail = self.scene.tail
        mailbox = Mailbox(stream_message, Patience(Tally(()), 3600))
        follower = await tail.follow("run-1", mailbox, after=0)
        leaving = ExitStack()
        leaving.callback(tail.leave, follower)
        stream = EventStream(
            follower,
            mailbox,
            leaving,
            allowed=self.allowed,
            stopping=self.stopping,
            observe=self.scene.trouble.append,
            keep_alive_seconds=self.keep_alive_seconds,
        )
        await stream.serve(self.exchange.scope, self.exchange.receive, self.exchange.send)

    async def allowed(self) -> None:
        """Goes on until the client is refused."""
        await self.refused.wait()


async def test_a_quiet_stream_shows_that_it_is_alive() -> None:
    """Comments, which readers leave out; proxies and clients see that somebody is there."""
    streamed = Streamed(keep_alive_seconds=0.01)
    serving = asyncio.create_task(streamed.serve())
    await until_async(lambda: streamed.exchange.sent.count(b": keep-alive\n\n") >= 3)
    streamed.exchange.gone.set()
    await serving


@pytest.mark.parametrize("end", ["gone", "stopping", "refused"])
@pytest.mark.parametrize("is_stuck", [False, True])
async def test_whatever_ends_a_stream_nothing_of_it_stays(end: str, is_stuck: bool) -> None:
    """The last word is said if the client reads; if it does not, the connection is dropped."""
    streamed = Streamed()
    exchange = streamed.exchange
    serving = asyncio.create_task(streamed.serve())
    await until_async(lambda: len(exchange.sent) == 2)
    if is_stuck:
        exchange.stuck.clear()
        streamed.scene.commit("run-1")
    {"gone": exchange.gone, "stopping": streamed.stopping, "refused": streamed.refused}[end].set()
    await serving
    assert exchange.aborted is is_stuck
    assert (exchange.sent[-1] == b"") is not is_stuck
    assert streamed.scene.tail.channel_ids == []
    assert len(asyncio.all_tasks()) == 1
    assert streamed.scene.trouble == []


async def test_a_defect_ends_a_stream_and_is_told() -> None:
    """What has begun cannot be answered with an error any more."""
    streamed = Streamed()

    async def fail() -> None:
        raise RuntimeError("a defect")

    streamed.allowed = fail  # type: ignore[method-assign]
    await streamed.serve()
    trouble: list[Observation] = streamed.scene.trouble
    assert [type(each).__name__ for each in trouble] == ["RequestFailed"]
    assert streamed.exchange.aborted
    assert streamed.scene.tail.channel_ids == []


async def test_a_mailbox_is_emptied_by_who_reads_it() -> None:
    """It is full after one write's worth, and ready again as soon as that was taken."""
    scene = Scene()
    mailbox = Mailbox(stream_message, Patience(Tally(()), 3600))
    follower = await scene.tail.follow("run-1", mailbox, after=0)
    follower.start()
    scene.commit("run-1", 12)  # 20 kB each

    async def is_full() -> bool:
        return not mailbox.is_ready()

    await until_true(is_full)
    taken = b""
    while taken.count(b"id: ") < 12:
        taken += await mailbox.take(60)
    assert [int(line[4:]) for line in taken.split(b"\n") if line.startswith(b"id: ")] == list(range(1, 13))
    scene.tail.leave(follower)
