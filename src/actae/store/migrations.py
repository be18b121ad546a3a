"""Brings a database up to date: numbered files, checksums, one lock row.

Each migration runs in a transaction of its own, together with its row in `schema_migrations`. A
database that is newer than the code, or whose past differs from ours, is refused untouched.
"""

import re
from collections.abc import Sequence
from hashlib import sha256
from importlib.resources import files
from typing import NamedTuple

import asyncpg

from actae.crash_points import CrashPoint, reach
from actae.store.queries import query
from actae.store.sessions import refusal

_CREATE = query("create_migrations_table")
_ADD_LOCK_ROW = query("add_migrations_lock_row")
_LOCK = query("lock_migrations")
_LIST = query("list_migrations")
_ADD = query("add_migration")

_FILE_NAME = re.compile(r"^(\d{4})_(\w+)\.sql$")


class Migration(NamedTuple):
    """One numbered file."""

    version: int
    name: str
    text: str

    @property
    def checksum(self) -> str:
        """SHA-256 of the text, in hex."""
        return sha256(self.text.encode()).hexdigest()


class MigrationError(Exception):
    """The database cannot be brought up to date; the sentence says why."""


def read_migrations() -> list[Migration]:
    """All migrations of this version of the code, in order."""
    found = [
        Migration(int(match[1]), match[2], file.read_text("utf-8"))
        for file in files("actae.sql").joinpath("migrations").iterdir()
        if (match := _FILE_NAME.match(file.name))
    ]
    return sorted(found)


async def migrate(dsn: str, *, dry_run: bool = False) -> list[Migration]:
    """Apply what is missing, and return it. With `dry_run`, only say what would be applied.

    Raises:
        MigrationError: the database is newer than the code, its past differs, or it is too old a PostgreSQL.
    """
    try:
        connection = await asyncpg.connect(
            dsn, server_settings={"application_name": "actae migrate", "jit": "off", "lock_timeout": "30s"}
        )
    except asyncpg.ProtocolViolationError as error:
        raise MigrationError(f"The database refuses us: {refusal(error)}.") from error
    try:
        return await _migrate(connection, read_migrations(), dry_run=dry_run)
    finally:
        await connection.close()


async def _migrate(
    connection: asyncpg.Connection, known: Sequence[Migration], *, dry_run: bool
) -> list[Migration]:
    if connection.get_server_version().major < 15:
        raise MigrationError(
            f"PostgreSQL 15 or newer is needed; this is {connection.get_server_version().major}."
        )
    if dry_run:
        exists = await connection.fetchval("select to_regclass('schema_migrations') is not null")
        return _missing(known, await connection.fetch(_LIST.sql) if exists else [])
    await _create_table(connection)
    applied: list[Migration] = []
    while True:
        async with connection.transaction():
            await connection.fetch(_LOCK.sql)
            missing = _missing(known, await connection.fetch(_LIST.sql))
            if not missing:
                return applied
            await _apply(connection, missing[0])
        applied.append(missing[0])


async def _create_table(connection: asyncpg.Connection) -> None:
    """Racing with another server that does the same is not an error."""
    for _ in range(20):
        try:
            await connection.execute(_CREATE.sql)
            await connection.execute(_ADD_LOCK_ROW.sql)
        except (asyncpg.UniqueViolationError, asyncpg.DuplicateTableError, asyncpg.DuplicateObjectError):
            continue
        return
    raise MigrationError("The table schema_migrations could not be created.")


def _missing(known: Sequence[Migration], rows: Sequence[asyncpg.Record]) -> list[Migration]:
    by_version = {migration.version: migration for migration in known}
    for row in rows:
        ours = by_version.get(row["version"])
        if ours is None:
            raise MigrationError(
                f"The database has migration {row['version']:04} ({row['name']}), which this version of "
                "Actae does not know. Run a newer Actae; nothing was changed."
            )
        if ours.checksum != row["checksum"]:
            raise MigrationError(
                f"Migration {row['version']:04} ({row['name']}) ran with another text on this database. "
                "Nothing was changed."
            )
    done = {row["version"] for row in rows}
    return [migration for migration in known if migration.version not in done]


async def _apply(connection: asyncpg.Connection, migration: Migration) -> None:
    await connection.execute(migration.text)
    await connection.execute(_ADD.sql, migration.version, migration.name, migration.checksum)
    reach(CrashPoint.MIGRATION_WRITTEN_NOT_COMMITTED)
