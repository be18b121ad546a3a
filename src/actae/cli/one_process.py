"""A server in this process."""

import asyncio
import socket
from collections.abc import Callable

import uvloop

from actae.cli.leaving import then_deaf
from actae.cli.logs import Log
from actae.cli.reaching import reaching
from actae.cli.serving import RunningDatabase
from actae.observations import Observations
from actae.server import serve
from actae.settings import Settings
from actae.transport.ready import Ready


def run(
    settings: Settings,
    listener: socket.socket,
    database: RunningDatabase,
    *,
    log: Log,
    on_ready: Callable[[Ready], None],
) -> None:
    """Serve until a signal.

    Raises:
        CommandFailed, MigrationError, UnavailableError: the database cannot be used.
    """
    observe = Observations()
    observe.subscribe(log)
    serving = serve(
        settings, listener, database.dsn, observe=observe, embedded=database.embedded, on_ready=on_ready
    )
    with (
        reaching(settings.listen_url or database.dsn),
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        runner.run(then_deaf(serving))
