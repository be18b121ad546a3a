"""Backups: one file out of a live database, and a whole database out of one file."""

from pathlib import Path
from stat import S_IMODE

import pytest

from actae.embedded import BackupError, DataDirectoryUnusableError, EmbeddedPostgres, backup, restore
from tests.embedded.supervised import ask

AWKWARD = r"""{"a": 1e400, "b": "\u0000\ud800", "a": 12345678901234567890123}"""


@pytest.fixture
def backup_file(data_dir: Path, tmp_path: Path) -> Path:
    """A backup of a database with text that is easily damaged, long enough to be cut in the middle."""
    target = tmp_path / "actae.backup"
    with EmbeddedPostgres(data_dir) as postgres:
        ask(
            postgres.dsn,
            f"create table kept (id int primary key, body json default '{AWKWARD}', noise text)",
            "insert into kept (id, noise) select n, md5(n::text) from generate_series(1, 5000) n",
        )
        backup(postgres.dsn, target)
    return target


def test_a_restored_database_is_the_same(backup_file: Path, empty_dir: Path) -> None:
    """Byte for byte where it matters, with its constraints, and statistics for the planner."""
    told: list[str] = []
    restore(empty_dir, backup_file, progress=told.append)
    with EmbeddedPostgres(empty_dir) as postgres:
        assert ask(postgres.dsn, "select count(*) from kept") == 5000
        assert ask(postgres.dsn, "select body::text from kept where id = 7") == AWKWARD
        assert ask(postgres.dsn, "select count(*) from pg_stats where tablename = 'kept'") > 0
        assert (
            ask(postgres.dsn, "select conname from pg_constraint where conname = 'kept_pkey'") == "kept_pkey"
        )
        assert ask(postgres.dsn, "show fsync") == "on"
    assert told


def test_a_backup_is_private_and_nothing_else_is_left(backup_file: Path, tmp_path: Path) -> None:
    """It holds everything that the database holds."""
    assert S_IMODE(backup_file.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.glob("*actae.backup*")] == ["actae.backup"]


def test_a_backup_replaces_nothing(data_dir: Path, tmp_path: Path) -> None:
    """A slip of the finger must not cost a file."""
    (tmp_path / "thesis.txt").write_text("four years")
    with EmbeddedPostgres(data_dir) as postgres, pytest.raises(BackupError, match="exists already"):
        backup(postgres.dsn, tmp_path / "thesis.txt")
    assert (tmp_path / "thesis.txt").read_text() == "four years"


def test_a_restore_wants_an_empty_directory(backup_file: Path, data_dir: Path, tmp_path: Path) -> None:
    """Neither a database nor anybody's files are overwritten."""
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").touch()
    for full in (data_dir, tmp_path / "full"):
        with pytest.raises(DataDirectoryUnusableError, match="not empty"):
            restore(full, backup_file)
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["mine"]


def test_what_is_no_backup_is_refused(empty_dir: Path, tmp_path: Path) -> None:
    """Before anything is made."""
    (tmp_path / "noise").write_bytes(bytes(range(256)) * 20)
    for source in (tmp_path / "noise", tmp_path / "missing"):
        with pytest.raises(BackupError, match="not a backup"):
            restore(empty_dir, source)
    assert not empty_dir.exists()


def test_a_cut_off_backup_leaves_nothing_behind(backup_file: Path, empty_dir: Path) -> None:
    """No half database that looks like a whole one; the next try finds the directory free."""
    whole = backup_file.read_bytes()
    backup_file.write_bytes(whole[: len(whole) * 2 // 3])
    with pytest.raises(BackupError, match="nothing of it was kept"):
        restore(empty_dir, backup_file)
    assert not (empty_dir / "postgres").exists()
    backup_file.write_bytes(whole)
    restore(empty_dir, backup_file)
    assert (empty_dir / "postgres" / "PG_VERSION").exists()
