"""An embedded PostgreSQL that dies under a running server."""

import json
import os
import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actae.embedded import find_binaries
from tests.support.server import RunningServer
from tests.support.waiting import until

Start = Callable[..., RunningServer]

one_or_two = pytest.mark.parametrize("workers", ["1", "2"])


class Programs:
    """PostgreSQL's programs as links, so that a test may put something else in the place of the server."""

    def __init__(self, bin_dir: Path) -> None:
        self.bin_dir = bin_dir
        self.real_server = find_binaries().bin_dir / "postgres"
        for program in self.real_server.parent.iterdir():
            (bin_dir / program.name).symlink_to(program)

    def replace_server(self, command: str) -> None:
        """From now on, `postgres` tells its version and otherwise does this."""
        script = self.bin_dir / "script"
        script.write_text(f'#!/bin/sh\n[ "$1" = --version ] && exec {self.real_server} "$@"\n{command}\n')
        script.chmod(0o755)
        script.replace(self.bin_dir / "postgres")

    def put_back(self) -> None:
        """The real one again."""
        link = self.bin_dir / "link"
        link.symlink_to(self.real_server)
        link.replace(self.bin_dir / "postgres")


@pytest.fixture
def programs(tmp_path: Path) -> Programs:
    """What the server of a test finds as PostgreSQL."""
    bin_dir = tmp_path / "bin"
    bin_dir.mkdir()
    return Programs(bin_dir)


def start_on(programs: Programs, start_server: Start, data_dir: Path, workers: str) -> RunningServer:
    """A server with an embedded PostgreSQL, and one write in it."""
    environment = {"ACTAE_PG_BIN": str(programs.bin_dir)}
    server = start_server(data_dir=data_dir, environment=environment, options=("--workers", workers))
    assert server.record("run-1").status == 200
    return server


def kill_postgres(data_dir: Path) -> int:
    """As the system does when memory runs out; its process id."""
    pid = int((data_dir / "postgres" / "postmaster.pid").read_text().split()[0])
    os.kill(pid, signal.SIGKILL)
    return pid


def wait_for_successor(server: RunningServer, data_dir: Path, killed: int) -> int:
    """The process id of the PostgreSQL that the server has started since."""
    until(lambda: postgres_of(server, data_dir) - {killed})
    (successor,) = postgres_of(server, data_dir) - {killed}
    return successor


def postgres_of(server: RunningServer, data_dir: Path) -> set[int]:
    """The children of the server that run on the data directory."""
    children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text().split()
    return {int(pid) for pid in children if f"-D\0{data_dir / 'postgres'}\0" in command_of(pid)}


def command_of(pid: str) -> str:
    """Its command line; empty for a process that has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def is_held(pid: int) -> bool:
    """Whether it was stopped and has not gone on."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


def told(server: RunningServer, name: str) -> list[dict[str, Any]]:
    """What the log says of one kind of fact."""
    return [json.loads(line) for line in server.log().splitlines() if f'"event":"{name}"' in line]


def counted(server: RunningServer, metric: str) -> float:
    """What the server has counted."""
    text = server.request("GET", "/metrics", api_key=None).body.decode()
    return float(re.search(rf"^{re.escape(metric)} (\S+)", text, re.MULTILINE)[1])  # type: ignore[index]


@one_or_two
def test_a_restart_that_fails_is_told_and_tried_again(
    start_server: Start, data_dir: Path, programs: Programs, workers: str
) -> None:
    """After pauses that grow; when it works, so does everything else."""
    server = start_on(programs, start_server, data_dir, workers)
    programs.replace_server("echo no space left >&2; exit 1")
    kill_postgres(data_dir)
    until(lambda: len(told(server, "embedded_restart_failed")) >= 2)
    first, second = told(server, "embedded_restart_failed")[:2]
    assert (first["level"], first["delay_seconds"], second["delay_seconds"]) == ("error", 1, 2)
    assert "no space left" in first["error"]
    assert server.record("run-1").status == 503
    programs.put_back()
    until(lambda: told(server, "embedded_restarted"))
    until(lambda: server.record("run-1").status == 200)
    assert counted(server, "actae_embedded_restarts_total") == 1
    failures = len(told(server, "embedded_restart_failed"))
    assert counted(server, "actae_embedded_restart_failures_total") == failures
    assert server.stop() == 0


def test_a_server_answers_while_its_database_recovers(
    start_server: Start, data_dir: Path, programs: Programs
) -> None:
    """It lives, and says what is down; a write is refused for now. A process that is held makes it last."""
    server = start_on(programs, start_server, data_dir, "1")
    programs.replace_server(f'kill -STOP $$; exec {programs.real_server} "$@"')
    recovering = wait_for_successor(server, data_dir, kill_postgres(data_dir))
    try:
        until(lambda: is_held(recovering))
        assert server.request("GET", "/", api_key=None).status == 200
        health = server.request("GET", "/healthz", api_key=None)
        assert (health.status, health.body["components"]["database"]["status"]) == (503, "down")
        refused = server.record("run-1")
        assert (refused.status, refused.body["retryable"]) == (503, True)
        assert told(server, "embedded_ended")[0]["exit_status"] == -signal.SIGKILL
        assert not told(server, "embedded_restarted")
    finally:
        os.kill(recovering, signal.SIGCONT)
    until(lambda: server.record("run-1").status == 200)
    assert postgres_of(server, data_dir) == {recovering}
    assert [each["exit_status"] for each in told(server, "embedded_restarted")] == [-signal.SIGKILL]


@one_or_two
def test_a_server_can_be_stopped_while_its_database_recovers(
    start_server: Start, data_dir: Path, programs: Programs, workers: str
) -> None:
    """Nobody waits for a recovery that nobody needs; nothing of it is left running."""
    server = start_on(programs, start_server, data_dir, workers)
    programs.replace_server("trap 'exit 0' INT; while :; do sleep 0.05; done")
    recovering = wait_for_successor(server, data_dir, kill_postgres(data_dir))
    assert server.stop() == 0
    assert not command_of(str(recovering))
