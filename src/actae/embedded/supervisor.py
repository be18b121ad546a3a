"""EmbeddedPostgres: the order in which everything is taken, and given back."""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from actae.embedded.binaries import Binaries
from actae.embedded.cluster import new_cluster, remove_unfinished
from actae.embedded.files import prepare_data_dir
from actae.embedded.lock import owned
from actae.embedded.postmaster import Postmaster, starting_postmaster
from actae.embedded.predecessor import clear_the_way
from actae.embedded.progress import Progress, silent
from actae.embedded.server_settings import allowed, setting_arguments
from actae.embedded.setup import Setup, cluster_major, settle
from actae.embedded.socket_dir import make_dsn, private_socket_dir


@dataclass(frozen=True)
class Running:
    """What a started server is made of; `undo` gives it all back, in the right order."""

    setup: Setup
    socket_dir: Path
    postmaster: Postmaster
    undo: ExitStack


class EmbeddedPostgres:
    """Our own PostgreSQL in a data directory, alive exactly as long as we are.

    Also a context manager. `settings` are PostgreSQL settings that go before Actae's own; `progress` is
    called with a sentence whenever something takes long enough to make a person wonder.
    """

    def __init__(
        self, data_dir: Path, *, settings: Mapping[str, str] | None = None, progress: Progress = silent
    ) -> None:
        """Raises ProtectedSettingError for a setting that must stay as it is."""
        self.data_dir = data_dir.absolute()
        self._settings = allowed(settings or {})
        self._progress = progress
        self._running: Running | None = None

    def start(self) -> None:
        """Return when the database accepts connections; its directory is made first where there is none.

        Blocks, for as long as a recovery takes. Call it from the main thread. A server that has ended by
        itself may be started again, and keeps its DSN. Raises a subclass of EmbeddedError, and then nothing
        is left running.
        """
        self.begin()
        try:
            self._started.postmaster.wait_until_ready(self._progress)
        except BaseException:  # a signal too
            self.stop()
            raise

    def begin(self) -> None:
        """Like `start()`, but return while the server still starts, or recovers; `is_ready()` tells when.

        Whatever comes of it, `stop()` gives everything back.
        """
        if self._running is not None and self.poll() is None:
            raise RuntimeError("This PostgreSQL runs already; stop() comes first.")
        self.stop()
        with ExitStack() as undo:
            setup = settle(self.data_dir)
            prepare_data_dir(self.data_dir, setup.identity)
            undo.enter_context(owned(self.data_dir))
            clear_the_way(setup.cluster_dir, self._progress)
            self._make_cluster_if_missing(setup)
            socket_dir = undo.enter_context(private_socket_dir(self.data_dir, setup.identity))
            arguments = setting_arguments(setup.binaries.major, socket_dir, self._settings)
            postmaster = undo.enter_context(
                starting_postmaster(setup, setup.cluster_dir, arguments, self._progress)
            )
            self._running = Running(setup, socket_dir, postmaster, undo.pop_all())

    def _make_cluster_if_missing(self, setup: Setup) -> None:
        remove_unfinished(self.data_dir)
        if cluster_major(setup.cluster_dir) is None:
            self._progress(f"Creating a database in {self.data_dir}.")
            with new_cluster(setup):
                pass

    def stop(self) -> None:
        """Shut down, wait for the end, and give the data directory back. A second call does nothing."""
        running, self._running = self._running, None
        if running is not None:
            running.undo.close()

    def is_ready(self) -> bool:
        """Whether the database accepts connections. Raises PostgresFailedError when the server has ended."""
        return self._started.postmaster.is_ready()

    def poll(self) -> int | None:
        """None while the server runs, else its exit status; only `start()` brings it back."""
        return self._started.postmaster.poll()

    def wait(self, timeout: float | None = None) -> int | None:
        """Wait, in any thread, until the server has ended or for `timeout` seconds; answers like `poll()`."""
        return self._started.postmaster.wait(timeout)

    @property
    def pid(self) -> int:
        """The server's process id."""
        return self._started.postmaster.pid

    @property
    def dsn(self) -> str:
        """For asyncpg and libpq alike: user and database `actae`, over the Unix socket."""
        return make_dsn(self.socket_dir)

    @property
    def socket_dir(self) -> Path:
        """A directory of mode 0700 with the Unix socket."""
        return self._started.socket_dir

    @property
    def binaries(self) -> Binaries:
        """The PostgreSQL programs in use."""
        return self._started.setup.binaries

    @property
    def _started(self) -> Running:
        if self._running is None:
            raise RuntimeError("This PostgreSQL has not been started.")
        return self._running

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
