"""What all tests start from: one PostgreSQL per session, a database or a server for whoever asks."""

import signal
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from actae.store.database import Database
from tests.support.pgbouncer import PgBouncer, find_pgbouncer
from tests.support.postgres import Clock, TestPostgres, running_postgres
from tests.support.server import RunningServer, new_channel

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell does that to what it starts in the background, and what the tests start would inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestPostgres]:
    """A PostgreSQL for the whole session."""
    with running_postgres(tmp_path_factory.mktemp("postgres")) as running:
        yield running


@pytest.fixture
def database_url(postgres: TestPostgres) -> Iterator[str]:
    """A fresh, migrated database."""
    dsn = postgres.fresh_database()
    yield dsn
    postgres.drop_database(dsn)


@pytest.fixture
async def db(database_url: str) -> AsyncIterator[Database]:
    """The store on a fresh database."""
    database = await Database.connect(database_url, connections_max=10, read_timeout_seconds=15)
    yield database
    await database.close()


@pytest.fixture
def clock(database_url: str) -> Clock:
    """Moves the time of the fresh database."""
    return Clock(database_url)


@pytest.fixture(scope="session")
def server(postgres: TestPostgres) -> Iterator[RunningServer]:
    """One development server for the whole session; use channels of your own (`channel`)."""
    dsn = postgres.fresh_database()
    # Tests say when channels go that are past their policy.
    running = RunningServer(dsn, environment={"ACTAE_RETENTION_SWEEP_SECONDS": "0"})
    yield running
    assert running.stop() == 0
    postgres.drop_database(dsn)


@pytest.fixture(scope="session")
def server_clock(server: RunningServer) -> Clock:
    """Moves the time of the session's server, for all tests that use it."""
    return Clock(server.database_url)


@pytest.fixture
def start_server(database_url: str) -> Iterator[Callable[..., RunningServer]]:
    """Starts servers, on a fresh database unless told otherwise; they end with the test."""
    started: list[RunningServer] = []

    def start(dsn: str | None = None, **options: Any) -> RunningServer:
        at = None if "data_dir" in options else (dsn or database_url)
        running = RunningServer(at, **options)
        started.append(running)
        return running

    yield start
    for running in started:
        if running.process.poll() is None:
            running.stop()
        else:
            running.discard()


@pytest.fixture(scope="session")
def pgbouncer() -> Path:
    """PgBouncer's program; where there is none, the test is seen to be skipped."""
    found = find_pgbouncer()
    if found is None:
        pytest.skip("PgBouncer is not installed (Debian: apt-get install pgbouncer)")
    return found


@pytest.fixture
def pooler(pgbouncer: Path, database_url: str) -> Iterator[PgBouncer]:
    """A PgBouncer in front of the fresh database."""
    with PgBouncer(pgbouncer, database_url) as running:
        yield running


@pytest.fixture
def channel() -> str:
    """A channel id of this test's own."""
    return new_channel()


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    """Where an embedded PostgreSQL may live."""
    return tmp_path / "data"
