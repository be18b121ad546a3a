"""A backup in one file, of a live database, and the way back into an empty data directory.

The file is a logical dump (pg_dump's custom format), taken from one snapshot while everybody goes on writing.
A physical copy would be restored faster, but only by the same major version; this one also carries a database
to the next PostgreSQL, which an embedded one meets whenever its wheel is upgraded, and to a server elsewhere.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from actae.embedded.archive import refuse_what_is_no_backup
from actae.embedded.binaries import Binaries, find_binaries
from actae.embedded.cluster import UNFINISHED_PREFIX, new_cluster, remove_unfinished
from actae.embedded.errors import BackupError, DataDirectoryUnusableError, PostgresFailedError
from actae.embedded.files import fsync_directory, prepare_data_dir
from actae.embedded.identity import OURSELVES
from actae.embedded.lock import LOCK_NAME, owned
from actae.embedded.log import LOG_NAME
from actae.embedded.postmaster import running_postmaster
from actae.embedded.programs import run_program
from actae.embedded.progress import Progress, silent
from actae.embedded.server_settings import setting_arguments
from actae.embedded.setup import Setup, settle
from actae.embedded.socket_dir import SOCKET_DIR_NAME, make_dsn, private_socket_dir

NOT_DATA = {LOCK_NAME, LOG_NAME, SOCKET_DIR_NAME, "lost+found"}


def backup(
    dsn: str, target_file: Path, *, binaries: Binaries | None = None, progress: Progress = silent
) -> None:
    """Write a consistent copy of the embedded database at `dsn` to `target_file`, readable by its owner only.

    Nobody is held up meanwhile. The file appears under its name when it is whole and durable. Raises
    BackupError when there is one already or it cannot be written, PostgresFailedError with pg_dump's reason.
    """
    binaries = binaries or find_binaries()
    with new_file(target_file) as unfinished:
        progress(f"Writing a backup to {target_file}.")
        dump = ["--format=custom", f"--file={unfinished}", f"--dbname={dsn}"]
        run_program(OURSELVES, [binaries.program("pg_dump"), *dump])
    progress(f"Wrote {target_file.stat().st_size:,} bytes.")


@contextmanager
def new_file(target_file: Path) -> Iterator[Path]:
    """A file beside `target_file`, which takes that name when the block succeeds and is removed otherwise."""
    target_file = target_file.absolute()
    if target_file.exists():
        raise BackupError(
            f"{target_file} exists already; a backup does not replace a file. Choose another name."
        )
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{target_file.name}.", dir=target_file.parent)
    except OSError as refused:
        raise BackupError(f"Cannot write to {target_file.parent}: {refused.strerror}.") from refused
    os.close(descriptor)
    unfinished = Path(name)
    try:
        yield unfinished
        unfinished.rename(target_file)  # pg_dump has synced the content
        fsync_directory(target_file.parent)
    finally:
        unfinished.unlink(missing_ok=True)


def restore(data_dir: Path, source_file: Path, *, progress: Progress = silent) -> None:
    """Make `data_dir`, which must be missing or empty, hold the database from `source_file`.

    Call it from the main thread. Either the whole database is there afterwards, or none. Raises BackupError
    for a file that is no (whole) backup, DataDirectoryUnusableError for a directory with something in it.
    """
    data_dir, source_file = data_dir.absolute(), source_file.absolute()
    setup = settle(data_dir)
    refuse_what_is_no_backup(setup.binaries, source_file)
    prepare_data_dir(data_dir, setup.identity)
    refuse_what_is_not_empty(data_dir)  # before a lock file appears among somebody's files
    with owned(data_dir):
        remove_unfinished(data_dir)
        refuse_what_is_not_empty(data_dir)
        progress(f"Creating a database in {data_dir}.")
        with new_cluster(setup) as unfinished:
            fill(setup, unfinished, source_file, progress)
    progress(f"Restored {source_file} into {data_dir}.")


def fill(setup: Setup, cluster_dir: Path, source_file: Path, progress: Progress) -> None:
    """Load the dump in one transaction, and give the planner figures at once.

    Unsynced (-F), as it is all disposable until the new cluster is synced as a whole.
    """
    load = ["--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges", str(source_file)]
    with private_socket_dir(setup.data_dir, setup.identity) as socket_dir:
        arguments = [*setting_arguments(setup.binaries.major, socket_dir, {}), "-F"]
        target = f"--dbname={make_dsn(socket_dir)}"
        with running_postmaster(setup, cluster_dir, arguments, progress):
            progress(f"Loading {source_file}.")
            try:
                run_program(OURSELVES, [setup.binaries.program("pg_restore"), target, *load])
            except PostgresFailedError as failed:
                raise BackupError(
                    f"{source_file} could not be restored; nothing of it was kept. {failed}"
                ) from failed
            run_program(OURSELVES, [setup.binaries.program("vacuumdb"), target, "--analyze-only", "--quiet"])


def refuse_what_is_not_empty(data_dir: Path) -> None:
    names = sorted(entry.name for entry in data_dir.iterdir())
    found = [name for name in names if name not in NOT_DATA and not name.startswith(UNFINISHED_PREFIX)]
    if found:
        raise DataDirectoryUnusableError(
            f"{data_dir} is not empty (it holds {', '.join(found[:3])}). "
            "Restore into an empty or a new directory."
        )
