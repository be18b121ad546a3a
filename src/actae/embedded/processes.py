"""What /proc knows of a process. A number in an old file proves nothing: pids are given out again."""

import os
from collections.abc import Iterator
from pathlib import Path

PROC = Path("/proc")
POSTGRES_NAMES = ("postgres", "postmaster")
CLUSTER_NAME = "actae"  # on the command line of every postmaster that we start, and of no other


def runs_postgres_in(pid: int, directory: Path) -> bool:
    """Whether `pid` is a PostgreSQL process that works in `directory`.

    Every one of them changes into its data directory before it touches anything there. The kernel compares
    the directories themselves, so links and renames do not confuse it. It may refuse the look at another
    user's process; the command line is open to all.
    """
    process = PROC / str(pid)
    try:
        if (process / "comm").read_text(errors="replace").strip() not in POSTGRES_NAMES:
            return False
        try:
            return os.path.samestat((process / "cwd").stat(), directory.stat())
        except PermissionError:
            return str(directory) in command_line(pid)
    except OSError:  # it, or the directory, is gone
        return False


def postgres_processes_in(directory: Path) -> list[int]:
    return [pid for pid in all_pids() if runs_postgres_in(pid, directory)]


def all_pids() -> Iterator[int]:
    return (int(entry) for entry in os.listdir(PROC) if entry.isdigit())  # noqa: PTH208 - names suffice


def was_started_by_actae(pid: int) -> bool:
    return f"cluster_name={CLUSTER_NAME}" in command_line(pid)


def command_line(pid: int) -> list[str]:
    return (PROC / str(pid) / "cmdline").read_text(errors="replace").split("\0")
