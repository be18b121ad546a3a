"""One owner per data directory."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from actae.embedded import DataDirectoryInUseError, DataDirectoryUnusableError, EmbeddedPostgres, attach
from actae.embedded.launching import launched
from actae.embedded.lock import LOCK_NAME, our_command, owned
from actae.embedded.setup import settle
from tests.embedded.supervised import SupervisorProcess
from tests.support.waiting import until


def test_a_second_start_is_told_who_owns_the_directory(data_dir: Path) -> None:
    """The message names the process, its program and since when."""
    with SupervisorProcess(data_dir) as supervisor:
        supervisor.server()
        with pytest.raises(DataDirectoryInUseError) as refused:
            EmbeddedPostgres(data_dir).start()
    sentence = str(refused.value)
    assert f"in use by process {supervisor.process.pid} (supervising_program.py" in sentence
    assert "since 20" in sentence


def test_of_two_first_starts_one_makes_the_database(empty_dir: Path) -> None:
    """They race from nothing; the loser is refused, and the winner's database is whole."""
    with SupervisorProcess(empty_dir) as one, SupervisorProcess(empty_dir) as other:
        outcomes = sorted([one.outcome(), other.outcome()], key=lambda outcome: "error" in outcome)
    assert "pid" in outcomes[0]
    assert outcomes[1]["error"] == "DataDirectoryInUseError"


def test_postgresql_does_not_inherit_the_lock(data_dir: Path) -> None:
    """Else a server that is slow to end would keep its successor out."""
    with EmbeddedPostgres(data_dir) as postgres:
        open_files = {link.readlink() for link in Path(f"/proc/{postgres.pid}/fd").iterdir()}
    assert data_dir / "postgres.log" in open_files
    assert data_dir / LOCK_NAME not in open_files


def test_a_lock_file_without_a_living_holder_is_taken(tmp_path: Path) -> None:
    """Its content proves nothing; only the kernel's lock does."""
    (tmp_path / LOCK_NAME).write_text("not even JSON")
    with owned(tmp_path), pytest.raises(DataDirectoryInUseError), owned(tmp_path):
        pass


def test_a_server_that_actae_did_not_start_is_left_alone(data_dir: Path, tmp_path: Path) -> None:
    """Somebody's own `postgres` on our directory: we say so instead of shutting it down."""
    setup = settle(data_dir)
    command = [setup.binaries.program("postgres"), "-D", setup.cluster_dir, "-k", tmp_path, "-h", ""]
    foreign = subprocess.Popen(launched(setup.identity.launch_as, command, death_signal=signal.SIGINT))
    try:
        until(lambda: attach(data_dir))
        with pytest.raises(DataDirectoryInUseError, match=f"process {foreign.pid}"):
            EmbeddedPostgres(data_dir).start()
        assert foreign.poll() is None
    finally:
        foreign.send_signal(signal.SIGINT)
        assert foreign.wait() == 0


def test_the_holders_options_are_not_written_down(monkeypatch: pytest.MonkeyPatch) -> None:
    """They might hold a password; the program and its subcommand say enough."""
    monkeypatch.setattr(sys, "argv", ["/venv/actae/__main__.py", "serve", "--database-url", "secret"])
    assert our_command() == "actae serve"
    monkeypatch.setattr(sys, "argv", ["/venv/bin/actae", "--token=secret", "serve"])
    assert our_command() == "actae"


def test_a_directory_with_something_else_in_it_is_refused(tmp_path: Path) -> None:
    """Nobody's files are taken for a cluster."""
    (tmp_path / "postgres").mkdir()
    (tmp_path / "postgres" / "notes.txt").write_text("mine")
    with pytest.raises(DataDirectoryUnusableError, match="no PostgreSQL cluster"):
        EmbeddedPostgres(tmp_path).start()


def test_a_file_in_place_of_the_directory_is_refused(tmp_path: Path) -> None:
    """With a sentence, not a traceback from deep inside."""
    (tmp_path / "file").touch()
    with pytest.raises(DataDirectoryUnusableError):
        EmbeddedPostgres(tmp_path / "file").start()
