"""What the client announces: nothing outside of a crash test, each boundary within one."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from actae_client import _boundaries

PROGRAM = """
from actae_client.testing import boundary
for name in ("a", "b", "a"):
    boundary(name, "run-1:x")
print("ended")
"""


def run_program(**environment: str) -> "subprocess.CompletedProcess[str]":
    plain = {name: value for name, value in os.environ.items() if not name.startswith("ACTAE_")}
    return subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=plain | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def lines(journal: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in journal.read_text().splitlines()]


def test_outside_of_a_crash_test_nothing_is_done() -> None:
    """Not even when a place of death is named; and the functions are the empty ones."""
    assert not hasattr(_boundaries, "_journal")
    ended = run_program(ACTAE_CRASHTEST_KILL_AT='["a", "run-1:x", 1]')
    assert (ended.returncode, ended.stdout) == (0, "ended\n")


def test_boundaries_are_written_down_without_the_id_of_the_run(tmp_path: Path) -> None:
    """So that another run's are the same; each with how often it was met."""
    journal = tmp_path / "journal"
    assert run_program(ACTAE_CRASHTEST=str(journal), ACTAE_CRASHTEST_RUN_ID="run-1").returncode == 0
    met = [(line["name"], line["subject"], line["occurrence"], line["killed"]) for line in lines(journal)]
    assert met == [("a", "{run}:x", 1, False), ("b", "{run}:x", 1, False), ("a", "{run}:x", 2, False)]


def test_the_process_dies_at_its_boundary_and_not_before(tmp_path: Path) -> None:
    """By SIGKILL, with the boundary on record."""
    journal = tmp_path / "journal"
    ended = run_program(
        ACTAE_CRASHTEST=str(journal),
        ACTAE_CRASHTEST_RUN_ID="run-1",
        ACTAE_CRASHTEST_KILL_AT='["a", "{run}:x", 2]',
    )
    assert (ended.returncode, ended.stdout) == (-signal.SIGKILL, "")
    assert [line["killed"] for line in lines(journal)] == [False, False, True]
