"""Starts the parts of a server in their order, and stops them in reverse."""

import os
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import NamedTuple, Protocol

from actae.cli.announcement import announce
from actae.cli.failures import CommandFailed
from actae.cli.leaving import leaving_when_asked
from actae.cli.logs import Log, log_facts
from actae.cli.output import tell
from actae.cli.variables import ignored_variables
from actae.embedded import EmbeddedPostgres
from actae.settings import Settings
from actae.transport.listening import listen
from actae.transport.ready import Ready


class RunningDatabase(NamedTuple):
    """Where the data is, and the PostgreSQL that is ours, if it is."""

    dsn: str
    embedded: EmbeddedPostgres | None

    @property
    def kind(self) -> str:
        """As the log calls it."""
        return "external" if self.embedded is None else "embedded"


class Run(Protocol):
    """Serves until a signal; calls `on_ready` once requests are accepted."""

    def __call__(
        self,
        settings: Settings,
        listener: socket.socket,
        database: RunningDatabase,
        *,
        log: Log,
        on_ready: Callable[[Ready], None],
    ) -> None: ...


def _require_place_for(ready_file: Path) -> None:
    """Before anything is made: what is told there, such as the first key, is told once."""
    if not os.access(ready_file.parent, os.W_OK | os.X_OK):
        raise CommandFailed(f"The ready file {ready_file} cannot be written.")


def run_server(settings: Settings) -> None:
    """Serve until a signal.

    Raises:
        CommandFailed, SettingsError, EmbeddedError, MigrationError, UnavailableError
    """
    log = log_facts(settings, sys.stderr)
    for ignored in ignored_variables(os.environ):
        log(ignored)
    if settings.ready_file is not None:
        _require_place_for(settings.ready_file)
    try:
        listener = listen(settings)
    except OSError as error:
        raise CommandFailed(f"Cannot listen on {settings.host}:{settings.port}: {error.strerror}.") from error
    how = "actae.cli.workers" if settings.workers > 1 else "actae.cli.one_process"
    load_meanwhile(how)
    with leaving_when_asked(), closing(listener), running_database(settings) as database:
        run: Run = import_module(how).run
        run(settings, listener, database, log=log, on_ready=lambda ready: announce(settings, ready))


@contextmanager
def running_database(settings: Settings) -> Iterator[RunningDatabase]:
    """The embedded PostgreSQL, for as long as the block runs; or the one that is named."""
    if settings.database_url is not None:
        yield RunningDatabase(str(settings.database_url), None)
        return
    with EmbeddedPostgres(settings.data_dir, progress=tell) as embedded:
        yield RunningDatabase(embedded.dsn, embedded)


def load_meanwhile(module: str) -> None:
    """Load a module while we wait for something else: a start is mostly one or the other.

    If that fails, whoever imports it afterwards is told.
    """

    def load() -> None:
        with suppress(Exception):
            import_module(module)

    Thread(target=load, name="actae loading", daemon=True).start()
