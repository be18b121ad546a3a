"""The whole demo as a program of its own: its exit code, and that it leaves nothing behind."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

DEADLINE_SECONDS = 60.0


@contextmanager
def demo(temporary: Path, arguments: str = "") -> Iterator[subprocess.Popen[str]]:
    """`run_demo(arguments)` as a process; its temporary files, and its children's, go to `temporary`."""
    temporary.mkdir(exist_ok=True)
    program = f"""
import signal, sys
from pathlib import Path
from actae.demo import run_demo
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have started us with it ignored
sys.exit(run_demo({arguments}))
"""
    with subprocess.Popen(
        [sys.executable, "-c", program],
        env={
            **os.environ,
            "TMPDIR": str(temporary),
            "ACTAE_DATABASE_URL": "postgresql://nobody@nowhere/never",
        },
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def said_until(process: subprocess.Popen[str], words: str) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if words in line:
            return
    pytest.fail(f"the demo ended before it said {words!r}")


def processes_with(temporary: Path) -> list[str]:
    """Every process that inherited this TMPDIR, wherever it has gone since; PostgreSQL inherits it too."""
    mark = f"TMPDIR={temporary}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if mark in (entry / "environ").read_bytes().split(b"\0"):
                    found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode())
            except OSError:
                continue  # it has ended, or is not ours to look at
    return found


def until(is_so: Callable[[], bool], fact: str) -> None:
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not is_so():
        assert time.monotonic() < deadline, f"it never came true that {fact}"
        time.sleep(0.05)


@pytest.mark.slow
def test_it_ends_with_0_and_leaves_nothing(tmp_path: Path) -> None:
    """As promised; no process and no file is left, and the caller's own database setting is not used."""
    temporary = tmp_path / "temporary"
    with demo(temporary, "as_json=True") as process:
        document, _ = process.communicate(timeout=DEADLINE_SECONDS)
    assert process.returncode == 0, document
    assert json.loads(document)["ok"] is True
    assert processes_with(temporary) == []
    assert list(temporary.iterdir()) == []


@pytest.mark.slow
def test_a_directory_that_was_named_stays_and_serves_again(tmp_path: Path) -> None:
    """A second run on the same durable records counts only its own charges."""
    kept = tmp_path / "kept"
    for _ in range(2):
        with demo(tmp_path / "temporary", f"as_json=True, data_dir=Path({str(kept)!r})") as process:
            document, _ = process.communicate(timeout=DEADLINE_SECONDS)
        assert process.returncode == 0, document
        assert json.loads(document)["kept_in"] == str(kept)
    assert (kept / "ledger").is_dir()
    assert processes_with(tmp_path / "temporary") == []


@pytest.mark.slow
@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_cleanly(tmp_path: Path, signum: signal.Signals) -> None:
    """In the middle of the story: nothing is left, and the exit code names the signal."""
    temporary = tmp_path / "temporary"
    with demo(temporary) as process:
        said_until(process, "no record")
        process.send_signal(signum)
        output, _ = process.communicate(timeout=DEADLINE_SECONDS)
    assert process.returncode == 128 + signum
    assert f"Ended by {signum.name}." in output
    assert processes_with(temporary) == []
    assert list(temporary.iterdir()) == []


def test_a_signal_while_the_database_is_being_made_ends_it_cleanly(tmp_path: Path) -> None:
    """Also then no process and no file is left."""
    temporary = tmp_path / "temporary"
    with demo(temporary) as process:
        until(
            lambda: any(temporary.glob("actae-demo-*/ledger/*")) or process.poll() is not None,
            "Actae began to fill its directory",
        )
        process.send_signal(signal.SIGTERM)
        output, _ = process.communicate(timeout=DEADLINE_SECONDS)
    assert process.returncode == 128 + signal.SIGTERM, output
    assert processes_with(temporary) == []
    assert list(temporary.iterdir()) == []


@pytest.mark.slow
def test_a_second_signal_does_not_disturb_the_clean_up(tmp_path: Path) -> None:
    """Ctrl-C twice, as people do."""
    temporary = tmp_path / "temporary"
    with demo(temporary) as process:
        said_until(process, "no record")
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=DEADLINE_SECONDS)
    assert process.returncode in {128 + signal.SIGINT, 128 + signal.SIGTERM}
    assert processes_with(temporary) == []
    assert list(temporary.iterdir()) == []


@pytest.mark.slow
def test_killed_itself_it_takes_its_processes_along(tmp_path: Path) -> None:
    """SIGKILL leaves files behind, but no process: the kernel tells the children."""
    temporary = tmp_path / "temporary"
    with demo(temporary) as process:
        said_until(process, "no record")
        assert len(processes_with(temporary)) > 3
        process.kill()
    until(lambda: processes_with(temporary) == [], "all its processes are gone")


def test_a_server_that_does_not_start_is_reported_with_its_last_words(tmp_path: Path) -> None:
    """Exit code 1, a sentence, and what the server said; nothing is left."""
    temporary = tmp_path / "temporary"
    not_a_directory = tmp_path / "occupied" / "ledger"
    not_a_directory.parent.mkdir()
    not_a_directory.write_text("a file where the server wants a directory")
    arguments = f"as_json=True, data_dir=Path({str(not_a_directory.parent)!r})"
    with demo(temporary, arguments) as process:
        document, _ = process.communicate(timeout=DEADLINE_SECONDS)
    assert process.returncode == 1
    assert "The Actae server" in json.loads(document)["error"]
    assert processes_with(temporary) == []
