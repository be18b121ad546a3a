"""Ending PostgreSQL processes: politely, and harder only when that has not worked."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from signal import SIGINT, SIGKILL, SIGQUIT, Signals

from actae.embedded.processes import postgres_processes_in
from actae.embedded.progress import Progress
from actae.embedded.waiting import wait_until

# A fast shutdown writes at most the shared buffers; after a minute, some session just does not leave.
SHUTDOWN_SECONDS = 60.0
# Most orphans leave as soon as they look up from their work.
ORPHAN_SECONDS = 1.0


def shut_down(pid: int, has_ended: Callable[[], bool], progress: Progress) -> None:
    """A fast shutdown: sessions are cut off, buffers are written. Asking a second time does no harm.

    After a minute it becomes an immediate one, which is as safe, but the next start must replay the log.
    """
    send(pid, SIGINT)
    if wait_until(has_ended, seconds=1.0):
        return
    progress(f"Waiting for PostgreSQL (process {pid}) to shut down.")
    if wait_until(has_ended, seconds=SHUTDOWN_SECONDS):
        return
    progress(f"PostgreSQL (process {pid}) has not shut down within {SHUTDOWN_SECONDS:.0f} s; cutting it off.")
    send(pid, SIGQUIT)
    wait_until(has_ended)


def end_orphans(directory: Path) -> None:
    """End server processes that outlived their postmaster: while one is attached, no new server may start.

    What they had not committed is lost in any case, and recovery does not need them.
    """
    for signal in (None, SIGQUIT, SIGKILL):
        for pid in postgres_processes_in(directory) if signal else ():
            send(pid, signal)
        if wait_until(lambda: not postgres_processes_in(directory), seconds=ORPHAN_SECONDS):
            return


def send(pid: int, signal: Signals | None) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal or 0)
