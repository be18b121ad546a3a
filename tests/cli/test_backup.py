"""`actae backup` and `actae restore`: a database moves through one file."""

from collections.abc import Callable
from pathlib import Path

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
