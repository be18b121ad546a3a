"""`for event in client.stream(…)`, without an event loop."""

import gc
import json
import re
import threading
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest

from actae_client import ActaeConnectionError, RetryPolicy, SyncActaeClient, errors
from actae_client.live import sync_methods
from actae_client.transport import Reply, Request
from tests.client.live.support.scripted_socket import event as fields
from tests.client.support.scripted_server import Answer, CutShort, Hangup, ScriptedServer, Silence
from tests.support.keys import make_key
from tests.support.server import RunningServer
from tests.support.waiting import until

pytestmark = pytest.mark.usefixtures("impatient")


@pytest.fixture
def client(server: RunningServer) -> Iterator[SyncActaeClient]:
    """A client of a real server."""
    with SyncActaeClient(api_key=server.api_key, endpoint=server.url) as client:
        yield client


@pytest.fixture
def of_script(scripted: ScriptedServer) -> Iterator[SyncActaeClient]:
    """A client of a scripted one."""
    at_once = RetryPolicy(base_seconds=0, cap_seconds=0)
    with SyncActaeClient(api_key="sk-test", endpoint=scripted.url, retry=at_once) as client:
        yield client


def cursors_of(stream: Any, count: int) -> list[int]:
    """The next events."""
    return [event.cursor for event in islice(stream, count)]


def sent(*cursors: int, **more: Any) -> Answer:
    """Server-sent events, and the end of the stream."""
    text = "".join(f"id: {cursor}\ndata: {json.dumps(fields(cursor, **more))}\n\n" for cursor in cursors)
    return Answer(200, f": hello\n\n{text}", "text/event-stream; charset=utf-8")


def test_a_stream_begins_where_it_is_told(
    server: RunningServer, client: SyncActaeClient, channel: str
) -> None:
    """After a cursor, 0 being before the first; at the end of what is."""
    for n in range(5):
        server.record(channel, payload=n)
    with client.stream(channel) as from_now_on, client.stream(channel, 6) as later:
        assert cursors_of(client.stream(channel, 0), 5) == [1, 2, 3, 4, 5]
        assert cursors_of(client.stream(channel, 3), 2) == [4, 5]
        for n in range(3):
            server.record(channel, payload=n)
        assert cursors_of(from_now_on, 3) == [6, 7, 8]
        assert cursors_of(later, 2) == [7, 8]
        assert later.cursor == 8


def test_events_come_whole(server: RunningServer, client: SyncActaeClient, channel: str) -> None:
    """Line breaks, halves of surrogate pairs, a megabyte and a half, and what is behind it."""
    payloads = ["a\nb\r\n\u2028", "\0 \ud800 é 漢", "x" * 1_500_000, {"n": 2**70}]
    with client.stream(channel) as stream:
        recorded = [client.record(channel, "note", payload, actor="a") for payload in payloads]
        assert list(islice(stream, 4)) == recorded


def test_a_stream_ends_when_another_thread_says_so(
    server: RunningServer, client: SyncActaeClient, channel: str
) -> None:
    """By closing it, or by disconnecting the client; at once, and without an error."""
    for end in ("close", "disconnect"):
        stream = client.stream(channel, 0)
        seen: list[int] = []

        def read(stream: Any = stream, seen: list[int] = seen) -> None:
            seen.extend(event.cursor for event in stream)
            seen.append(-1)

        reader = threading.Thread(target=read)
        with stream:
            reader.start()
            stream.close() if end == "close" else client.disconnect()
            reader.join(10)  # The next sign of life of the server would come later.
        assert not reader.is_alive()
        assert seen == [-1]
        assert list(stream) == []
    client.publish(channel, "the client is as good as before")
    assert cursors_of(client.stream(channel, 0), 1) == [1]


def test_a_stream_that_is_left_behind_closes_itself(
    server: RunningServer, client: SyncActaeClient, channel: str
) -> None:
    """A socket left open would warn, and warnings are errors; the server sees its reader go."""
    server.record(channel, payload=1)
    for event in client.stream(channel, 0):
        assert event.cursor == 1
        break
    gc.collect()
    none_is_open = re.compile(rb"^actae_event_streams 0", re.MULTILINE)
    until(lambda: none_is_open.search(server.request("GET", "/metrics").body))


def test_it_goes_on_where_it_was(scripted: ScriptedServer, of_script: SyncActaeClient) -> None:
    """After an end, a cut, trouble, and an answer that is cut short; what comes twice is given once."""
    scripted.will(
        sent(4, 5),
        Hangup(),
        Answer(503, {"status": "unavailable", "error": "the database is away"}),
        Answer(429, {"status": "too_many_readers", "error": "full"}),
        CutShort(),
        sent(5, 6),
        Silence(),
    )
    assert cursors_of(of_script.stream("run-7", 3), 3) == [4, 5, 6]
    asked = {heard.target for heard in scripted.heard}
    assert asked == {f"/api/v1/events/stream/run-7?cursor={cursor}" for cursor in (3, 5)}
    assert scripted.last.headers["x-api-key"] == "sk-test"


