"""The directory of the Unix socket: private, because it is the only lock on the database's door."""

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_IMODE, S_ISDIR
from urllib.parse import quote

from actae.embedded.identity import Identity

USER = "actae"
DATABASE = "actae"
SOCKET_DIR_NAME = "socket"
PORT = 5432  # nobody listens on it; it only names the socket
PATH_BYTES_MAX = 103  # of the socket itself: the smallest limit among the systems we may meet
SEPARATORS = ',"'  # PostgreSQL and its clients read these as a list of directories


@contextmanager
def private_socket_dir(data_dir: Path, identity: Identity) -> Iterator[Path]:
    """`data_dir`/socket, or a directory with a short name under /tmp where that would not do.

    Holds the data directory's lock, so what a dead server left in there is removed: its lock file names a pid
    that may be somebody else's by now.
    """
    directory = choose(data_dir, identity)
    for leftover in directory.glob(".s.PGSQL.*"):
        leftover.unlink()
    try:
        yield directory
    finally:
        with suppress(OSError):
            directory.rmdir()


def choose(data_dir: Path, identity: Identity) -> Path:
    """The short name is made from the data directory's, so that restarts do not litter /tmp.

    Not under XDG_RUNTIME_DIR: that vanishes at logout, under a server that runs on.
    """
    inside = data_dir / SOCKET_DIR_NAME
    if is_usable(inside) and make_private(inside, identity):
        return inside
    digest = hashlib.sha256(os.fsencode(data_dir.resolve())).hexdigest()[:16]
    short = Path("/tmp", f"actae-{digest}")  # noqa: S108 - made private, or not used
    if make_private(short, identity):
        return short
    fresh = Path(tempfile.mkdtemp(prefix="actae-", dir="/tmp"))
    identity.take_over(fresh)
    return fresh


def is_usable(directory: Path) -> bool:
    path = os.fsencode(directory / f".s.PGSQL.{PORT}")
    return len(path) <= PATH_BYTES_MAX and not any(separator in str(directory) for separator in SEPARATORS)


def make_private(directory: Path, identity: Identity) -> bool:
    """True when `directory` is there and the identity's alone. One that exists is never changed."""
    with suppress(FileExistsError):
        directory.mkdir(mode=0o700)
        identity.take_over(directory)
    found = directory.lstat()
    owner = identity.owner[0] if identity.owner else os.geteuid()
    return S_ISDIR(found.st_mode) and S_IMODE(found.st_mode) == 0o700 and found.st_uid == owner


def make_dsn(socket_dir: Path, port: int = PORT) -> str:
    """Host and port are spelled out: a client would else take them from its environment."""
    return f"postgresql://{USER}@/{DATABASE}?host={quote(str(socket_dir))}&port={port}"
