"""`actae migrate`: brings a database up to date, or says what that would be."""

import pytest

from actae.store.migrations import read_migrations
from tests.support.command import Command
from tests.support.damage import damage
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


@pytest.mark.parametrize(
    "command",
    [
        ("migrate",),
        ("verify",),
        ("keys", "create", "worker", "--everything"),
        ("keys", "list"),
        ("keys", "revoke", "key-1"),
        ("users", "list"),
    ],
    ids=" ".join,
)
async def test_a_database_of_a_newer_version_is_refused(
    actae: Command, database_url: str, command: tuple[str, ...]
) -> None:
    """By everything that works on it directly, with 1 and the same sentence; nothing is changed."""
    await damage(database_url, "insert into schema_migrations values (9999, 'future', 'x', now())")
    refused = actae(*command, "--database-url", database_url)
    assert (refused.code, refused.out) == (1, "")
    assert refused.err == (
        "actae: The database has migration 9999 (future), which this version of Actae does not know. "
        "Run a newer Actae; nothing was changed.\n"
    )


async def test_a_key_can_be_revoked_in_an_older_database(actae: Command, database_url: str) -> None:
    """A server of the version before may still run on it, and a key that leaked does not wait."""
    made = actae("keys", "create", "worker", "--everything", "--json", "--database-url", database_url).json()
    newest = read_migrations()[-1].version
    await damage(database_url, f"delete from schema_migrations where version = {newest}")
    revoked = actae("keys", "revoke", made["key"]["key_id"], "--database-url", database_url)
    assert revoked.code == 0, revoked.err