def test_without_a_cursor_it_asks_where_the_end_is(
    scripted: ScriptedServer, of_script: SyncActaeClient
) -> None:
    """Once, so that nothing is lost when the first connection is."""
    scripted.will(Answer(200, {"latest_cursor": None}), Hangup(), sent(1), Silence())
    assert cursors_of(of_script.stream("run-7"), 1) == [1]
    asked = [heard.target.removeprefix("/api/v1/events/") for heard in scripted.heard]
    assert asked == ["cursor/run-7", "stream/run-7?cursor=0", "stream/run-7?cursor=0"]


def test_what_is_missing_is_read_from_the_log(scripted: ScriptedServer, of_script: SyncActaeClient) -> None:
    """A gap in the stream, and an event that was too large for it."""
    scripted.will(
        sent(2, 3),
        Answer(200, {"events": [fields(1, "read"), fields(2, "read")]}),
        sent(4, truncated=True),
        Answer(200, {"events": [fields(4, "read")]}),
        Silence(),
    )
    got = [(event.cursor, event.payload) for event in islice(of_script.stream("run-7", 0), 4)]
    assert got == [(1, "read"), (2, None), (3, None), (4, "read")]


def test_a_stream_that_falls_silent_is_opened_again(
    scripted: ScriptedServer, of_script: SyncActaeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server says something every fifteen seconds; whoever does not is gone."""
    monkeypatch.setattr(sync_methods, "_SILENCE_SECONDS_MAX", 0.2)
    scripted.will(Silence(), sent(1), Silence())
    assert cursors_of(of_script.stream("run-7", 0), 1) == [1]


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (Answer(401, {"status": "unauthorized", "error": "no"}), errors.AuthError),
        (Answer(403, {"status": "forbidden", "error": "no"}), errors.PermissionDeniedError),
        (Answer(404, {"status": "not_found", "error": "no"}), errors.NotFoundError),
    ],
)
def test_a_refusal_is_raised_at_once(
    scripted: ScriptedServer, of_script: SyncActaeClient, answer: Answer, error: type[Exception]
) -> None:
    """When the stream is opened, and when it is opened again."""
    scripted.will(answer)
    with pytest.raises(error), of_script.stream("run-7", 0):
        pass
    scripted.will(sent(1), answer)
    stream = of_script.stream("run-7", 0)
    assert next(stream).cursor == 1
    with pytest.raises(error):
        next(stream)
    assert len(scripted.heard) == 3


@pytest.mark.parametrize(
    ("step", "error"),
    [
        (Hangup(), ActaeConnectionError),
        (Answer(503, {"status": "unavailable", "error": "no"}), errors.UnavailableError),
        (Answer(200, {"events": []}), errors.InvalidReplyError),
        (Answer(200, "<html>", "text/html"), errors.InvalidReplyError),
    ],
)
def test_it_gives_up_after_ten_failures(
    scripted: ScriptedServer, of_script: SyncActaeClient, step: Any, error: type[Exception]
) -> None:
    """It raises, and does not hang."""
    scripted.will(step)
    with pytest.raises(error):
        next(of_script.stream("run-7", 0))
    assert len(scripted.heard) == 10


def test_a_key_that_may_not_read_is_refused(server: RunningServer, channel: str) -> None:
    """Nothing of the channel shows."""
    key = make_key(server, read=(f"{channel}.mine",))
    with SyncActaeClient(api_key=key, endpoint=server.url) as client:
        for cursor in (None, 0):
            with pytest.raises(errors.PermissionDeniedError):
                next(client.stream(channel, cursor))


class Plain:
    """A transport that carries requests, and no streams."""

    def send(self, request: Request) -> Reply:
        """Nothing is sent."""
        raise AssertionError(request)

    def close(self) -> None:
        """Nothing is open."""


def test_a_transport_that_cannot_stream_is_told_at_once() -> None:
    """When the stream is asked for."""
    client = SyncActaeClient(api_key="sk-x", endpoint="http://nowhere", transport=Plain())
    with pytest.raises(TypeError, match="Plain cannot stream"):
        client.stream("run-7")


@pytest.mark.parametrize("arguments", [("no/channel",), ("run-7", -1), ("run-7", True)])
def test_bad_arguments_are_refused_at_once(client: SyncActaeClient, arguments: tuple[Any, ...]) -> None:
    """Before anything is asked."""
    with pytest.raises((ValueError, TypeError)):
        client.stream(*arguments)
