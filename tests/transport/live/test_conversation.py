"""The WebSocket: who is let in, what is answered, and how it ends."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, MutableMapping
from contextlib import suppress
from types import SimpleNamespace
from typing import Any, cast

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from actae.domain.errors import UnavailableError
from actae.domain.events import Appended, to_event
from actae.observations import Observation, Observations, RequestFailed
from actae.settings import DEV_API_KEY, Settings
from actae.store.database import Database
from actae.transport.auth import Authenticator
from actae.transport.live.endpoint import SocketEndpoint
from actae.transport.live.readers import Readers
from actae.transport.services import Services
from actae.transport.tally import Tally
from actae.transport.web_socket import SOCKET_EXTENSION
from tests.support.live import address
from tests.support.server import RunningServer
from tests.support.tailing import NOW, Scene, settle
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


@pytest.fixture
async def caller(server: RunningServer) -> AsyncIterator[Caller]:
    """A connection that was greeted and has sent no key."""
    async with connect(address(server), max_size=2**21) as connection:
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
        pytest.param({"type": "unsubscribe"}, id="no topic"),
        pytest.param({"type": "unsubscribe", "topic": "a b"}, id="no channel"),
        pytest.param({"type": "whistle"}, id="an unknown type"),
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


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param({"topic": "a b"}, id="no channel"),
        pytest.param({"topic": None}, id="no topic"),
        pytest.param({"operation_id": ""}, id="no operation id"),
        pytest.param({"operation_id": "a\ud800"}, id="half a surrogate pair"),
        pytest.param({"cursor": -1}, id="below zero"),
    ],
)
async def test_a_publish_is_refused_by_its_request_id(authenticated: Caller, bad: dict[str, Any]) -> None:
    """For clients that wait by it; then once more for those that only know errors."""
    asked = {"type": "broadcast", "topic": "run-1", "payload": [1], "request_id": "r-1", **bad}
    tag, fields = await authenticated.ask(asked)
    assert (tag, fields["request_id"], fields["topic"]) == ("Nack", "r-1", asked["topic"])
    assert fields["status"] == "invalid_request"
    del fields["topic"]
    assert await authenticated.hear() == ("Error", fields)


async def test_a_subscription_is_refused_by_its_topic(authenticated: Caller) -> None:
    """At the top and in the payload, where older clients look."""
    tag, fields = await authenticated.ask({"type": "subscribe", "topic": "a b"})
    assert (tag, fields["event"], fields["topic"]) == ("Subscription", "error", "a b")
    assert fields["payload"]["error"] == fields["error"] == fields["message"]
    assert fields["status"] == "invalid_request"


async def test_a_message_as_large_as_a_body_is_taken_and_a_larger_one_ends_the_connection(
    authenticated: Caller, channel: str
) -> None:
    """What may be recorded over HTTP may be published; its acknowledgement fits into every client's frame."""
    payload = "x" * (16 * 2**20 - 2)
    message = {"type": "broadcast", "topic": channel, "payload": payload, "request_id": "r-1"}
    tag, fields = await authenticated.ask(message)
    assert (tag, fields["cursor"], fields["truncated"]) == ("Ack", 1, True)
    assert fields["payload"] == {"truncated": True, "size_bytes": 16 * 2**20}
    with suppress(ConnectionClosed):  # where the server is faster than the sending
        await authenticated.say({**message, "payload": payload + "x" * 4096})
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


class Open:
    """The end of a connection that takes everything until it is dropped."""

    def __init__(self) -> None:
        self.writable = asyncio.Event()
        self.writable.set()
        self.has_ended = False
        self.code: int | None = None
        self.dropped = asyncio.Event()
        self.written: list[bytes] = []

    @property
    def is_writable(self) -> bool:
        """As long as it is open."""
        return not self.has_ended

    def write_frames(self, frames: bytes) -> None:
        """What readers share."""
        self.written.append(frames)

    def drop(self, code: int) -> None:
        """As the server drops whom it does not want."""
        self.code, self.has_ended = code, True
        self.dropped.set()


