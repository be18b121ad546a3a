"""Those who follow, against real servers and the real database."""

import dataclasses
import json
import re
import sys
from collections.abc import Callable

import pytest

from benchmarks.harness.answers import BenchmarkError
from benchmarks.harness.loads import run_load, run_program
from benchmarks.harness.postgres import REFERENCE, execute, program
from benchmarks.harness.readers import delivering, idle_readers, notifying
from benchmarks.harness.rounds import QUICK
from benchmarks.harness.server import Server
from tests.support.server import RunningServer
from tests.support.waiting import until

HURRIED = dataclasses.replace(QUICK, seconds=0.2, warm_up_seconds=0.1)
PACES = pytest.mark.parametrize("writers", [None, 4], ids=["in turn", "as fast as they can"])


def as_benchmarked(server: RunningServer, *, api_key: str | None = None) -> Server:
    """The server as the benchmarks know it."""
    return Server(
        url=server.url,
        api_key=api_key or server.api_key,
        pid=server.process.pid,
        database_url=server.database_url,
        process=server.process,
    )


def open_connections(server: RunningServer, kind: str) -> int:
    """What the server's metrics say."""
    metrics = server.request("GET", "/metrics").body.decode()
    [count] = re.findall(rf"^actae_{kind} (\d+)", metrics, re.MULTILINE)
    return int(count)


@PACES
def test_every_event_reaches_everybody(
    start_server: Callable[[], RunningServer], writers: int | None
) -> None:
    """At the server that is written to, and at another one."""
    here, there = as_benchmarked(start_server()), as_benchmarked(start_server())
    for followed in (here, there):
        delivered = delivering(here, followed, 3, HURRIED, writers=writers)
        assert delivered.per_second > 0
        assert delivered.p50_ms
        assert delivered.reply_p50_ms


@PACES
def test_every_notification_reaches_everybody(
    server: RunningServer, database_url: str, writers: int | None
) -> None:
    """No server has a part in it."""
    execute(database_url, REFERENCE.read_text())
    notified = notifying(as_benchmarked(server), database_url, 3, HURRIED, writers=writers)
    assert notified.p50_ms
    assert notified.reply_p50_ms
    assert notified.server_cpu_us is None


def test_what_is_notified_is_stored(database_url: str) -> None:
    """The reference does what it is compared with."""
    execute(database_url, REFERENCE.read_text())
    load = [sys.executable, "-m", "benchmarks.load.notifications", "--database-url", database_url]
    load += ["--callers", "2", "--readers", "3", "--seconds", "0.2", "--warm-up", "0"]
    told = run_load(load)
    count = "select count(*) from reference_events where payload ->> 'at' is not null"
    stored = json.loads(
        run_program([program("psql"), database_url, "--no-align", "--tuples-only", "--command", count])
    )
    assert told["finished_count"] == 3 * stored > 0


@pytest.mark.parametrize(
    ("kind", "counted"), [("socket", "websocket_connections"), ("stream", "event_streams")]
)
def test_idle_readers_stay_until_the_end(
    start_server: Callable[[], RunningServer], kind: str, counted: str
) -> None:
    """So many as were asked for, each on a channel of its own."""
    server = start_server()
    with idle_readers(as_benchmarked(server), 120, kind=kind):
        assert open_connections(server, counted) == 120
    until(lambda: open_connections(server, counted) == 0)


@pytest.mark.parametrize("kind", ["socket", "stream"])
def test_an_idle_reader_that_is_told_something_fails(server: RunningServer, channel: str, kind: str) -> None:
    """What was measured is not what was meant."""

    def told() -> None:
        with idle_readers(as_benchmarked(server), 1, kind=kind, prefix=channel) as process:
            server.record(f"{channel}-0000", "step.finished")
            process.wait(30)

    with pytest.raises(BenchmarkError, match=r"step\.finished"):
        told()


@pytest.mark.parametrize("kind", ["socket", "stream"])
def test_readers_that_are_not_let_in_fail(server: RunningServer, kind: str) -> None:
    """Nothing is measured without them."""
    intruder = as_benchmarked(server, api_key="sk-nobody")
    with pytest.raises(BenchmarkError, match=r"[Uu]nauthorized"), idle_readers(intruder, 2, kind=kind):
        pytest.fail("they were let in")
    if kind == "socket":
        with pytest.raises(BenchmarkError, match="unauthorized"):
            delivering(intruder, intruder, 1, HURRIED)
