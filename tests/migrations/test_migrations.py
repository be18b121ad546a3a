"""Bringing a database up to date: the same result as the schema, once, by one server, or not at all."""

import asyncio
from importlib.resources import files

import asyncpg
import pytest

from actae.store import migrations
from actae.store.migrations import Migration, MigrationError, migrate, read_migrations
from tests.support.postgres import TestPostgres

SCHEMA_FILES = (
    "clock",
    "migrations",
    "channels",
    "events",
    "states",
    "executions",
    "forks",
    "experiments",
    "wakeups",
    "approvals",
    "consumer_groups",
    "execution_groups",
    "retention",
    "guards",
    "accounts",
)

_DESCRIBE = """
select 'column' as kind, table_name || '.' || column_name as name,
       concat_ws(' ', data_type, collation_name, is_nullable, column_default) as detail
  from information_schema.columns where table_schema = 'public'
union all
select 'constraint', conrelid::regclass || '.' || conname, pg_get_constraintdef(oid)
  from pg_constraint where connamespace = 'public'::regnamespace
union all
select 'index', indexname, indexdef from pg_indexes where schemaname = 'public'
union all
select 'options', relname, array_to_string(reloptions, ',') from pg_class
 where relnamespace = 'public'::regnamespace and reloptions is not null
union all
select 'function', proname, prosrc from pg_proc where pronamespace = 'public'::regnamespace
 order by 1, 2, 3
"""


async def describe(dsn: str) -> list[tuple[str, ...]]:
    """Everything that makes a schema, as rows that can be compared."""
    connection = await asyncpg.connect(dsn)
    try:
        return [tuple(row) for row in await connection.fetch(_DESCRIBE)]
    finally:
        await connection.close()


@pytest.fixture
def empty_database(postgres: TestPostgres) -> str:
    """A database without any table."""
    return postgres.fresh_database(empty=True)


async def test_the_migrations_make_what_the_schema_files_say(
    postgres: TestPostgres, empty_database: str
) -> None:
    """Whoever reads `schema/` reads the truth."""
    await migrate(empty_database)
    described = await asyncio.to_thread(postgres.fresh_database, empty=True)
    connection = await asyncpg.connect(described)
    for name in SCHEMA_FILES:
        await connection.execute(files("actae.sql").joinpath("schema", f"{name}.sql").read_text("utf-8"))
    await connection.close()
    assert await describe(empty_database) == await describe(described)
    on_disk = {
        file.name for file in files("actae.sql").joinpath("schema").iterdir() if file.name.endswith(".sql")
    }
    assert on_disk == {f"{name}.sql" for name in SCHEMA_FILES}


async def test_two_servers_that_start_on_an_empty_database_do_not_race(empty_database: str) -> None:
    """Each migration is applied once, by whoever is first; the others wait and find it done."""
    applied = await asyncio.gather(*(migrate(empty_database) for _ in range(8)))
    assert sorted(migration for each in applied for migration in each) == read_migrations()


async def test_a_dry_run_says_what_would_be_done_and_does_nothing(empty_database: str) -> None:
    """Not even the table of migrations is made."""
    assert await migrate(empty_database, dry_run=True) == read_migrations()
    assert await describe(empty_database) == []
    await migrate(empty_database)
    assert await migrate(empty_database, dry_run=True) == []


async def test_a_database_newer_than_the_code_is_refused(empty_database: str) -> None:
    """And nothing is changed."""
    await migrate(empty_database)
    connection = await asyncpg.connect(empty_database)
    await connection.execute(
        "insert into schema_migrations values (9999, 'from_the_future', 'x', clock_timestamp())"
    )
    await connection.close()
    before = await describe(empty_database)
    with pytest.raises(MigrationError, match=r"from_the_future.*newer Actae"):
        await migrate(empty_database)
    assert await describe(empty_database) == before


async def test_a_migration_that_ran_with_another_text_is_refused(empty_database: str) -> None:
    """The checksum tells."""
    await migrate(empty_database)
    connection = await asyncpg.connect(empty_database)
    await connection.execute("update schema_migrations set checksum = 'other' where version = 1")
    await connection.close()
    with pytest.raises(MigrationError, match="another text"):
        await migrate(empty_database)


async def test_a_migration_that_fails_leaves_nothing_behind(
    empty_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it made goes with it; the ones before it stay."""
    await migrate(empty_database)
    before = await describe(empty_database)
    broken = Migration(9000, "broken", "create table half_done (a int); select no_such_function();")
    monkeypatch.setattr(migrations, "read_migrations", lambda: [*read_migrations(), broken])
    with pytest.raises(asyncpg.UndefinedFunctionError):
        await migrate(empty_database)
    assert await describe(empty_database) == before