class Line:
    """One connection without a network: what the client sends, and what it was told."""

    def __init__(self, *events: dict[str, Any]) -> None:
        self.told: list[MutableMapping[str, Any]] = []
        self.end = Open()
        self.scope = {"extensions": {SOCKET_EXTENSION: self.end}}
        self._incoming: asyncio.Queue[MutableMapping[str, Any]] = asyncio.Queue()
        for event in ({"type": "websocket.connect"}, *events):
            self._incoming.put_nowait(event)

    async def receive(self) -> MutableMapping[str, Any]:
        """What comes next; nothing, for ever, when the client is silent."""
        if self.end.has_ended and self._incoming.empty():
            return {"type": "websocket.disconnect", "code": self.end.code}
        return await self._incoming.get()

    async def send(self, event: MutableMapping[str, Any]) -> None:
        """Tell the client."""
        self.told.append(event)

    def say(self, **message: Any) -> None:
        """The client says something."""
        self._incoming.put_nowait(said(**message))

    def hang_up(self) -> None:
        """The client goes."""
        self._incoming.put_nowait({"type": "websocket.disconnect", "code": 1000})

    @property
    def types(self) -> list[str]:
        """What happened, in order."""
        return [event["type"].removeprefix("websocket.") for event in self.told]


def said(**message: Any) -> dict[str, Any]:
    """A message of the client's."""
    return {"type": "websocket.receive", "text": json.dumps(message)}


class Defective:
    """A part of the server that fails as nobody has foreseen."""

    def submit(self, _ask: object) -> None:
        """As the writer."""
        raise RuntimeError("a defect")

    async def identify(self, _credential: object) -> None:
        """As the authenticator."""
        raise RuntimeError("a defect")


@pytest.fixture
def failures() -> list[Observation]:
    """What the endpoint has observed."""
    return []


@pytest.fixture
def services(db: Database, failures: list[Observation]) -> SimpleNamespace:
    """As much of the services as a conversation needs."""
    settings, observe = Settings(dev=True, stream_access_seconds=0.1), Observations()
    observe.subscribe(failures.append)
    tally = Tally(())
    return SimpleNamespace(
        settings=settings,
        authenticator=Authenticator(db, settings, b"s" * 32),
        db=db,
        monitor=SimpleNamespace(tally=tally),
        observe=observe,
        rate_limiter=None,
        readers=Readers(tally, 10),
        tail=Scene().tail,
        writer=Defective(),
    )


@pytest.fixture
def endpoint(services: SimpleNamespace) -> SocketEndpoint:
    """An endpoint that has no patience."""
    return SocketEndpoint(cast(Services, services), auth_seconds=0.01)


async def test_a_client_that_never_sends_a_key_is_turned_away(endpoint: SocketEndpoint) -> None:
    """After a bounded time, with a reason."""
    silent = Line()
    await endpoint.serve(silent.scope, silent.receive, silent.send)
    assert silent.types == ["accept", "send", "send", "close"]
    assert "No auth message" in silent.told[2]["text"]
    assert silent.told[3]["code"] == 1008


async def test_a_defect_ends_one_connection(endpoint: SocketEndpoint, failures: list[Observation]) -> None:
    """The client is told by the code, the log by the facts."""
    broken = Line({"type": "websocket.receive", "text": b"bytes where the server promises text"})
    await endpoint.serve(broken.scope, broken.receive, broken.send)
    assert broken.told[-1] == {"type": "websocket.close", "code": 1011}
    (failure,) = failures
    assert isinstance(failure, RequestFailed)
    assert failure.path == "/ws"


