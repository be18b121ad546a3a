"""Servers behind a real PgBouncer."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.pgbouncer import PgBouncer
from tests.support.postgres import TestPostgres
from tests.support.server import RunningServer

HABITS = {
    "takes turns": {"server_round_robin": 1},
    "resets sessions": {"server_reset_query_always": 1},
    "ends sessions": {"server_lifetime": 0},
}


@pytest.fixture
def start_pooled(
    start_server: Callable[..., RunningServer], pooler: PgBouncer, database_url: str
) -> Callable[..., RunningServer]:
    """Starts servers behind it, on the fresh database, with further variables."""

    def start(*options: str, **variables: str) -> RunningServer:
        environment = {"ACTAE_LISTEN_URL": database_url, **variables}
        return start_server(pooler.url, options=options, environment=environment)

    return start


@pytest.fixture(scope="module", params=HABITS)
def pooled(
    request: pytest.FixtureRequest, pgbouncer: Path, postgres: TestPostgres
) -> Iterator[RunningServer]:
    """One server for the tests of a module, behind a PgBouncer that does this after each transaction."""
    dsn = postgres.fresh_database()
    with PgBouncer(pgbouncer, dsn, **HABITS[request.param]) as pooler:
        server = RunningServer(pooler.url, environment={"ACTAE_LISTEN_URL": dsn})
        yield server
        assert server.stop() == 0
    postgres.drop_database(dsn)
