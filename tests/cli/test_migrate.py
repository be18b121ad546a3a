"""`actae migrate`: brings a database up to date, or says what that would be."""

from actae.store.migrations import read_migrations
from tests.support.command import Command
from tests.support.postgres import TestPostgres


def test_an_empty_database_gets_every_migration_once(actae: Command, postgres: TestPostgres) -> None:
    """A dry run changes nothing; a second run has nothing to do."""
    dsn = postgres.fresh_database(empty=True)
    versions = [each.version for each in read_migrations()]
    planned = actae("migrate", "--dry-run", "--json", "--database-url", dsn).json()
    assert (planned["applied"], [each["version"] for each in planned["migrations"]]) == (False, versions)
    applied = actae("migrate", "--json", "--database-url", dsn).json()
    assert (applied["applied"], [each["version"] for each in applied["migrations"]]) == (True, versions)
    again = actae("migrate", "--database-url", dsn)
    assert (again.code, again.out) == (0, "The database is up to date.\n")
    postgres.drop_database(dsn)


async def test_a_database_of_a_newer_version_is_refused(actae: Command, database_url: str) -> None:
    """With 1 and a sentence; nothing is changed."""
    from tests.support.damage import damage

    await damage(database_url, "insert into schema_migrations values (9999, 'future', 'x', now())")
    refused = actae("migrate", "--database-url", database_url)
    assert refused.code == 1
    assert "newer Actae" in refused.err
    assert refused.err.count("\n") == 1
