"""How an agent is started and how it ends."""

import os
import sys
from pathlib import Path

import pytest

from actae.crashtest.agents import Agents
from actae.crashtest.plan import CrashtestError
from tests.support.waiting import until

FORKS = "import os, time; child = os.fork(); child or time.sleep(1000); print(child, flush=True)"


def is_gone(pid: int) -> bool:
    """Whether a process has ended; one that nobody has waited for yet has, too."""
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z"


def test_whoever_an_agent_leaves_behind_ends_with_it(tmp_path: Path) -> None:
    """A child that went on working would spoil the next start."""
    log = tmp_path / "log"
    with Agents([sys.executable, "-c", FORKS], start_seconds=60) as agents:
        assert agents.run(os.environ, log) == 0
    child = int(log.read_text())
    until(lambda: is_gone(child))


def test_a_start_that_takes_too_long_has_no_exit_code(tmp_path: Path) -> None:
    """And is over."""
    with Agents(["sleep", "1000"], start_seconds=0.1) as agents:
        assert agents.run(os.environ, tmp_path / "log") is None


def test_once_the_test_is_over_nothing_is_started(tmp_path: Path) -> None:
    """Runs that were waiting for their turn give up."""
    agents = Agents(["true"], start_seconds=60)
    with agents:
        pass
    with pytest.raises(CrashtestError, match="ended"):
        agents.run(os.environ, tmp_path / "log")
