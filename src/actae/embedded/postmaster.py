"""One running PostgreSQL server, our child."""

import os
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from signal import SIGINT

from actae.embedded.errors import PostgresFailedError
from actae.embedded.launching import environment, launched
from actae.embedded.log import ServerLog, open_log
from actae.embedded.postmaster_file import read_postmaster_file
from actae.embedded.progress import Progress
from actae.embedded.setup import Setup
from actae.embedded.shutdown import end_orphans, shut_down
from actae.embedded.waiting import wait_until

# What the kernel sends to PostgreSQL when we die without a word: a fast shutdown. SIGQUIT would be an
# immediate one, and a recovery at the next start. Measured from the signal to the next "ready", with pgbench
# writing until the end: after 0.3 s of load 75 ms with SIGINT and 135 with SIGQUIT, after 12 s 300 and 900. A
# replay grows with the log, up to max_wal_size; a shutdown never has more to write than the shared buffers.
DEATH_SIGNAL = SIGINT
PATIENCE_SECONDS = 2.0  # then the caller is told what takes so long


class Postmaster:
    """The process, and what it tells of itself."""

    def __init__(self, process: "subprocess.Popen[bytes]", cluster_dir: Path, log: ServerLog) -> None:
        self._process = process
        self._cluster_dir = cluster_dir
        self._log = log

    @property
    def pid(self) -> int:
        return self._process.pid

    def poll(self) -> int | None:
        """None while it runs, else its exit status: a negative signal number if it was killed."""
        return self._process.poll()

    def wait(self, timeout: float | None = None) -> int | None:
        """Wait until it has ended, or for `timeout` seconds; answers like `poll()`."""
        try:
            return self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            return None

    def wait_until_ready(self, progress: Progress) -> None:
        """Wait as long as it lives: recovery takes what it takes. Raises PostgresFailedError when it ends."""
        if not wait_until(self.is_ready, seconds=PATIENCE_SECONDS):
            progress(f"PostgreSQL is starting, perhaps recovering from a crash; its log is {self._log.path}.")
            wait_until(self.is_ready)

    def is_ready(self) -> bool:
        """Whether it accepts connections already. Raises PostgresFailedError when it has ended instead."""
        said = read_postmaster_file(self._cluster_dir)
        if (status := self.poll()) is not None:
            raise PostgresFailedError(f"PostgreSQL did not start (status {status}).", self._log.tail())
        return said is not None and said.pid == self.pid and said.status == "ready"

    def stop(self, progress: Progress) -> None:
        """Shut down and wait. One that has ended by itself is only tidied up after."""
        if self.poll() is None:
            shut_down(self.pid, lambda: self.poll() is not None, progress)
        if self.poll() != 0:
            end_orphans(self._cluster_dir)


@contextmanager
def running_postmaster(
    setup: Setup, cluster_dir: Path, arguments: Sequence[str], progress: Progress
) -> Iterator[Postmaster]:
    """A server on `cluster_dir` that is ready in the block and has ended after it."""
    with starting_postmaster(setup, cluster_dir, arguments, progress) as postmaster:
        postmaster.wait_until_ready(progress)
        yield postmaster


@contextmanager
def starting_postmaster(
    setup: Setup, cluster_dir: Path, arguments: Sequence[str], progress: Progress
) -> Iterator[Postmaster]:
    """The same, but the block begins while it still starts, or recovers."""
    if threading.current_thread() is not threading.main_thread():
        # The kernel ties the death signal to the thread that started the process, not to our process.
        raise RuntimeError("PostgreSQL must be started from the main thread, or it would end with this one.")
    command: list[str | Path] = [setup.binaries.program("postgres"), "-D", cluster_dir, *arguments]
    log = open_log(setup.data_dir)
    try:
        process = subprocess.Popen(  # noqa: S603 - a list, no shell
            launched(setup.identity.launch_as, command, death_signal=DEATH_SIGNAL),
            stdin=subprocess.DEVNULL,
            stdout=log.descriptor,
            stderr=log.descriptor,
            cwd="/",
            env=environment(),
            start_new_session=True,  # Ctrl-C in a terminal is for us, who may still have something to write
        )
    finally:
        os.close(log.descriptor)
    postmaster = Postmaster(process, cluster_dir, log)
    try:
        yield postmaster
    finally:
        postmaster.stop(progress)
