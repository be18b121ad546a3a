"""One of several processes of a server."""

import asyncio
import ctypes
import os
import signal
import socket
import sys
from contextlib import closing
from dataclasses import replace

import uvloop

from actae.cli.failures import CommandFailed
from actae.cli.leaving import then_deaf
from actae.cli.logs import Log, log_facts
from actae.cli.reaching import reaching
from actae.observations import Observations, ServerStarted
from actae.server import serve
from actae.settings import Settings
from actae.transport.ready import Ready
from actae.transport.tally import Share

_PR_SET_PDEATHSIG = 1


def run(settings: Settings, listener: int, share: Share, parent: int, database_kind: str) -> None:
    """Serve until a signal, or until the parent has died. Ready is told as a line on standard output."""
    _leave_with(parent)
    observe = Observations()
    observe.subscribe(_naming(database_kind, log_facts(settings, sys.stderr)))
    dsn = str(settings.database_url)
    with (
        closing(socket.socket(fileno=listener)) as inherited,
        reaching(settings.listen_url or dsn),
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        serving = serve(settings, inherited, dsn, observe=observe, share=share, on_ready=_tell)
        runner.run(then_deaf(serving))


def _naming(database_kind: str, log: Log) -> Log:
    """To a worker every database is external; the one that its parent keeps is not, for those who read."""

    def told(fact: object) -> None:
        log(replace(fact, database=database_kind) if isinstance(fact, ServerStarted) else fact)

    return told


def _tell(ready: Ready) -> None:
    sys.stdout.write(ready.to_json() + "\n")
    sys.stdout.flush()


def _leave_with(parent: int) -> None:
    """Ask the kernel for a SIGTERM when the parent ends, however it ends.

    Raises:
        CommandFailed: it has ended already.
    """
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:
        raise CommandFailed("The server that started this worker has ended.")
