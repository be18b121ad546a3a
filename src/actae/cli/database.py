"""Commands that work on a database directly: where it is, and how they reach it."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from actae.cli.failures import CommandFailed
from actae.cli.output import tell

if TYPE_CHECKING:
    from actae.store.database import Database

T = TypeVar("T")

_QUERY_SECONDS = 3600.0  # somebody watches, and may press Ctrl-C


class Place(NamedTuple):
    """Where a database was said to be; the settings know the rest."""

    database_url: str | None
    data_dir: Path | None


def database_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options that say where the database is; the command gets them as `place`."""

    @click.option("--database-url", help="A PostgreSQL server.  [ACTAE_DATABASE_URL]")
    @click.option(
        "--data-dir",
        type=click.Path(path_type=Path, file_okay=False),
        help="An embedded PostgreSQL, whether or not a server runs on it.  [ACTAE_DATA_DIR, ./actae-data]",
    )
    @wraps(command)
    def with_place(*args: Any, database_url: str | None, data_dir: Path | None, **options: Any) -> Any:
        if database_url is not None and data_dir is not None:
            raise click.UsageError("Choose one of --database-url and --data-dir.")
        return command(*args, place=Place(database_url, data_dir), **options)

    return with_place


@contextmanager
def reachable(place: Place) -> Iterator[str]:
    """The DSN of the database; an embedded one that nobody runs is started for as long as the block runs.

    Raises:
        CommandFailed: there is no database.
        EmbeddedError: it cannot be started.
    """
    from actae.settings import read_settings

    settings = read_settings(database_url=place.database_url, data_dir=place.data_dir)
    # A directory that was named goes before a URL from the environment, and so does a URL before a way
    # past the pooler. A command is one session, and takes that way: some of what it sets lasts for all of it.
    if settings.database_url is not None and place.data_dir is None:
        yield str(place.database_url or settings.listen_url or settings.database_url)
        return
    from actae.embedded import EmbeddedPostgres, attach

    running = attach(settings.data_dir)
    if running is not None:
        yield running
        return
    if not _holds_a_database(settings.data_dir):
        raise CommandFailed(
            f"There is no database in {settings.data_dir.absolute()}. Start `actae serve` there first, or "
            "say where it is with --data-dir or --database-url."
        )
    tell(f"Starting the database in {settings.data_dir} for this command.")
    with EmbeddedPostgres(settings.data_dir, progress=tell) as embedded:
        yield embedded.dsn


def _holds_a_database(data_dir: Path) -> bool:
    from actae.embedded.setup import CLUSTER_DIR_NAME

    return (data_dir / CLUSTER_DIR_NAME).exists()


def run_on_database(place: Place, act: "Callable[[Database], Awaitable[T]]") -> T:
    """Do something with a database of ours, and return what comes of it.

    Raises:
        CommandFailed, EmbeddedError, UnavailableError: it cannot be reached.
        MigrationError: it is newer than this Actae.
    """
    with reachable(place) as dsn:
        return asyncio.run(_with_database(dsn, act))


def refuse_what_is_not_ours(dsn: str) -> None:
    """A database whose tables are no Actae's, or those of another version that we do not know.

    Raises:
        MigrationError: it is newer than this Actae.
    """
    asyncio.run(_with_database(dsn, _nothing))


async def _with_database(dsn: str, act: "Callable[[Database], Awaitable[T]]") -> T:
    from actae.store.database import Database
    from actae.store.migrations import refuse_foreign_past

    db = await Database.connect(dsn, connections_max=2, read_timeout_seconds=_QUERY_SECONDS)
    try:
        await refuse_foreign_past(db)
        return await act(db)
    finally:
        await db.close()


async def _nothing(_db: "Database") -> None:
    pass
