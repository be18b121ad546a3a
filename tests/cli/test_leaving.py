"""`actae serve` that is asked to leave before it has begun."""

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.command import environment
from tests.support.waiting import until


def processes_on(directory: Path) -> list[bytes]:
    """The command lines of all processes that name this directory."""
    found = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = each.read_bytes()
        except OSError:  # it has ended
            continue
        if bytes(directory) in line:
            found.append(line)
    return found


def initdb_runs(data_dir: Path) -> bool:
    """A cluster is being made."""
    return any(data_dir.glob(".postgres-unfinished-*/*"))


def postgres_starts(data_dir: Path) -> bool:
    """The cluster is in place, and its server about to start."""
    return (data_dir / "postgres").exists()


@pytest.mark.parametrize("asked", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("moment", [initdb_runs, postgres_starts])
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_start_that_is_broken_off_leaves_nobody_behind(
    data_dir: Path, asked: signal.Signals, moment: Callable[[Path], bool], workers: str
) -> None:
    """No process and no complaint; and with 0, as it did what it was asked.

    A program that initdb has just started is too young to be found; it notices by itself that it is alone.
    """
    serve = ("serve", "--port", "0", "--data-dir", str(data_dir), "--workers", workers)
    process = subprocess.Popen(
        [sys.executable, "-m", "actae", *serve],
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    until(lambda: moment(data_dir) or process.poll() is not None)
    process.send_signal(asked)
    _, complaints = process.communicate(timeout=60)
    assert process.returncode == 0, complaints
    assert "Traceback" not in complaints
    until(lambda: processes_on(data_dir) == [])
