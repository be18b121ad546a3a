"""The pytest plugin and the command line, as their users meet them."""

import json
import os
import signal
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from actae.embedded.processes import all_pids
from actae_client.testing import Matrix
from tests.crashtest.conftest import AGENT
from tests.crashtest.test_agents import is_gone
from tests.support.waiting import until

TESTS = f"""
import sys

COMMAND = [sys.executable, {str(AGENT)!r}]
OPTIONS = dict(policies=["at_most_once"], providers=["blind"])


def test_nothing_is_lost(crash_matrix):
    matrix = crash_matrix(COMMAND, **OPTIONS)
    assert matrix.duplicates == ()
    assert matrix.losses == ()
"""


def test_the_plugin_is_found_by_pytest() -> None:
    """By whoever has installed the package."""
    (found,) = [each for each in entry_points(group="pytest11") if each.name == "actae"]
    assert found.value == "actae.pytest_plugin"


def test_the_plugin_costs_other_tests_nothing() -> None:
    """It is loaded in every test run of whoever has Actae, and loads neither the client nor the server."""
    program = "import sys, actae.pytest_plugin; print(*(name for name in sys.modules if 'actae' in name))"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert set(loaded.stdout.split()) == {"actae", "actae.pytest_plugin"}


def test_a_test_of_a_users_own_fails_with_the_table(tmp_path: Path) -> None:
    """The fixture starts everything that it needs."""
    (tmp_path / "test_agent.py").write_text(TESTS)
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:randomly", "-p", "no:xdist"]
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(tmp_path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert "assert 1 cells == ()" in ended.stdout
    assert "file.written done  0 calls, 1 lost" in ended.stdout


def crashtest(folder: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    asked = ["--policy", "at_most_once", "--provider", "blind", "--data-dir", str(folder), *options]
    return subprocess.run(
        [sys.executable, "-m", "actae", "crashtest", *asked, "--", sys.executable, str(AGENT)],
        env={**os.environ, "PGHOST": "somewhere"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_command_prints_the_matrix_and_its_exit_code_judges(tmp_path: Path) -> None:
    """A blind provider is judged where that was asked for; what was durable stays where it was wanted."""
    ended = crashtest(tmp_path, "--judge-blind")
    assert ended.returncode == 3, ended.stderr
    assert "1 kill in 2 runs." in ended.stdout
    assert (
        "It does not hold in 1 run:\n  at_most_once, blind, killed at file.written done: 1 lost"
        in ended.stdout
    )
    assert (tmp_path / "provider.sqlite3").exists()
    (journal,) = [each for each in (tmp_path / "runs").glob("*.journal") if "true" in each.read_text()]
    assert json.loads(journal.read_text().splitlines()[0])["killed"]


@pytest.mark.slow
def test_a_blind_provider_is_shown_and_not_judged(tmp_path: Path) -> None:
    """In JSON, which a program reads back."""
    ended = crashtest(tmp_path, "--json")
    assert ended.returncode == 0, ended.stderr
    document = json.loads(ended.stdout)
    assert document["holds"]
    assert len(Matrix.from_dict(document).losses) == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--expect", "no-dups"), "'no-dups' cannot be expected"),
        (("--starts", "1"), "--starts"),
        (("--provider", "deaf"), "deaf"),
    ],
)
def test_wrong_usage_is_refused_before_anything_is_set_up(
    tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    """With 2, and the reason."""
    ended = crashtest(tmp_path / "nothing", *options)
    assert ended.returncode == 2
    assert said in ended.stderr
    assert not (tmp_path / "nothing").exists()


@pytest.mark.slow
def test_an_interrupted_test_leaves_nothing_behind(tmp_path: Path) -> None:
    """Ctrl-C in the middle of a run: the agents, the provider, the server and its PostgreSQL are gone."""
    asked = ["--data-dir", str(tmp_path), "--", "sh", "-c", "echo $$ > $ACTAE_CRASHTEST_DIR/pid; sleep 1000"]
    with subprocess.Popen([sys.executable, "-m", "actae", "crashtest", *asked]) as command:
        until(lambda: sum(bool(pid.read_text()) for pid in tmp_path.glob("runs/*/pid")) == 2, seconds=60)
        command.send_signal(signal.SIGINT)
        assert command.wait() == 130
    for started in tmp_path.glob("runs/*/pid"):
        assert is_gone(int(started.read_text()))
    assert not any(works_in(pid, tmp_path) for pid in all_pids())


def works_in(pid: int, folder: Path) -> bool:
    try:
        return Path(f"/proc/{pid}/cwd").readlink().is_relative_to(folder)
    except OSError:  # it has ended
        return False