async def test_a_publish_that_meets_a_defect_ends_its_connection(
    endpoint: SocketEndpoint, services: SimpleNamespace, failures: list[Observation]
) -> None:
    """Nobody waits for an answer that cannot come, and the subscriptions end with it."""
    publisher = Line(
        said(type="auth", api_key=DEV_API_KEY),
        said(type="subscribe", topic="run-1"),
        said(type="broadcast", topic="run-1", payload=1),
    )
    serving = asyncio.create_task(endpoint.serve(publisher.scope, publisher.receive, publisher.send))
    await asyncio.wait_for(publisher.end.dropped.wait(), 30)
    publisher.hang_up()
    await serving
    assert publisher.end.code == 1011
    assert [type(failure) for failure in failures] == [RequestFailed]
    assert services.tail.channel_ids == []


class SlowWriter:
    """Answers when it is told to."""

    def __init__(self) -> None:
        self.waiting: list[asyncio.Future[Appended]] = []

    def submit(self, _ask: object) -> asyncio.Future[Appended]:
        """As the writer."""
        self.waiting.append(asyncio.get_running_loop().create_future())
        return self.waiting[-1]


async def test_own_publishes_wait_for_others_events(
    endpoint: SocketEndpoint, services: SimpleNamespace
) -> None:
    """A publish under way holds events back, so the next one has to wait until they have been told."""
    scene, writer = Scene(), SlowWriter()
    services.tail, services.writer = scene.tail, writer
    client = Line(said(type="auth", api_key=DEV_API_KEY), said(type="subscribe", topic="run-1"))
    publish = {"type": "broadcast", "topic": "run-1", "payload": 1}
    serving = asyncio.create_task(endpoint.serve(client.scope, client.receive, client.send))
    await until_async(lambda: len(client.told) == 4)
    client.say(**publish)
    await until_async(lambda: len(writer.waiting) == 1)
    assert scene.commit("run-1") == 1
    client.say(**publish)
    await settle()
    assert (len(writer.waiting), client.end.written) == (1, [])
    (own,) = scene.log.append("run-1")
    writer.waiting[0].set_result(Appended(to_event(own, NOW)))
    scene.tail.told([own], NOW)
    await until_async(lambda: len(writer.waiting) == 2)
    assert [b'"cursor":1,' in frames for frames in client.end.written] == [True]
    writer.waiting[1].set_exception(UnavailableError("The database is away."))
    client.hang_up()
    await serving


async def test_a_key_that_cannot_be_looked_up_for_a_defect_is_not_trusted(
    endpoint: SocketEndpoint, services: SimpleNamespace, failures: list[Observation]
) -> None:
    """The connection ends; the client comes back with the same key."""
    client = Line(said(type="auth", api_key=DEV_API_KEY))
    serving = asyncio.create_task(endpoint.serve(client.scope, client.receive, client.send))
    await until_async(lambda: len(client.told) == 3)
    services.authenticator = Defective()
    await asyncio.wait_for(client.end.dropped.wait(), 30)
    client.hang_up()
    await serving
    assert client.end.code == 1011
    assert [type(failure) for failure in failures] == [RequestFailed]


async def test_what_is_said_to_a_connection_that_was_dropped_is_no_defect(
    endpoint: SocketEndpoint, failures: list[Observation]
) -> None:
    """Its messages may still be on the way through."""
    client = Line(said(type="auth", api_key=DEV_API_KEY))
    serving = asyncio.create_task(endpoint.serve(client.scope, client.receive, client.send))
    await until_async(lambda: len(client.told) == 3)
    client.end.drop(1013)
    client._incoming.put_nowait(said(type="connection", event="ping"))
    await serving
    assert len(client.told) == 3
    assert failures == []


async def test_a_client_that_leaves_is_no_defect(
    endpoint: SocketEndpoint, failures: list[Observation]
) -> None:
    """Whether it says so or is found gone while something is sent to it."""
    leaving = Line({"type": "websocket.disconnect", "code": 1000})
    await endpoint.serve(leaving.scope, leaving.receive, leaving.send)

    async def send_into_nothing(_event: MutableMapping[str, Any]) -> None:
        raise BrokenPipeError

    gone = Line()
    await endpoint.serve(gone.scope, gone.receive, send_into_nothing)
    assert leaving.types == ["accept", "send"]
    assert failures == []
