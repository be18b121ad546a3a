"""What the kernel knows about processes: memory, and how much of the machine others use. Linux only."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


def resident_mb(pid: int) -> float:
    """Resident memory of a process and those it started, PostgreSQL's left out; in 10^6 bytes."""
    pages = sum(int(member.statm[1]) for member in family(pid) if not member.is_postgres)
    return pages * PAGE_BYTES / 1e6


@dataclass(frozen=True)
class Cpu:
    """CPU seconds, user and system."""

    servers: float
    postgres: float

    def __sub__(self, earlier: Cpu) -> Cpu:
        return Cpu(self.servers - earlier.servers, self.postgres - earlier.postgres)


def cpu_seconds(pids: Iterable[int]) -> Cpu:
    """What these processes and those they started have used so far, those included that have ended."""
    members = [member for pid in pids for member in family(pid)]
    return Cpu(
        servers=sum(member.cpu_seconds for member in members if not member.is_postgres),
        postgres=sum(member.cpu_seconds for member in members if member.is_postgres),
    )


@dataclass(frozen=True)
class Process:
    """A process as proc(5) describes it at one moment."""

    name: str
    stat: Sequence[str]  # The fields after the name: state, ppid …
    statm: Sequence[str]

    @property
    def is_postgres(self) -> bool:
        return self.name.startswith("postgres")

    @property
    def cpu_seconds(self) -> float:
        """User and system time, and that of children which have ended."""
        return sum(int(ticks) for ticks in self.stat[11:15]) / TICKS_PER_SECOND


def family(pid: int) -> Iterator[Process]:
    """A process, its children, theirs, and so on; whoever ends while we look is left out."""
    folder = PROC / str(pid)
    try:
        name, _, fields = (folder / "stat").read_text().partition("(")[2].rpartition(")")
        children = " ".join(task.read_text() for task in (folder / "task").glob("*/children")).split()
        statm = (folder / "statm").read_text().split()
    except OSError:
        return
    yield Process(name, fields.split(), statm)
    for child in children:
        yield from family(int(child))


def busy_share(seconds: float) -> float:
    """How much of the machine is in use while we wait: 0 is idle, 1 is every core."""

    def jiffies() -> tuple[int, int]:
        fields = [int(field) for field in (PROC / "stat").read_text().splitlines()[0].split()[1:9]]
        idle, iowait = fields[3], fields[4]
        return idle + iowait, sum(fields)

    idle_before, all_before = jiffies()
    time.sleep(seconds)
    idle_after, all_after = jiffies()
    return 1 - (idle_after - idle_before) / max(1, all_after - all_before)
