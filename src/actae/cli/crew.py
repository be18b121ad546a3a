"""Keeps a number of workers alive until they are dismissed."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import fields
from time import monotonic
from typing import Final

from click.exceptions import Exit

from actae.cli.facts import WorkerEnded
from actae.cli.failures import CommandFailed
from actae.cli.logs import Log
from actae.cli.serving import RunningDatabase
from actae.settings import Settings
from actae.transport.ready import Ready

PAUSE_SECONDS: Final = 0.5
PAUSE_SECONDS_MAX: Final = 30.0
STEADY_SECONDS: Final = 10.0  # who lived so long did not die of its start


class Crew:
    """As many workers as the settings say, each in its row of the shared numbers."""

    def __init__(
        self, settings: Settings, listener: int, memory: int, database: RunningDatabase, log: Log
    ) -> None:
        """`listener` and `memory` are file descriptors that the workers inherit."""
        self._size = settings.workers
        self._inherited = (listener, memory)
        self._environment = {**os.environ, **as_environment(settings, database_url=database.dsn)}
        self._database_kind = database.kind
        self._log = log
        self._working: dict[int, Process] = {}
        self._dismissed = asyncio.Event()

    def dismiss(self) -> None:
        """Ask everybody to finish what was accepted, and to leave."""
        self._dismissed.set()
        for process in self._working.values():
            _ask_to_leave(process)

    async def work(self, on_ready: Callable[[Ready], None]) -> None:
        """Return when all have left after a dismissal. `on_ready` is called once all accept requests.

        Raises:
            CommandFailed, Exit: one of the first workers ended before it was ready.
        """
        try:
            # The first alone: it migrates, it makes the first key, and if it cannot start, nobody can.
            told = await self._start_first(0)
            await asyncio.gather(*(self._start_first(row) for row in range(1, self._size)))
            if told is not None and not self._dismissed.is_set():
                on_ready(told)
            await asyncio.gather(*(self._keep(row, self._working[row]) for row in range(self._size)))
        finally:
            self.dismiss()
            await asyncio.gather(*(process.wait() for process in self._working.values()))

    async def _start_first(self, row: int) -> Ready | None:
        """Start the first worker of a row; None if it was dismissed before it was ready."""
        process, told = await self._start(row)
        if told is not None or self._dismissed.is_set():
            return told
        status = await process.wait()
        if status > 0:
            raise Exit(1)  # it has said why
        raise CommandFailed(f"A worker ended with {status} before it was ready.")

    async def _keep(self, row: int, process: Process) -> None:
        """Replace the worker of a row whenever it ends."""
        pause = PAUSE_SECONDS
        while True:
            started = monotonic()
            status = await process.wait()
            if self._dismissed.is_set():
                return
            if monotonic() - started >= STEADY_SECONDS:
                pause = PAUSE_SECONDS
            self._log(WorkerEnded(row, process.pid, status, pause))
            if await self._is_dismissed_within(pause):
                return
            process, _ = await self._start(row)
            pause = min(2 * pause, PAUSE_SECONDS_MAX)

    async def _is_dismissed_within(self, seconds: float) -> bool:
        try:
            await asyncio.wait_for(self._dismissed.wait(), seconds)
        except TimeoutError:
            return False
        return True

    async def _start(self, row: int) -> tuple[Process, Ready | None]:
        """A worker, and what it told when it was ready; None if it ended before."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "actae", "serve-worker"),
            *map(str, (*self._inherited, row, self._size, os.getpid(), self._database_kind)),
            stdout=PIPE,
            process_group=0,  # Ctrl-C in a terminal is for us, who dismiss everybody in order
            pass_fds=self._inherited,
            env=self._environment,
        )
        self._working[row] = process
        if self._dismissed.is_set():
            _ask_to_leave(process)
        assert process.stdout is not None, "a pipe was asked for"
        told = await process.stdout.readline()
        return process, Ready.from_json(told) if told else None


def _ask_to_leave(process: Process) -> None:
    # Not by its own method, which would reap a child that has just ended, and asyncio would never know how.
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGTERM)


def as_environment(settings: Settings, **instead: object) -> Mapping[str, str]:
    """The variables that make another process read the same settings; one that is empty is not set."""
    values = {each.name: getattr(settings, each.name) for each in fields(settings)}
    return {f"ACTAE_{name.upper()}": _as_text(value) for name, value in {**values, **instead}.items()}


def _as_text(value: object) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
