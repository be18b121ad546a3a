"""Starts the agent under test, as its user would, and sees to it that nothing of it stays behind."""

import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from actae.crashtest.plan import CrashtestError

_LAST_LINES = 15


class Agents:
    """The processes of agents, each in a session of its own. A context manager: at its end they are gone."""

    def __init__(self, command: Sequence[str], *, start_seconds: float) -> None:
        self._command = command
        self._start_seconds = start_seconds
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._is_over = False

    def __enter__(self) -> "Agents":
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._is_over = True
            for process in self._running:
                _kill_session(process)

    def run(self, environment: Mapping[str, str], log: Path) -> int | None:
        """One start, until it has ended: its exit code, or minus the signal; None if it took too long.

        What it prints goes to the end of `log`. Whatever it has started ends with it. Raises CrashtestError.
        """
        with log.open("ab") as output:
            process = self._start(environment, output.fileno())
        try:
            return process.wait(self._start_seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            _kill_session(process)
            process.wait()
            with self._lock:
                self._running.discard(process)

    def _start(self, environment: Mapping[str, str], output: int) -> subprocess.Popen[bytes]:
        with self._lock:  # so that nothing is started once all were ended
            if self._is_over:
                raise CrashtestError("The test was ended.")
            try:
                process = subprocess.Popen(  # noqa: S603 - the command that the user wants tested
                    self._command,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    env=dict(environment),
                    start_new_session=True,
                )
            except OSError as error:
                raise CrashtestError(f"{self._command[0]} cannot be started: {error.strerror}.") from error
            self._running.add(process)
            return process


def last_words(log: Path) -> str:
    """The end of what an agent printed."""
    lines = log.read_text(errors="replace").strip().splitlines() if log.exists() else []
    return "\n".join(lines[-_LAST_LINES:])


def _kill_session(process: subprocess.Popen[bytes]) -> None:
    """The agent, and whoever it left behind: a killed agent's children must not go on working."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
