"""Starts the parts of a server in their order, and stops them in reverse."""

import asyncio
import sys

import asyncpg
import click
import uvloop

from actae.domain.errors import ActaeError
from actae.embedded import EmbeddedError, EmbeddedPostgres
from actae.observations import Observations
from actae.server import Ready, serve
from actae.settings import Settings
from actae.store.migrations import MigrationError
from actae.transport.listening import listen


def run_server(settings: Settings) -> int:
    """Serve until a signal; the exit code."""
    observe = Observations()
    try:
        listener = listen(settings)
    except OSError as error:
        click.echo(f"Cannot listen on {settings.host}:{settings.port}: {error.strerror}.", err=True)
        return 1
    embedded = None if settings.database_url else EmbeddedPostgres(settings.data_dir)
    try:
        if embedded is not None:
            embedded.start()
        dsn = settings.database_url or (embedded.dsn if embedded else "")
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(
                serve(settings, listener, str(dsn), observe=observe, embedded=embedded, on_ready=lambda ready: _announce(settings, ready))
            )
    except (EmbeddedError, MigrationError, ActaeError, asyncpg.PostgresError, OSError) as error:
        click.echo(f"actae: {error}", err=True)
        return 1
    finally:
        listener.close()
        if embedded is not None:
            embedded.stop()
    return 0


def _announce(settings: Settings, ready: Ready) -> None:
    if settings.ready_file is not None:
        ready.write(settings.ready_file)
    click.echo(f"Actae {ready.version} listens on {ready.url}")
    if ready.api_key is not None:
        click.echo(f"  key   {ready.api_key}")
    if ready.data_dir is not None:
        click.echo(f"  data  {ready.data_dir.resolve()}")
    sys.stdout.flush()
