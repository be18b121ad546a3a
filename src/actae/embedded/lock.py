"""One owner per data directory: an flock, which the kernel takes back when its holder dies, however."""

import fcntl
import json
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from actae.embedded.errors import DataDirectoryInUseError
from actae.embedded.files import open_in
from actae.embedded.waiting import wait_until

LOCK_NAME = "actae.lock"
# A killed process holds its locks until the kernel has taken it apart, and looks alive meanwhile: a restart
# right after a SIGKILL must not take it for a rival. The price: a real rival is refused this much later.
LETTING_GO_SECONDS = 1.5


@dataclass(frozen=True)
class Holder:
    """Who owns a data directory. `since` is a moment in UTC, ISO 8601."""

    pid: int
    command: str
    host: str
    since: str


@contextmanager
def owned(data_dir: Path) -> Iterator[None]:
    """Own `data_dir` until the block ends. Raises DataDirectoryInUseError, which tells who holds it.

    Programs that we start do not inherit the lock. A bare `os.fork()` does, and the directory then stays
    owned until the child has ended too.
    """
    lock = open_in(data_dir, LOCK_NAME, os.O_RDWR)
    try:
        if not wait_until(lambda: try_to_lock(lock), seconds=LETTING_GO_SECONDS):
            raise DataDirectoryInUseError(refusal(data_dir, read_holder(lock)))
        os.ftruncate(lock, 0)
        os.pwrite(lock, json.dumps(asdict(ourselves())).encode(), 0)
        yield
    finally:
        os.close(lock)


def try_to_lock(lock: int) -> bool:
    """True when the lock is ours now."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def read_holder(lock: int) -> Holder | None:
    """The file keeps its last holder's name; just after the next one has locked it, it may be empty."""
    try:
        return Holder(**json.loads(os.pread(lock, 4096, 0)))
    except (ValueError, TypeError):
        return None


def ourselves() -> Holder:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return Holder(pid=os.getpid(), command=our_command(), host=socket.gethostname(), since=now)


def our_command() -> str:
    """Program and subcommand; the options stay out, they might be secrets."""
    program, *arguments = sys.argv or [sys.executable]
    path = Path(program)
    name = path.parent.name if path.name == "__main__.py" else path.name
    subcommand = [argument for argument in arguments[:1] if not argument.startswith("-")]
    return " ".join([name, *subcommand])


def refusal(data_dir: Path, holder: Holder | None) -> str:
    if holder is None:
        return f"{data_dir} is in use by another process that has not written its name into {LOCK_NAME} yet."
    return (
        f"{data_dir} is in use by process {holder.pid} ({holder.command}) on {holder.host} "
        f"since {holder.since}. Use the server that runs there, stop it, or choose another data directory."
    )
