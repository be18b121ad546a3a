"""The directory that holds everything durable, and how it is left."""

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from actae.embedded.processes import PROC, all_pids

_DESERTED_SECONDS = 10.0
_POLL_SECONDS = 0.02


@contextmanager
def workspace(data_dir: Path | None, *, keep: bool, name: str = "demo") -> Iterator[Path]:
    """A directory for everything durable: the caller's, which stays, or a new one, which goes unless kept.

    It is left when no process works in Actae's part of it any more.
    """
    if data_dir is None:
        directory = Path(tempfile.mkdtemp(prefix=f"actae-{name}-")).resolve()
    else:
        directory = data_dir.resolve()
        directory.mkdir(parents=True, exist_ok=True)
    try:
        yield directory
    finally:
        _wait_until_deserted(ledger_directory(directory))
        if data_dir is None and not keep:
            shutil.rmtree(directory)


def ledger_directory(directory: Path) -> Path:
    """Where, in a workspace, Actae keeps its data."""
    return directory / "ledger"


def _wait_until_deserted(directory: Path) -> None:
    """A server that ended in the middle of its start takes its PostgreSQL along, but a moment later."""
    deadline = time.monotonic() + _DESERTED_SECONDS
    while any(_works_in(pid, directory) for pid in all_pids()) and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)


def _works_in(pid: int, directory: Path) -> bool:
    try:
        return (PROC / str(pid) / "cwd").readlink().is_relative_to(directory)
    except OSError:  # it has ended, or is not ours to look at
        return False
