"""A server in this process."""

import asyncio
import socket
from collections.abc import Callable

import uvloop

from actae.cli.logs import Log
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
    """Serve until a signal."""
    observe = Observations()
    observe.subscribe(log)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(
            serve(
                settings,
                listener,
                database.dsn,
                observe=observe,
                embedded=database.embedded,
                on_ready=on_ready,
            )
        )
