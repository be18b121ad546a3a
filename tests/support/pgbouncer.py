"""A real PgBouncer that pools transactions in front of the tests' PostgreSQL."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from signal import SIGKILL
from types import TracebackType
from typing import Final
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

import asyncpg

from actae.embedded.identity import choose_identity
from actae.embedded.launching import launched
from tests.support.postgres import database_of
from tests.support.waiting import until

SERVER_CONNECTIONS: Final = 2

_PORT: Final = 6432  # it only names the socket


def find_pgbouncer() -> Path | None:
    """The program; Debian keeps it where only root looks."""
    found = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    return None if found is None else Path(found)


class PgBouncer:
    """Transaction mode, two connections to PostgreSQL, everything else as it comes; a context manager.

    It refuses to run as root, as PostgreSQL does, so it gives root up in the same way.
    """

    def __init__(self, program: Path, dsn: str, **settings: object) -> None:
        """`settings` are lines of its configuration."""
        self._directory = Path(tempfile.mkdtemp(prefix="actae-pgbouncer-", dir="/tmp"))
        identity = choose_identity(self._directory, self._directory / "none")
        identity.take_over(self._directory)
        configuration = self._directory / "pgbouncer.ini"
        configuration.write_text(_configuration(self._directory, dsn, settings))
        self._command = launched(identity.launch_as, [program, configuration], death_signal=SIGKILL)
        self._dsn = dsn
        self.start()

    @property
    def url(self) -> str:
        """The same database by way of the pooler."""
        return self._url(database_of(self._dsn))

    def start(self) -> None:
        """Return when it takes connections."""
        with (self._directory / "log").open("ab") as log:
            self._process = subprocess.Popen(self._command, stdout=log, stderr=log)
        socket = self._directory / f".s.PGSQL.{_PORT}"
        until(lambda: socket.exists() or self._process.poll() is not None)
        assert self._process.poll() is None, self.log()

    def stop(self) -> None:
        """At once: whoever is connected is cut off."""
        self._process.terminate()
        self._process.wait(30)

    async def command(self, text: str) -> None:
        """Run a command of its console, such as PAUSE."""
        console = await asyncpg.connect(self._url("pgbouncer"), statement_cache_size=0)
        try:
            await console.execute(text)
        finally:
            console.terminate()

    def log(self) -> str:
        """What it has printed."""
        return (self._directory / "log").read_text()

    def __enter__(self) -> "PgBouncer":
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.stop()
        shutil.rmtree(self._directory)

    def _url(self, database: str) -> str:
        query = urlencode({"host": self._directory, "port": _PORT})
        return f"postgresql://actae@/{database}?{query}"


def _configuration(directory: Path, dsn: str, settings: Mapping[str, object]) -> str:
    target = " ".join(f"{name}='{value}'" for name, value in _target(dsn).items())
    chosen = {
        "listen_addr": "",
        "listen_port": _PORT,
        "unix_socket_dir": directory,
        "auth_type": "any",
        "admin_users": "actae",
        "pool_mode": "transaction",
        "default_pool_size": SERVER_CONNECTIONS,
        **settings,
    }
    lines = [f"{name} = {value}" for name, value in chosen.items()]
    return "\n".join(["[databases]", f"* = {target}", "[pgbouncer]", *lines, ""])


def _target(dsn: str) -> dict[str, object]:
    """Where PostgreSQL is, in the words of a configuration."""
    parts = urlsplit(dsn)
    query = {name: values[0] for name, values in parse_qs(parts.query).items()}
    found = {
        "host": query.get("host", parts.hostname),
        "port": query.get("port", parts.port or 5432),
        "user": parts.username,
        "password": None if parts.password is None else unquote(parts.password),
    }
    return {name: value for name, value in found.items() if value is not None}
