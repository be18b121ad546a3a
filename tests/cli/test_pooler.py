"""Commands where a pooler stands before the database: they go past it, or say that they cannot."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.command import Command
from tests.support.forking import events_of
from tests.support.pgbouncer import PgBouncer
from tests.support.postgres import TestPostgres
from tests.support.server import RunningServer


@pytest.fixture
def variables(pooler: PgBouncer, database_url: str) -> dict[str, str]:
    """The environment of a server behind the pooler."""
    return {"ACTAE_DATABASE_URL": pooler.url, "ACTAE_LISTEN_URL": database_url}


def test_commands_go_past_the_pooler(actae: Command, variables: dict[str, str], pooler: PgBouncer) -> None:
    """Also those that could not do their work behind it; it need not even run."""
    pooler.stop()
    assert actae("migrate", **variables).out == "The database is up to date.\n"
    assert actae("keys", "create", "ci", "--everything", **variables).code == 0
    assert actae("verify", **variables).code == 0
    assert actae("backup", "copy", **variables).code == 0


@pytest.mark.parametrize("command", [("migrate",), ("verify",), ("serve", "--port", "0")])
def test_a_pooler_in_place_of_postgresql_is_recognised(
    actae: Command, pooler: PgBouncer, command: tuple[str, ...]
) -> None:
    """Nobody has set the way past it, so the command says which setting that is."""
    refused = actae(*command, ACTAE_DATABASE_URL=pooler.url)
    assert (refused.code, refused.err.count("\n")) == (1, 1)
    assert "That is a pooler: set ACTAE_LISTEN_URL" in refused.err


def test_a_database_that_was_named_goes_before_the_way_past_the_pooler(
    actae: Command, postgres: TestPostgres, variables: dict[str, str]
) -> None:
    """The variables may speak of another one."""
    other = postgres.fresh_database(empty=True)
    planned = actae("migrate", "--dry-run", "--json", "--database-url", other, **variables).json()
    assert planned["migrations"] != []
    postgres.drop_database(other)


@pytest.mark.parametrize("is_empty", [True, False], ids=["one without tables", "one with tables"])
def test_ways_to_different_databases_are_refused(
    actae: Command, postgres: TestPostgres, variables: dict[str, str], server: RunningServer, is_empty: bool
) -> None:
    """What the writer wrote would not be there for readers."""
    other = postgres.fresh_database(empty=True) if is_empty else server.database_url
    refused = actae("serve", "--port", "0", **{**variables, "ACTAE_DATABASE_URL": other})
    assert (refused.code, refused.err) == (
        1,
        "actae: listen_url and database_url lead to different databases.\n",
    )
    if is_empty:
        postgres.drop_database(other)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_directory_that_was_named_goes_before_both_ways(
    start_server: Callable[..., RunningServer], data_dir: Path, channel: str, workers: str
) -> None:
    """For every process of the server; the variables lead nowhere."""
    nowhere = "postgresql://127.0.0.1:1/nowhere"
    server = start_server(
        data_dir=data_dir,
        options=("--workers", workers),
        environment={"ACTAE_DATABASE_URL": nowhere, "ACTAE_LISTEN_URL": nowhere},
    )
    assert server.record(channel).status == 200
    assert len(events_of(server, channel)) == 1


def test_a_way_past_a_pooler_needs_the_pooler(actae: Command, database_url: str) -> None:
    """With an embedded PostgreSQL, writers and readers would have different databases."""
    refused = actae("serve", "--port", "0", ACTAE_LISTEN_URL=database_url)
    assert (refused.code, refused.out, refused.err.count("\n")) == (1, "", 1)
    assert "set both, or none" in refused.err
