"""`actae serve --workers N`: several processes that behave like one."""

import json
import os
import re
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.command import Command
from tests.support.server import RunningServer
from tests.support.waiting import until

Start = Callable[..., RunningServer]


def workers_of(server: RunningServer) -> set[int]:
    """The process ids of its workers."""
    children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children")
    return {int(pid) for pid in children.read_text().split() if b"serve-worker" in command_of(int(pid))}


def command_of(pid: int) -> bytes:
    """Its command line; empty for a process that has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def counted(server: RunningServer, metric: str) -> float:
    """What any of the workers says that all of them have counted."""
    server.pool.clear()  # a new connection, and so perhaps another worker
    text = server.request("GET", "/metrics", api_key=None).body.decode()
    return float(re.search(rf"^{re.escape(metric)} (\S+)", text, re.MULTILINE)[1])  # type: ignore[index]


def claims_counted(server: RunningServer) -> float:
    """As claims are counted by each of them."""
    return counted(server, 'actae_requests_total{operation="executions.claim"}')


def test_workers_share_the_port_the_database_and_the_numbers(start_server: Start, data_dir: Path) -> None:
    """One first key for all; whichever is asked, knows what all have counted; one signal ends all cleanly."""
    server = start_server(data_dir=data_dir, dev=False, options=("--workers", "2"))
    assert len(workers_of(server)) == 2
    assert server.ready["pid"] == server.process.pid
    for number in range(20):
        server.pool.clear()
        assert server.claim("run-1", f"key-{number}").status == 200
    assert {claims_counted(server) for _ in range(8)} == {20.0}
    cursors = [event["cursor"] for event in server.get("/events/replay/run-1").body["events"]]
    assert cursors == list(range(1, 21))
    workers = workers_of(server)
    until(lambda: server.api_key in server.log())
    assert server.log().count(server.api_key) == 1
    assert server.log().count('"database":"embedded"') == 2
    assert server.stop() == 0
    assert not any(command_of(pid) for pid in workers)


def test_a_worker_that_dies_is_replaced(start_server: Start, database_url: str) -> None:
    """The others go on meanwhile; what was counted stays counted."""
    server = start_server(options=("--workers", "2"))
    for number in range(6):
        server.pool.clear()
        assert server.claim("run-1", f"key-{number}").status == 200
    before = workers_of(server)
    victim = min(before)
    os.kill(victim, signal.SIGKILL)
    until(lambda: len(workers_of(server) - before) == 1 and len(workers_of(server)) == 2)
    until(lambda: '"worker_ended"' in server.log())
    (told,) = [json.loads(line) for line in server.log().splitlines() if '"worker_ended"' in line]
    assert (told["level"], told["pid"], told["exit_status"]) == ("warning", victim, -9)
    until(lambda: server.log().count('"server_started"') == 3)
    assert claims_counted(server) == 6


def test_workers_leave_when_their_parent_was_killed(start_server: Start, database_url: str) -> None:
    """By themselves: nobody is left to serve an address that nobody owns."""
    server = start_server(options=("--workers", "2"))
    workers = workers_of(server)
    server.kill()
    until(lambda: not any(command_of(pid) for pid in workers))


def test_a_database_that_dies_is_started_again_for_all_workers(start_server: Start, data_dir: Path) -> None:
    """By the parent, which owns it and counts that; the workers find it again by themselves."""
    server = start_server(data_dir=data_dir, options=("--workers", "2"))
    assert server.claim("run-1", "before").status == 200
    for times in (1, 2):
        os.kill(int((data_dir / "postgres" / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)
        until(lambda: server.log().count('"embedded_restarted"') == times)  # noqa: B023  # at once
        until(lambda: counted(server, "actae_embedded_restarts_total") == times)  # noqa: B023  # at once
    for number in range(8):
        server.pool.clear()
        until(lambda: server.claim("run-1", f"after-{number}").status == 200)  # noqa: B023  # at once
    assert "Traceback" not in server.log()


def test_what_a_worker_has_accepted_is_finished(start_server: Start, database_url: str) -> None:
    """A write that was under way when the signal came is answered, and is there."""
    from concurrent.futures import ThreadPoolExecutor

    server = start_server(options=("--workers", "2"))
    with ThreadPoolExecutor(8) as threads:
        writes = [threads.submit(server.claim, f"run-{number}", "charge") for number in range(200)]
        until(lambda: sum(write.done() for write in writes) > 20)
        server.process.send_signal(signal.SIGTERM)
        answered = []
        for number, write in enumerate(writes):
            try:
                if write.result().status == 200:
                    answered.append(f"run-{number}")
            except Exception:  # refused, as it came after the signal
                continue
    assert server.stop() == 0
    again = start_server()
    for channel_id in answered:
        assert again.claim(channel_id, "charge").body["status"] == "in_progress"


def test_workers_that_cannot_start_end_the_command(actae: Command) -> None:
    """With 1, and with the words of one of them."""
    place = ("--database-url", "postgresql://nobody@127.0.0.1:1/x")
    failed = actae("serve", "--workers", "2", "--port", "0", *place)
    assert failed.code == 1
    assert "127.0.0.1:1/x cannot be reached" in failed.err
    assert failed.err.count("\n") == 1


@pytest.mark.parametrize("count", ["0", "-1", "two"])
def test_a_wrong_number_of_workers_is_wrong_usage(actae: Command, count: str) -> None:
    """With 2."""
    assert actae("serve", "--workers", count).code == 2
