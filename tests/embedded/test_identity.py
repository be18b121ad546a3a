"""As whom PostgreSQL runs, when Actae runs as root and when it does not."""

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from actae.embedded import DataDirectoryUnusableError, EmbeddedPostgres, RootRefusedError
from actae.embedded.identity import IN_USER_NAMESPACE, OURSELVES, choose_identity, user_namespaces_work
from tests.embedded.supervised import SupervisorProcess, ask, is_alive
from tests.support.waiting import until

NOBODY_UID = 65534
AS_POSTGRES = ("setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups")
WITHOUT_NAMESPACES = (
    *(sys.executable, str(Path(__file__).with_name("without_user_namespaces.py"))),
    sys.executable,
)


def has_user(name: str) -> bool:
    return any(entry.pw_name == name for entry in pwd.getpwall())


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
needs_postgres_user = pytest.mark.skipif(not has_user("postgres"), reason="there is no user `postgres` here")
needs_namespaces = pytest.mark.skipif(not user_namespaces_work(), reason="the kernel refuses user namespaces")


@pytest.fixture
def open_dir() -> Iterator[Path]:
    """A place that other users can pass through, which pytest's own directories are not."""
    directory = Path(tempfile.mkdtemp(prefix="actae-test-", dir="/tmp"))
    directory.chmod(0o755)
    yield directory
    shutil.rmtree(directory)


def python_for_everybody() -> str:
    """This Python, or the same one from the system where ours lies in root's home."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    for python in (sys.executable, f"/usr/bin/python{version}"):
        may_run = [*AS_POSTGRES, "test", "-x", python]
        if Path(python).exists() and subprocess.run(may_run, check=False).returncode == 0:
            return python
    pytest.skip(f"user `postgres` can run no Python {version} here")


def status_of(pid: int, field: str) -> list[str]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(line for line in lines if line.startswith(f"{field}:")).split()[1:]


@needs_root
@needs_namespaces
def test_root_runs_postgresql_without_any_privilege(data_dir: Path) -> None:
    """Still the owner of its files, but in a namespace of its own and with no capability."""
    with EmbeddedPostgres(data_dir) as postgres:
        ours, theirs = (Path(f"/proc/{pid}/ns/user").readlink() for pid in ("self", postgres.pid))
        assert ours != theirs
        assert status_of(postgres.pid, "CapEff") == ["0000000000000000"]
        assert (data_dir / "postgres").stat().st_uid == 0


@needs_root
@needs_postgres_user
def test_an_ordinary_user_runs_it_as_himself(open_dir: Path) -> None:
    """All of it, from initdb to the end by SIGKILL, without root."""
    shutil.chown(open_dir, "postgres", "postgres")
    python = [*AS_POSTGRES, python_for_everybody()]
    modules = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    with SupervisorProcess(open_dir / "data", python=python, environment=modules) as supervisor:
        server = supervisor.server()
        assert server.ask("select 1") == 1
        assert status_of(server.pid, "Uid")[0] == str(pwd.getpwnam("postgres").pw_uid)
        supervisor.kill()
        until(lambda: not is_alive(server.pid))


@needs_root
@needs_postgres_user
@needs_namespaces
def test_root_without_user_namespaces_becomes_an_existing_user(open_dir: Path) -> None:
    """The kernel says no, so `postgres` runs it; it gets only what we made, and SIGKILL still ends it."""
    data_dir = open_dir / "data"
    with SupervisorProcess(data_dir, python=WITHOUT_NAMESPACES) as supervisor:
        server = supervisor.server()
        postgres_uid = pwd.getpwnam("postgres").pw_uid
        assert status_of(server.pid, "Uid")[0] == str(postgres_uid)
        assert {path.stat().st_uid for path in (data_dir, data_dir / "postgres", data_dir / "socket")} == {
            postgres_uid
        }
        assert open_dir.stat().st_uid == 0
        supervisor.kill()
        until(lambda: not is_alive(server.pid))
    with EmbeddedPostgres(data_dir) as again:
        assert ask(again.dsn, "select 1") == 1
        assert status_of(again.pid, "Uid")[0] == str(postgres_uid)


@needs_root
@needs_postgres_user
@needs_namespaces
def test_the_user_must_be_able_to_reach_the_directory(tmp_path: Path) -> None:
    """Under a directory that is closed to it PostgreSQL's own words are passed on, with whom it ran as."""
    with SupervisorProcess(tmp_path / "data", python=WITHOUT_NAMESPACES) as supervisor:
        told = supervisor.outcome()
    assert told["error"] == "PostgresFailedError"
    assert "run as user 'postgres'" in told["sentence"]
    assert "Permission denied" in told["sentence"]


@needs_root
@needs_postgres_user
def test_root_serves_a_users_directory_as_that_user(open_dir: Path) -> None:
    """The user can go on without root afterwards: no file has become root's."""
    shutil.chown(open_dir, "postgres", "postgres")
    with EmbeddedPostgres(open_dir) as postgres:
        assert ask(postgres.dsn, "select 1") == 1
    assert {path.owner() for path in open_dir.rglob("*")} == {"postgres"}


def test_root_with_no_way_out_is_told_what_to_do(tmp_path: Path) -> None:
    """No namespace, no user: we make neither."""
    with pytest.raises(RootRefusedError, match="Run as an ordinary user"):
        choose_identity(
            tmp_path / "data",
            tmp_path / "data/postgres",
            our_uid=0,
            namespaces_work=lambda: False,
            user_names=["no-such-user"],
        )


def test_an_ordinary_user_asks_for_nothing_special(tmp_path: Path) -> None:
    """And root takes a namespace where there is one."""
    data_dir, cluster_dir = tmp_path / "data", tmp_path / "data/postgres"
    assert choose_identity(data_dir, cluster_dir, our_uid=1000) is OURSELVES
    assert (
        choose_identity(data_dir, cluster_dir, our_uid=0, namespaces_work=lambda: True) is IN_USER_NAMESPACE
    )


def test_another_users_cluster_is_refused(data_dir: Path) -> None:
    """Both users are named."""
    with pytest.raises(DataDirectoryUnusableError, match=r"belongs to user .* and we are"):
        choose_identity(data_dir, data_dir / "postgres", our_uid=NOBODY_UID)
