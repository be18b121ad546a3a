"""The WebSocket: who is let in, what is answered, and how it ends."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from actae.observations import Observations
from actae.settings import Settings
from actae.store.database import Database
from actae.transport.auth import Authenticator
from actae.transport.socket import FRAME_BYTES_MAX, SocketEndpoint
from actae.transport.tally import Tally
from tests.support.server import RunningServer
from tests.support.waiting import until, until_async


class Caller:
    """One WebSocket connection that speaks JSON."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection

    async def say(self, message: Any) -> None:
        """Send a message; text and bytes go as they are."""
        raw = isinstance(message, str | bytes)
        await self.connection.send(message if raw else json.dumps(message))

    async def hear(self) -> tuple[str, dict[str, Any]]:
        """The next frame: its tag and what it holds."""
        ((tag, fields),) = json.loads(await self.connection.recv()).items()
        return tag, fields

    async def ask(self, message: Any) -> tuple[str, dict[str, Any]]:
        """Send, and hear."""
        await self.say(message)
        return await self.hear()

    async def end(self) -> int | None:
        """The code with which the server closes."""
        with pytest.raises(ConnectionClosed) as ended:
            await self.connection.recv()
        received = ended.value.rcvd
        return None if received is None else received.code


def address(server: RunningServer, path: str = "/ws") -> str:
    """Where a server's WebSocket is."""
    return server.url.replace("http", "ws", 1) + path


@pytest.fixture
async def caller(server: RunningServer) -> AsyncIterator[Caller]:
    """A connection that was greeted and has sent no key."""
    async with connect(address(server)) as connection:
        caller = Caller(connection)
        tag, fields = await caller.hear()
        assert (tag, fields["event"]) == ("Connection", "connected")
        yield caller


@pytest.fixture
async def authenticated(caller: Caller, server: RunningServer) -> Caller:
    """A connection that was let in."""
    tag, fields = await caller.ask({"type": "auth", "api_key": server.api_key})
    assert (tag, fields["event"]) == ("Connection", "authenticated")
    assert fields["payload"]["connection_id"]
    return caller


@pytest.mark.parametrize(
    "message",
    [
        pytest.param({"type": "auth", "api_key": "sk-unknown"}, id="unknown"),
        pytest.param({"type": "auth", "api_key": "ключ"}, id="not ASCII"),
        pytest.param('{"type": "auth", "api_key": "\\ud800"}', id="half a surrogate pair"),
        pytest.param({"type": "auth"}, id="none"),
        pytest.param({"type": "auth", "api_key": 7}, id="a number"),
        pytest.param({"type": "subscribe", "topic": "run-1"}, id="something else first"),
        pytest.param("hello", id="not JSON"),
        pytest.param("[" * 100_000, id="nested too deeply"),
        pytest.param(b"\x00\xff", id="binary"),
    ],
)
async def test_without_a_good_key_the_connection_ends_with_a_reason(caller: Caller, message: Any) -> None:
    """The reason comes first, so that a client can tell a bad key from a lost line."""
    tag, fields = await caller.ask(message)
    assert tag == "Error"
    assert fields["message"]
    assert await caller.end() == 1008


async def test_a_ping_is_answered(authenticated: Caller) -> None:
    """Both kinds: the application's message and the protocol's frame."""
    tag, fields = await authenticated.ask({"type": "connection", "event": "ping", "payload": {}})
    assert (tag, fields["event"]) == ("Connection", "pong")
    await (await authenticated.connection.ping())


