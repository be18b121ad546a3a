"""Finding a running server from another process."""

from pathlib import Path

import pytest

from actae.embedded import EmbeddedPostgres, attach
from tests.embedded.supervised import SupervisorProcess, ask
from tests.support.waiting import until


def test_a_running_server_is_found_by_its_directory(data_dir: Path) -> None:
    """The DSN is the one its owner uses, and it works while the owner lives."""
    with SupervisorProcess(data_dir) as supervisor:
        server = supervisor.server()
        dsn = attach(data_dir)
        assert dsn == server.dsn
        assert ask(dsn, "select 1") == 1


def test_nothing_is_found_where_nothing_runs(data_dir: Path, tmp_path: Path) -> None:
    """No directory, no server, and a killed server are all the same answer."""
    assert attach(tmp_path / "missing") is None
    assert attach(data_dir) is None
    with SupervisorProcess(data_dir) as supervisor:
        supervisor.server()
        supervisor.kill()
        until(lambda: attach(data_dir) is None)


def test_looking_changes_nothing(data_dir: Path) -> None:
    """No lock, no file: a server may start while somebody looks."""
    before = {path: path.stat().st_mtime_ns for path in data_dir.iterdir()}
    assert attach(data_dir) is None
    assert {path: path.stat().st_mtime_ns for path in data_dir.iterdir()} == before


def test_a_relative_directory_is_found(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As people type it."""
    monkeypatch.chdir(data_dir.parent)
    with EmbeddedPostgres(Path(data_dir.name)) as postgres:
        assert attach(Path(data_dir.name)) == postgres.dsn
