"""A server in several processes: this one owns the socket and the database, and keeps the workers alive.

Workers inherit the listening socket, so the kernel spreads the connections, and a block of memory in which
they count together. A worker that dies is replaced; when this process dies, its workers finish and leave.
"""

import asyncio
import os
import signal
import socket
from collections.abc import Callable
from contextlib import AsyncExitStack

from actae.background.postgres import keep_running
from actae.cli.crew import Crew
from actae.cli.leaving import then_deaf
from actae.cli.logs import Log
from actae.cli.serving import RunningDatabase
from actae.observations import EmbeddedRestarted
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
        CommandFailed: the workers cannot start.
    """
    memory = os.memfd_create("actae-numbers")
    try:
        crew = Crew(settings, listener.fileno(), memory, database, log)
        asyncio.run(then_deaf(_run(crew, database, _counting(memory, log), on_ready)))
    finally:
        os.close(memory)


async def _run(crew: Crew, database: RunningDatabase, log: Log, on_ready: Callable[[Ready], None]) -> None:
    loop = asyncio.get_running_loop()
    for each in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(each, crew.dismiss)
    async with AsyncExitStack() as stack:
        data_dir = None
        if database.embedded is not None:
            await stack.enter_async_context(keep_running(database.embedded, log))
            data_dir = str(database.embedded.data_dir)

        def tell(first: Ready) -> None:
            on_ready(Ready(**{**vars(first), "pid": os.getpid(), "data_dir": data_dir}))

        await crew.work(tell)


def _counting(memory: int, log: Log) -> Log:
    """What happens to the database is told by us, and counted where the workers count: they speak of it."""

    def told(fact: object) -> None:
        log(fact)
        if isinstance(fact, EmbeddedRestarted):
            from actae.transport.tally import add_beside  # most servers never need it

            add_beside(memory, "embedded_restarts")

    return told
