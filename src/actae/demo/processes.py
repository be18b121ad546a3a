"""The demo's child processes: started on a tether, stopped by id, and heard out when they fail."""

import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from actae.embedded.launching import launched


class DemoError(Exception):
    """A part of the demo did not do what it had to; the sentence says which, and what it last said."""


class Child:
    """A process that dies with this one, and is out of reach of the terminal's Ctrl-C.

    As a context manager it is stopped, and gone, at the end. Start it from the main thread: the
    kernel ties it to the thread that starts it.
    """

    def __init__(
        self,
        name: str,
        argv: Sequence[str],
        *,
        log: Path,
        environment: Mapping[str, str] | None = None,
        pass_fds: Sequence[int] = (),
        speaks: bool = False,
        dies_by: signal.Signals = signal.SIGKILL,
    ) -> None:
        self.name = name
        self._log = log
        with log.open("ab") as errors:
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter, our own arguments
                launched("self", argv, death_signal=dies_by),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE if speaks else errors,  # a pipe that nobody reads would stop it
                stderr=errors,
                env=environment,
                pass_fds=pass_fds,
                start_new_session=True,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        return self._process.pid

    def read_line(self, *, seconds: float) -> str:
        """The next line of its output. Raises `DemoError` when it ends or the time is over before."""
        assert self._process.stdout is not None, "only a child that speaks has a pipe for its output"
        return self.read_line_of(self._process.stdout.fileno(), seconds=seconds)

    def read_line_of(self, fd: int, *, seconds: float) -> str:
        """The next line that this child writes to a pipe. Raises as `read_line` does."""
        deadline = time.monotonic() + seconds
        line = b""
        while not line.endswith(b"\n"):
            readable, _, _ = select.select([fd], [], [], max(0.0, deadline - time.monotonic()))
            read = os.read(fd, 4096) if readable else b""
            if not read:
                raise self.failed("ended" if readable else f"said nothing for {seconds:g} s")
            line += read
        return line.decode().strip()

    def wait(self, *, seconds: float) -> int:
        """Its exit code, or minus the signal it died by. Raises `DemoError` when the time is over before."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise self.failed(f"still ran after {seconds:g} s") from None

    def is_running(self) -> bool:
        return self._process.poll() is None

    def kill(self) -> int:
        """SIGKILL: no handler runs, nothing is flushed. Returns what `wait` does."""
        self._process.kill()
        return self._process.wait()

    def stop(self, *, seconds: float = 20.0) -> None:
        """Ask it to end, insist after a while, and return when it is gone."""
        if self.is_running():
            self._process.terminate()
            try:
                self._process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.kill()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def failed(self, what: str) -> DemoError:
        """An error that says `what`, and the last lines that the process wrote."""
        last_words = self._log.read_text(errors="replace").strip().splitlines()[-12:]
        return DemoError("\n".join([f"The {self.name} (pid {self.pid}) {what}.", *last_words]))
