"""Processes that are killed: the supervisor, the server, a server's sessions, an unfinished first start."""

import os
import signal
import subprocess
from pathlib import Path

from actae.embedded import EmbeddedPostgres
from actae.embedded.processes import postgres_processes_in
from tests.embedded.supervised import SupervisorProcess, ask, is_alive
from tests.support.waiting import until


def test_postgresql_dies_with_its_killed_supervisor(data_dir: Path) -> None:
    """Nothing of ours is left running after a SIGKILL, without anybody's help."""
    with SupervisorProcess(data_dir) as supervisor:
        server = supervisor.server()
        supervisor.kill()
        until(lambda: not is_alive(server.pid))
        until(lambda: not postgres_processes_in(data_dir / "postgres"))


def test_a_killed_supervisor_is_followed_at_once(data_dir: Path) -> None:
    """The next start waits for the old server's shutdown by itself, and finds what was committed."""
    with SupervisorProcess(data_dir) as supervisor:
        supervisor.server().ask("create table kept as select 7 as value")
        supervisor.process.kill()  # and not even waiting for its end
        with EmbeddedPostgres(data_dir) as postgres:
            assert ask(postgres.dsn, "select value from kept") == 7


def test_a_predecessor_that_is_slow_to_end_is_waited_for(data_dir: Path) -> None:
    """A start says what it waits for; the lock is free, because PostgreSQL never holds it."""
    with SupervisorProcess(data_dir) as supervisor:
        server = supervisor.server()
        os.kill(server.pid, signal.SIGSTOP)
        supervisor.kill()
        with SupervisorProcess(data_dir) as successor:
            assert f"Waiting for PostgreSQL (process {server.pid})" in successor.next_line()["progress"]
            os.kill(server.pid, signal.SIGCONT)
            assert successor.server().ask("select 1") == 1


def test_a_killed_server_is_noticed_and_started_again(data_dir: Path) -> None:
    """poll() and wait() tell of it; start() recovers under the same DSN."""
    with EmbeddedPostgres(data_dir) as postgres:
        dsn = postgres.dsn
        ask(dsn, "create table kept as select 7 as value")
        assert postgres.poll() is None
        assert postgres.wait(timeout=0) is None
        os.kill(postgres.pid, signal.SIGKILL)
        assert postgres.wait() == -signal.SIGKILL
        assert postgres.poll() == -signal.SIGKILL
        postgres.start()
        assert postgres.dsn == dsn
        assert ask(dsn, "select value from kept") == 7


def test_a_session_that_outlives_the_server_does_not_block_the_next(data_dir: Path) -> None:
    """A busy session does not see its server die; it is ended, or PostgreSQL would refuse to start."""
    with EmbeddedPostgres(data_dir) as postgres:
        psql = [postgres.binaries.program("psql"), "-Xqc", "select count(*) from generate_series(1, 1e12)"]
        busy = subprocess.Popen([*psql, postgres.dsn], stderr=subprocess.DEVNULL)
        until(lambda: ask(postgres.dsn, "select count(*) from pg_stat_activity where query ~ '1e12'") > 1)
        os.kill(postgres.pid, signal.SIGKILL)
        postgres.wait()
        postgres.start()
        assert ask(postgres.dsn, "select 1") == 1
        assert busy.wait() != 0


def test_a_pid_that_was_given_to_another_program_is_not_believed(
    data_dir: Path, unrelated: subprocess.Popen[bytes]
) -> None:
    """After a crash the old pid may be anybody's: the start goes through, and the stranger is left alone."""
    with SupervisorProcess(data_dir) as supervisor:
        server = supervisor.server()
        os.kill(server.pid, signal.SIGKILL)
        supervisor.kill()
    until(lambda: not postgres_processes_in(data_dir / "postgres"))
    for left_behind in (data_dir / "postgres/postmaster.pid", data_dir / "socket/.s.PGSQL.5432.lock"):
        left_behind.write_text(left_behind.read_text().replace(str(server.pid), str(unrelated.pid), 1))
    with EmbeddedPostgres(data_dir) as postgres:
        assert ask(postgres.dsn, "select 1") == 1
    assert unrelated.poll() is None


def test_an_empty_pid_file_does_not_stop_a_start(data_dir: Path) -> None:
    """A power cut can leave one."""
    (data_dir / "postgres/postmaster.pid").touch()
    with EmbeddedPostgres(data_dir) as postgres:
        assert postgres.poll() is None


def test_an_interrupted_first_start_leaves_no_half_database(empty_dir: Path) -> None:
    """Killed while initdb writes: the next start makes a whole one and clears the remains away."""
    with SupervisorProcess(empty_dir) as supervisor:
        until(lambda: list(empty_dir.glob(".postgres-unfinished-*/base")))
        supervisor.kill()
    assert not (empty_dir / "postgres").exists()
    with EmbeddedPostgres(empty_dir) as postgres:
        assert ask(postgres.dsn, "select current_database()") == "actae"
    assert not list(empty_dir.glob(".postgres-unfinished-*"))
