"""`actae serve`: what it says, what it refuses, how it begins and ends."""

import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from actae.settings import DEV_API_KEY
from tests.support.command import Command, environment
from tests.support.server import RunningServer
from tests.support.waiting import until

Start = Callable[..., RunningServer]


def test_the_first_start_shows_a_key_once(start_server: Start, data_dir: Path) -> None:
    """In the ready file and in the banner, never in the log; and not again at the second start."""
    first = start_server(data_dir=data_dir, dev=False, options=("--log-level", "debug"))
    key = first.ready["api_key"]
    assert re.fullmatch(r"sk-[0-9a-f]{32}", key)
    assert first.record("run-1").status == 200
    assert first.record("run-1", payload=key).status == 200
    assert first.get("/events/replay/run-1", api_key=key + "x").status == 401
    until(lambda: "shown this once" in first.log())
    assert first.log().count(key) == 1
    first.stop()
    second = start_server(data_dir=data_dir, dev=False)
    assert second.ready["api_key"] is None
    until(lambda: "actae keys create" in second.log())
    assert second.get("/events/replay/run-1", api_key=key).status == 200


def test_the_banner_says_where_and_how(start_server: Start, data_dir: Path) -> None:
    """Where it listens, for a browser too, with which key, where the data lies, how to stop it."""
    server = start_server(data_dir=data_dir)
    until(lambda: f"kill {server.ready['pid']}" in server.log())  # its last line
    said = server.log()
    for fact in (server.url, f"{server.url}/  in a browser", DEV_API_KEY, str(data_dir)):
        assert fact in said
    assert "\x1b" not in said


def test_a_database_url_is_shown_without_its_password(start_server: Start, database_url: str) -> None:
    """Neither in the banner nor in the log."""
    server = start_server(f"{database_url}&password=canary")
    until(lambda: "  stop  " in server.log())
    assert "canary" not in server.log()
    assert "data  postgresql://" in server.log()


def test_the_ready_file_is_the_owners_alone(data_dir: Path, tmp_path: Path) -> None:
    """It may hold a key. It is there, whole, once requests are accepted."""
    ready_file = tmp_path / "ready.json"
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "actae", "serve", "--port", "0"),
            *("--data-dir", str(data_dir), "--ready-file", str(ready_file)),
        ],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    until(lambda: ready_file.exists() or process.poll() is not None)
    assert ready_file.stat().st_mode & 0o777 == 0o600
    assert set(json.loads(ready_file.read_text())) == {
        *("url", "api_key", "database_url", "data_dir", "pid", "version"),
    }
    process.send_signal(signal.SIGINT)
    _, log = process.communicate(timeout=40)
    assert process.returncode == 0
    events = [json.loads(line)["event"] for line in log.splitlines()]
    assert (events[0], events[-1]) == ("server_started", "server_stopping")


def test_a_ready_file_that_cannot_be_written_is_told_first(
    actae: Command, data_dir: Path, tmp_path: Path
) -> None:
    """Before a key is made that nobody would ever see."""
    place = tmp_path / "nowhere" / "ready.json"
    refused = actae("serve", "--port", "0", "--data-dir", str(data_dir), "--ready-file", str(place))
    assert (refused.code, refused.err) == (1, f"actae: The ready file {place} cannot be written.\n")
    assert not data_dir.exists() or not list(data_dir.iterdir())


def test_every_option_is_a_variable_too(start_server: Start, data_dir: Path, tmp_path: Path) -> None:
    """An option goes before the variable."""
    server = start_server(
        data_dir=data_dir,
        environment={"ACTAE_DATABASE_URL": "postgresql://127.0.0.1:1/x", "ACTAE_HOST": "localhost"},
        options=("--log-format", "text"),
    )
    assert server.ready["data_dir"] == str(data_dir)
    until(lambda: " info    server_started url=" in server.log())


def test_a_variable_that_nothing_reads_is_told(start_server: Start, database_url: str) -> None:
    """With the setting that may have been meant; what clients and tests read is no concern of a server."""
    server = start_server(
        environment={"ACTAE_PROT": "9000", "ACTAE_URL": "http://elsewhere", "ACTAE_TEST_DSN": "x"}
    )
    until(lambda: '"server_started"' in server.log())
    told = [json.loads(line) for line in server.log().splitlines() if "variable_ignored" in line]
    assert [(each["level"], each["variable"], each["resembles"]) for each in told] == [
        ("warning", "ACTAE_PROT", "ACTAE_PORT")
    ]


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that somebody else listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield int(listener.getsockname()[1])


def test_what_cannot_be_served_is_told_in_one_line(
    actae: Command, taken: int, tmp_path: Path, database_url: str
) -> None:
    """With 1; and nothing is left behind."""
    somewhere = ("--database-url", database_url)
    for arguments, said in (
        (("--port", str(taken), *somewhere), f"Cannot listen on 127.0.0.1:{taken}"),
        (("--host", "nowhere.invalid", *somewhere), "Cannot listen on nowhere.invalid"),
        (("--host", "0.0.0.0", "--dev", *somewhere), "loopback only"),
        (("--port", "0", "--database-url", "postgresql://nobody@127.0.0.1:1/x"), "127.0.0.1"),
    ):
        failed = actae("serve", *arguments)
        assert (failed.code, failed.out) == (1, ""), failed
        assert said in failed.err
        assert failed.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_data_directory_belongs_to_one_server(actae: Command, start_server: Start, data_dir: Path) -> None:
    """The second is told who holds it."""
    server = start_server(data_dir=data_dir)
    refused = actae("serve", "--port", "0", "--data-dir", data_dir)
    assert (refused.code, refused.err.count("\n")) == (1, 1)
    assert f"process {server.process.pid}" in refused.err


def test_both_places_at_once_are_wrong_usage(actae: Command, tmp_path: Path) -> None:
    """With 2."""
    refused = actae("serve", "--data-dir", tmp_path, "--database-url", "postgresql://x")
    assert refused.code == 2
