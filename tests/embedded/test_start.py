"""Starting and stopping: what a user of EmbeddedPostgres may rely on."""

import subprocess
import threading
from pathlib import Path
from stat import S_IMODE

import pytest

from actae.embedded import EmbeddedPostgres, PostgresFailedError, ProtectedSettingError
from tests.embedded.supervised import SupervisorProcess, ask


def test_a_first_start_makes_a_durable_private_database(empty_dir: Path) -> None:
    """UTF-8 by code point, with checksums and every sync, and no door but a private directory."""
    with EmbeddedPostgres(empty_dir) as postgres:
        assert ask(postgres.dsn, "select current_user || '@' || current_database()") == "actae@actae"
        assert ask(postgres.dsn, "show server_encoding") == "UTF8"
        assert ask(postgres.dsn, "select 'B' < 'a' and upper('ä') = 'Ä'") is True
        for setting in ("data_checksums", "fsync", "full_page_writes", "synchronous_commit"):
            assert ask(postgres.dsn, f"show {setting}") == "on"
        assert ask(postgres.dsn, "show listen_addresses") == ""
        assert S_IMODE(postgres.socket_dir.stat().st_mode) == 0o700
        assert S_IMODE(empty_dir.stat().st_mode) == 0o700


def test_what_was_written_is_there_after_a_restart(data_dir: Path) -> None:
    """Stop and start keep the data; a stopped server may be started again."""
    postgres = EmbeddedPostgres(data_dir)
    with postgres:
        ask(postgres.dsn, "create table kept as select 7 as value")
    with postgres:
        assert ask(postgres.dsn, "select value from kept") == 7


def test_stopping_twice_is_stopping_once(data_dir: Path) -> None:
    """stop() may be called from every path that ends a program."""
    postgres = EmbeddedPostgres(data_dir)
    postgres.start()
    postgres.stop()
    postgres.stop()
    with pytest.raises(RuntimeError, match="has not been started"):
        _ = postgres.pid


def test_libpq_reads_the_dsn_too(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """psql connects with it, whatever its environment says about other servers."""
    monkeypatch.setenv("PGPORT", "1")
    monkeypatch.setenv("PGHOST", "nowhere.invalid")
    with EmbeddedPostgres(data_dir) as postgres:
        psql = [postgres.binaries.program("psql"), "-XAtc", "select 6 * 7", postgres.dsn]
        assert subprocess.run(psql, capture_output=True, text=True, check=True).stdout == "42\n"


def test_a_setting_of_the_callers_wins(data_dir: Path) -> None:
    """Settings are PostgreSQL's own names, in whatever case."""
    with EmbeddedPostgres(data_dir, settings={"Work_Mem": "5MB"}) as postgres:
        assert ask(postgres.dsn, "show work_mem") == "5MB"


@pytest.mark.parametrize("name", ["fsync", "FULL-PAGE-WRITES", "synchronous_commit", "listen_addresses"])
def test_durability_cannot_be_switched_off(name: str, tmp_path: Path) -> None:
    """The settings that Actae's promises rest on are refused, by name."""
    with pytest.raises(ProtectedSettingError, match=name.lower().replace("-", "_")):
        EmbeddedPostgres(tmp_path, settings={name: "off"})


def test_a_start_that_fails_tells_postgresqls_reason_and_gives_everything_back(data_dir: Path) -> None:
    """The last lines of the log are in the message, and the next start is free to succeed."""
    with pytest.raises(PostgresFailedError, match="no_such_setting"):
        EmbeddedPostgres(data_dir, settings={"no_such_setting": "1"}).start()
    with EmbeddedPostgres(data_dir) as postgres:
        assert postgres.poll() is None


def test_a_running_server_is_not_started_twice(data_dir: Path) -> None:
    """It would take its own lock."""
    with EmbeddedPostgres(data_dir) as postgres, pytest.raises(RuntimeError, match="runs already"):
        postgres.start()


def test_only_the_main_thread_may_start_it(data_dir: Path) -> None:
    """The kernel would end PostgreSQL with the thread that started it."""
    refusals: list[RuntimeError] = []

    def start() -> None:
        try:
            EmbeddedPostgres(data_dir).start()
        except RuntimeError as refused:
            refusals.append(refused)

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    assert "main thread" in str(refusals[0])


def test_a_start_waits_as_long_as_postgresql_needs(data_dir: Path, bin_dir: Path, tmp_path: Path) -> None:
    """A long recovery is announced and waited for; no number of seconds makes it a failure."""
    go, real = tmp_path / "go", (bin_dir / "postgres").readlink()
    delayed = f'#!/bin/sh\n[ "$1" = -D ] && until [ -e {go} ]; do sleep 0.02; done\nexec {real} "$@"\n'
    (bin_dir / "postgres").unlink()
    (bin_dir / "postgres").write_text(delayed)
    (bin_dir / "postgres").chmod(0o755)
    with SupervisorProcess(data_dir) as supervisor:
        assert "perhaps recovering" in supervisor.next_line()["progress"]
        go.touch()
        assert supervisor.server().ask("select 1") == 1
