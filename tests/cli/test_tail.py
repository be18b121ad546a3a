"""`actae events tail`: what has happened last, and then what happens."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.support.command import Command, environment
from tests.support.server import RunningServer
from tests.support.terminal import Terminal
from tests.support.waiting import until


def at(server: RunningServer) -> dict[str, str]:
    """The environment of somebody who uses this server."""
    return {"ACTAE_URL": server.url, "ACTAE_API_KEY": server.api_key}


class Tail:
    """The command, read by a program."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process

    def next(self) -> Any:
        """The next event."""
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def payloads(self, count: int) -> list[Any]:
        """What the next events hold."""
        return [self.next()["payload"] for _ in range(count)]

    def end(self, by: signal.Signals = signal.SIGINT) -> tuple[int, str, str]:
        """Its exit code, and what it has written beyond what was read."""
        self.process.send_signal(by)
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err


@contextmanager
def tailing(server: RunningServer, *arguments: str, **variables: str) -> Iterator[Tail]:
    """`actae events tail ARGUMENTS --json` while the block runs."""
    with subprocess.Popen(
        [sys.executable, "-m", "actae", "events", "tail", *arguments, "--json"],
        env=environment(**{**at(server), **variables}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield Tail(process)
        finally:
            process.kill()


def record(server: RunningServer, channel: str, numbers: range, event_type: str = "note") -> None:
    """An event for each number."""
    for number in numbers:
        assert server.record(channel, event_type, number).status == 200


def test_the_last_events_are_followed_by_those_that_come(server: RunningServer, channel: str) -> None:
    """Ten of them, in order and whole; Ctrl-C is the ordinary end, and leaves nothing on the screen."""
    record(server, channel, range(1, 16))
    with tailing(server, channel) as tail:
        assert tail.payloads(10) == list(range(6, 16))
        huge = "x" * 2**21  # more than a stream carries
        for payload in (16, huge, 18):
            server.record(channel, payload=payload)
        assert tail.payloads(3) == [16, huge, 18]
        assert tail.end() == (130, "", "")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--cursor", "0"), [1, 2, 3, 4]),
        (("--cursor", "2"), [3, 4]),
        (("--type", "odd"), [1, 3]),
        (("--cursor", "1", "--type", "odd"), [3]),
    ],
)
def test_a_tail_begins_and_sees_as_asked(
    server: RunningServer, channel: str, arguments: tuple[str, ...], expected: list[int]
) -> None:
    """After a cursor, or with the last ones; of one type, or of all."""
    for number in range(1, 5):
        record(server, channel, range(number, number + 1), "odd" if number % 2 else "even")
    with tailing(server, channel, *arguments) as tail:
        assert tail.payloads(len(expected)) == expected
        server.record(channel, "even", 6)
        server.record(channel, "odd", 7)
        following = [7] if "--type" in arguments else [6, 7]
        assert tail.payloads(len(following)) == following


def test_a_channel_may_begin_later(server: RunningServer, channel: str) -> None:
    """Whoever waits for its first event gets it."""
    with tailing(server, channel) as tail:
        until(lambda: follows(server, channel))
        record(server, channel, range(1, 2))
        assert tail.payloads(1) == [1]


def follows(server: RunningServer, channel: str) -> bool:
    """Whether anybody reads the server's streams; each test reads a channel of its own."""
    text = server.request("GET", "/metrics", api_key=None).body.decode()
    return "actae_event_streams 0.0" not in text


@pytest.mark.parametrize("leave", ["stop", "kill"])
def test_a_server_that_is_started_again_is_followed_on(
    start_server: Callable[..., RunningServer], channel: str, leave: str
) -> None:
    """From the last event on: none is missing and none comes twice."""
    server = start_server()
    record(server, channel, range(1, 4))
    with tailing(server, channel, "--cursor", "0") as tail:
        assert tail.payloads(3) == [1, 2, 3]
        record(server, channel, range(4, 6))
        getattr(server, leave)()
        again = start_server(port=int(server.url.rpartition(":")[2]))
        record(again, channel, range(6, 9))
        assert tail.payloads(5) == [4, 5, 6, 7, 8]
        assert tail.end()[:2] == (130, "")


@pytest.mark.parametrize("arguments", [(), ("--cursor", "0")])
def test_a_server_that_is_not_there_yet_is_waited_for(
    start_server: Callable[..., RunningServer], channel: str, arguments: tuple[str, ...]
) -> None:
    """Which is said in one line."""
    server = start_server()
    record(server, channel, range(1, 4))
    server.stop()
    with tailing(server, channel, *arguments) as tail:
        assert tail.process.stderr is not None
        said = tail.process.stderr.readline()
        assert said.endswith("Waiting for the server.\n")
        start_server(port=int(server.url.rpartition(":")[2]))
        assert tail.payloads(3) == [1, 2, 3]
        assert tail.end() == (130, "", "")


def test_a_person_sees_a_line_for_each_event_and_ends_it_with_ctrl_c(
    server: RunningServer, channel: str
) -> None:
    """With the cursor, the moment, the type, the actor and the payload; and no traceback."""
    record(server, channel, range(101, 102))
    with Terminal("events", "tail", channel, **at(server)) as terminal:
        terminal.watch_for("note  test  101\n")
        server.record(channel, "charged", {"red": "\x1b[31m"})
        terminal.watch_for("charged")
        terminal.watch_for("\n     2  ")
        assert terminal.press_ctrl_c() == 130
        assert "Traceback" not in terminal.shown
        assert "\x1b[31m" not in terminal.shown


@pytest.fixture
def reader(actae: Command, database_url: str) -> dict[str, str]:
    """A key that may read what begins with `run-`: its id, and its secret."""
    made = actae(
        "keys", "create", "reader", "--read", "run-*", "--json", "--database-url", database_url
    ).json()
    return {"id": made["key"]["key_id"], "secret": made["secret"]}


def test_a_key_that_is_revoked_ends_the_tail(
    start_server: Callable[..., RunningServer],
    actae: Command,
    reader: dict[str, str],
    database_url: str,
    channel: str,
) -> None:
    """With 1 and a sentence, at the next connection at the latest: it will not be good again."""
    server = start_server()
    record(server, channel, range(1, 2))
    with tailing(server, channel, ACTAE_API_KEY=reader["secret"]) as tail:
        assert tail.payloads(1) == [1]
        assert actae("keys", "revoke", reader["id"], "--database-url", database_url).code == 0
        server.stop()
        start_server(port=int(server.url.rpartition(":")[2]))
        _, complaint = tail.process.communicate(timeout=60)
    assert tail.process.returncode == 1
    assert complaint.startswith("actae: ")
    assert complaint.count("\n") == 1


@pytest.mark.parametrize("arguments", [(), ("--cursor", "0")])
def test_a_channel_that_the_key_may_not_read_is_refused(
    start_server: Callable[..., RunningServer],
    actae: Command,
    reader: dict[str, str],
    arguments: tuple[str, ...],
) -> None:
    """In one line, with 1."""
    server = start_server()
    server.record("other-1")
    refused = actae(
        "events", "tail", "other-1", *arguments, ACTAE_URL=server.url, ACTAE_API_KEY=reader["secret"]
    )
    assert (refused.code, refused.out, refused.err.count("\n")) == (1, "", 1)
