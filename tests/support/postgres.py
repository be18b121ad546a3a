"""A real PostgreSQL for the tests: started once, a fresh database for whoever wants one."""

import asyncio
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import asyncpg

from actae.embedded import EmbeddedPostgres
from actae.store.migrations import migrate

_TEMPLATE = "actae_template"
_numbers = count(1)

# Time that tests can move, for every session at once: production has the plain function and no switch.
_MOVABLE_CLOCK = """
create table test_clock (shift interval not null);
insert into test_clock values ('0');
create or replace function actae_now() returns timestamptz language sql volatile
as $$ select clock_timestamp() + (select shift from test_clock) $$;
"""


class TestPostgres:
    """Gives out databases that are migrated, empty, and have a movable clock."""

    __test__ = False

    def __init__(self, dsn: str) -> None:
        self.dsn = dsn
        asyncio.run(self._make_template())

    def fresh_database(self, *, empty: bool = False) -> str:
        """The DSN of a new database; with `empty` it has no tables at all."""
        name = f"test_{os.getpid()}_{next(_numbers)}"
        template = "template0" if empty else _TEMPLATE
        asyncio.run(self._administer(f'create database "{name}" template "{template}"'))
        return with_database(self.dsn, name)

    def drop_database(self, dsn: str) -> None:
        """Drop it, whoever is still connected."""
        asyncio.run(self._administer(f'drop database if exists "{database_of(dsn)}" with (force)'))

    async def _make_template(self) -> None:
        await self._administer(f'drop database if exists "{_TEMPLATE}" with (force)')
        await self._administer(f'create database "{_TEMPLATE}" template template0')
        dsn = with_database(self.dsn, _TEMPLATE)
        await migrate(dsn)
        connection = await asyncpg.connect(dsn)
        await connection.execute(_MOVABLE_CLOCK)
        await connection.close()

    async def _administer(self, statement: str) -> None:
        connection = await asyncpg.connect(self.dsn)
        try:
            await connection.execute(statement)
        finally:
            await connection.close()


@contextmanager
def running_postgres(directory: Path) -> Iterator[TestPostgres]:
    """The PostgreSQL that ACTAE_TEST_DSN names, or one of our own."""
    given = os.environ.get("ACTAE_TEST_DSN")
    if given:
        yield TestPostgres(given)
        return
    embedded = EmbeddedPostgres(directory)
    embedded.start()
    try:
        yield TestPostgres(embedded.dsn)
    finally:
        embedded.stop()


def with_database(dsn: str, name: str) -> str:
    """The same server, another database."""
    return urlunsplit(urlsplit(dsn)._replace(path=f"/{name}"))


def database_of(dsn: str) -> str:
    """The name of the database in a DSN."""
    return urlsplit(dsn).path.removeprefix("/")


class Clock:
    """Moves the database's time, for the server and for everybody else."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn

    def advance(self, seconds: float) -> None:
        """Let time pass at once. Also from inside a running event loop."""
        self._ask("update test_clock set shift = shift + make_interval(secs => $1)", float(seconds))

    def now(self) -> datetime:
        """What time it is there."""
        now: datetime = self._ask("select actae_now()")
        return now

    def _ask(self, statement: str, *values: object) -> Any:
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(lambda: asyncio.run(self._fetch(statement, *values))).result()

    async def _fetch(self, statement: str, *values: object) -> Any:
        connection = await asyncpg.connect(self._dsn)
        try:
            return await connection.fetchval(statement, *values)
        finally:
            await connection.close()
