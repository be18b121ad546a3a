"""Making a cluster: under a temporary name first, so that the real one is either whole or not there."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from actae.embedded.files import fsync_directory
from actae.embedded.setup import Setup
from actae.embedded.shutdown import end_orphans
from actae.embedded.socket_dir import DATABASE, USER
from actae.embedded.sync_method import sync_method

UNFINISHED_PREFIX = ".postgres-unfinished-"
FIRST_WITH_BUILTIN_LOCALES = 17
FIRST_WITH_SYNC_METHODS = 17


@contextmanager
def new_cluster(setup: Setup) -> Iterator[Path]:
    """A cluster under a temporary name, to be filled in the block; after it, durable and in place.

    The block must leave it shut down. If anything fails, nothing of it stays.
    """
    unfinished = Path(tempfile.mkdtemp(prefix=UNFINISHED_PREFIX, dir=setup.data_dir))
    try:
        setup.identity.take_over(unfinished)
        setup.run("initdb", *initdb_arguments(setup.binaries.major), "-D", unfinished)
        create_database(setup, unfinished)
        yield unfinished
        # Once for everything, instead of once in initdb and again for what came after it.
        setup.run("initdb", "--sync-only", *sync_arguments(setup.binaries.major), "-D", unfinished)
        unfinished.rename(setup.cluster_dir)
        fsync_directory(setup.data_dir)
        fsync_directory(setup.data_dir.parent)
    finally:
        discard(unfinished)


def initdb_arguments(major: int) -> list[str]:
    """UTF-8, ordered by code point: no index depends on the machine's libraries.

    Whoever reaches the socket is trusted; only the owner of its directory does.
    """
    builtin = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
    return [
        *(f"--username={USER}", "--auth=trust", "--data-checksums", "--no-sync", "--no-instructions"),
        *("--encoding=UTF8", "--locale=C", *(builtin if major >= FIRST_WITH_BUILTIN_LOCALES else [])),
    ]


def sync_arguments(major: int) -> list[str]:
    return [f"--sync-method={sync_method()}"] if major >= FIRST_WITH_SYNC_METHODS else []


def create_database(setup: Setup, cluster_dir: Path) -> None:
    """By the single-user server: no socket, no client program, and no waiting for the disk yet (-F)."""
    options = ["--single", "-F", "-c", "exit_on_error=on"]
    setup.run("postgres", *options, "-D", cluster_dir, "template1", stdin=f"CREATE DATABASE {DATABASE}\n")


def remove_unfinished(data_dir: Path) -> None:
    """Remove what an interrupted start has left."""
    for unfinished in data_dir.glob(f"{UNFINISHED_PREFIX}*"):
        discard(unfinished)


def discard(unfinished: Path) -> None:
    """Remove it together with the processes that may still be writing there."""
    if unfinished.exists():
        end_orphans(unfinished)
        shutil.rmtree(unfinished, ignore_errors=True)  # what resists is met again at the next start