@pytest.mark.parametrize(
    "message",
    [
        pytest.param({"type": "subscribe", "topic": "run-1", "cursor": 0}, id="subscribe"),
        pytest.param({"type": "unsubscribe", "topic": "run-1"}, id="unsubscribe"),
        pytest.param({"type": "connection", "event": "sing"}, id="another event"),
        pytest.param({"type": "x" * 10_000}, id="a long type"),
        pytest.param({}, id="no type"),
        pytest.param("hello", id="not JSON"),
        pytest.param(b"{}", id="binary"),
    ],
)
async def test_what_cannot_be_done_is_refused_and_the_connection_stays(
    authenticated: Caller, message: Any
) -> None:
    """A sentence, with a code beside it."""
    tag, fields = await authenticated.ask(message)
    assert tag == "Error"
    assert fields["message"]
    assert fields["status"] in {"invalid_request", "invalid_json"}
    assert (await authenticated.ask({"type": "connection", "event": "ping"}))[1]["event"] == "pong"


async def test_a_publish_is_refused_by_its_request_id(authenticated: Caller) -> None:
    """For clients that wait by it; then once more for those that only know errors."""
    asked = {"type": "broadcast", "topic": "run-1", "payload": [1], "request_id": "r-1"}
    tag, fields = await authenticated.ask(asked)
    assert (tag, fields["request_id"], fields["topic"]) == ("Nack", "r-1", "run-1")
    assert "not supported yet" in fields["message"]
    assert await authenticated.hear() == (
        "Error",
        {"status": fields["status"], "message": fields["message"]},
    )


async def test_a_frame_above_the_limit_ends_the_connection(authenticated: Caller) -> None:
    """One of just that size does not."""
    largest = json.dumps({"type": "unsubscribe", "topic": ""})
    filled = json.dumps({"type": "unsubscribe", "topic": "x" * (FRAME_BYTES_MAX - len(largest))})
    assert len(filled) == FRAME_BYTES_MAX
    assert (await authenticated.ask(filled))[0] == "Error"
    await authenticated.say(filled + " ")
    assert await authenticated.end() == 1009


async def test_only_one_path_takes_connections(server: RunningServer) -> None:
    """Elsewhere the upgrade is refused."""
    with pytest.raises(InvalidStatus) as refused:
        async with connect(address(server, "/elsewhere")):
            pass
    assert refused.value.response.status_code == 403


async def test_open_connections_are_counted(start_server: Callable[..., RunningServer]) -> None:
    """While they are open; messages are counted for good."""
    server = start_server()

    def counted() -> dict[str, Any]:
        figures: dict[str, Any] = server.request("GET", "/metrics.json").body["websocket"]
        return figures

    async with connect(address(server)) as connection:
        caller = Caller(connection)
        await caller.hear()
        await caller.ask({"type": "auth", "api_key": server.api_key})
        figures = await asyncio.to_thread(counted)
        assert (figures["connections"], figures["messages_received"]) == (1, 1)
        assert figures["messages_sent"] == 2
    until(lambda: counted()["connections"] == 0)


async def test_a_server_that_stops_says_that_it_goes_away(start_server: Callable[..., RunningServer]) -> None:
    """At once, whatever the client does, and the server ends cleanly."""
    server = start_server()
    async with connect(address(server)) as connection:
        caller = Caller(connection)
        await caller.hear()
        await caller.ask({"type": "auth", "api_key": server.api_key})
        stopping = asyncio.create_task(asyncio.to_thread(server.stop))
        assert await caller.end() == 1001
        assert await stopping == 0


async def test_a_client_that_never_sends_a_key_is_turned_away(db: Database) -> None:
    """After a bounded time, with a reason."""
    told: list[dict[str, Any]] = []
    incoming: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    incoming.put_nowait({"type": "websocket.connect"})

    async def send(event: Any) -> None:
        told.append(event)

    settings = Settings(dev=True)
    authenticator = Authenticator(db, settings, b"s" * 32)
    endpoint = SocketEndpoint(settings, authenticator, Tally(()), Observations(), auth_seconds=0.01)
    serving = asyncio.create_task(endpoint.serve(incoming.get, send))
    await until_async(serving.done)
    await serving
    assert [event["type"] for event in told] == [
        "websocket.accept",
        "websocket.send",
        "websocket.send",
        "websocket.close",
    ]
    assert "No auth message" in told[2]["text"]
    assert told[3]["code"] == 1008
