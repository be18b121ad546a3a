"""`actae backup` and `actae restore`: a database moves through one file."""

from collections.abc import Callable
from pathlib import Path

from actae.embedded import EmbeddedPostgres, backup
from tests.embedded.supervised import ask
from tests.support.command import Command
from tests.support.server import RunningServer


def test_a_backup_of_a_running_server_comes_back_elsewhere(
    actae: Command, start_server: Callable[..., RunningServer], data_dir: Path, tmp_path: Path
) -> None:
    """Whole: another server answers from it, and verify finds nothing broken."""
    server = start_server(data_dir=data_dir)
    token = server.claim("run-1", "charge").body
    server.post(
        f"/executions/{token['execution']['id']}/complete", {"claim_token": token["claim_token"], "result": 7}
    )
    file, elsewhere = tmp_path / "actae.backup", tmp_path / "elsewhere"
    written = actae("backup", file, "--json", "--data-dir", data_dir).json()
    assert written == {"file": str(file), "bytes": file.stat().st_size}
    assert file.stat().st_mode & 0o077 == 0
    assert actae("restore", file, "--data-dir", elsewhere, "--json").json()["data_dir"] == str(elsewhere)
    assert actae("verify", "--data-dir", elsewhere).code == 0
    restored = start_server(data_dir=elsewhere)
    assert restored.claim("run-1", "charge").body["result"] == 7


def test_neither_replaces_anything(
    actae: Command, start_server: Callable[..., RunningServer], data_dir: Path, tmp_path: Path
) -> None:
    """Not a file, and not a database."""
    start_server(data_dir=data_dir)
    file = tmp_path / "actae.backup"
    assert actae("backup", file, "--data-dir", data_dir).code == 0
    again = actae("backup", file, "--data-dir", data_dir)
    assert (again.code, again.err.count("\n")) == (1, 1)
    assert "exists already" in again.err
    refused = actae("restore", file, "--data-dir", data_dir)
    assert refused.code == 1
    assert actae("restore", tmp_path / "nothing", "--data-dir", tmp_path / "new").code == 2


def test_a_newer_database_is_copied_and_not_restored(actae: Command, data_dir: Path, tmp_path: Path) -> None:
    """Both say which migration is not known; where the restore was to go, nothing is made."""
    file, elsewhere = tmp_path / "actae.backup", tmp_path / "elsewhere"
    with EmbeddedPostgres(data_dir) as postgres:
        assert actae("migrate", "--data-dir", data_dir).code == 0
        ask(postgres.dsn, "insert into schema_migrations values (9999, 'future', 'x', clock_timestamp())")
        written = actae("backup", file, "--json", "--data-dir", data_dir)
    assert (written.code, written.json()["bytes"]) == (0, file.stat().st_size)
    assert "migration 9999 (future)" in written.err
    refused = actae("restore", file, "--data-dir", elsewhere)
    assert (refused.code, refused.out) == (1, "")
    assert refused.err == (
        f"actae: The database in {file} has migration 9999 (future), which this version of Actae does not "
        "know. Run a newer Actae; nothing was changed.\n"
    )
    assert not elsewhere.exists()


def test_what_is_not_of_actae_is_neither_copied_nor_restored(
    actae: Command, data_dir: Path, tmp_path: Path
) -> None:
    """A table of the same name with other columns, as others have it, makes no difference."""
    file, elsewhere = tmp_path / "other.backup", tmp_path / "elsewhere"
    with EmbeddedPostgres(data_dir) as postgres:
        refused = actae("backup", tmp_path / "nothing", "--data-dir", data_dir)
        assert (refused.code, refused.out) == (1, "")
        assert "`actae migrate` makes them" in refused.err
        ask(postgres.dsn, "create table schema_migrations (version text)")
        backup(postgres.dsn, file)
    assert not (tmp_path / "nothing").exists()
    refused = actae("restore", file, "--data-dir", elsewhere)
    assert (refused.code, refused.out, refused.err.count("\n")) == (1, "", 1)
    assert f"{file} holds a database, but none of Actae's" in refused.err
    assert not elsewhere.exists()
