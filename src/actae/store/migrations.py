"""Brings a database up to date: numbered files, checksums, one lock row.

Each migration runs in a transaction of its own, together with its row in `schema_migrations`. A
database that is newer than the code, or whose past differs from ours, is refused untouched.
"""

import re
from collections.abc import Iterable, Sequence
from hashlib import sha256
from importlib.resources import files
from typing import NamedTuple

import asyncpg

from actae.crash_points import CrashPoint, reach
from actae.store.database import Row, Session
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


class Ran(NamedTuple):
    """A migration that a database has had."""

    version: int
    name: str
    checksum: str


class MigrationError(Exception):
    """The database cannot be brought up to date; the sentence says why."""


class ForeignPastError(MigrationError):
    """The database has had a migration that this version of the code does not have, or not so."""

    def __init__(self, finding: str, advice: str) -> None:
        super().__init__(f"{finding} {advice}; nothing was changed.")
        self.finding = finding


def read_migrations() -> list[Migration]:
    """All migrations of this version of the code, in order."""
    found = [
        Migration(int(match[1]), match[2], file.read_text("utf-8"))
        for file in files("actae.sql").joinpath("migrations").iterdir()
        if (match := _FILE_NAME.match(file.name))
    ]
    return sorted(found)


async def refuse_foreign_past(session: Session) -> None:
    """What is not ours to understand is neither read nor changed. One that is older passes.

    Raises:
        ForeignPastError: the database is newer than the code, or its past differs.
    """
    missing_after(_ran(await session.fetch(_LIST)))


def missing_after(
    ran: Iterable[Ran], known: Sequence[Migration] | None = None, *, whose: str = "The database"
) -> list[Migration]:
    """Those of ours that a database lacks which has had these.

    Raises:
        ForeignPastError: one of these is not ours.
    """
    known = read_migrations() if known is None else known
    by_version = {migration.version: migration for migration in known}
    done = set()
    for version, name, checksum in ran:
        ours = by_version.get(version)
        if ours is None:
            raise ForeignPastError(
                f"{whose} has migration {version:04} ({name}), which this version of Actae does not know.",
                "Run a newer Actae",
            )
        if ours.checksum != checksum:
            raise ForeignPastError(
                f"{whose} has had migration {version:04} ({name}) with another text.",
                "Run the Actae that it belongs to",
            )
        done.add(version)
    return [migration for migration in known if migration.version not in done]


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
        return missing_after(_ran(await connection.fetch(_LIST.sql)) if exists else (), known)
    await _create_table(connection)
    applied: list[Migration] = []
    while True:
        async with connection.transaction():
            await connection.fetch(_LOCK.sql)
            missing = missing_after(_ran(await connection.fetch(_LIST.sql)), known)
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


def _ran(rows: Iterable[Row]) -> list[Ran]:
    return [Ran(row["version"], row["name"], row["checksum"]) for row in rows]


async def _apply(connection: asyncpg.Connection, migration: Migration) -> None:
    await connection.execute(migration.text)
    await connection.execute(_ADD.sql, migration.version, migration.name, migration.checksum)
    reach(CrashPoint.MIGRATION_WRITTEN_NOT_COMMITTED)
