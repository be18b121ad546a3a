"""What the kernel knows about processes: memory, and how much of the machine others use. Linux only."""

from __future__ import annotations

import time
from pathlib import Path

PROC = Path("/proc")


def resident_mb(pid: int) -> float:
    """Resident memory of a process and those it started, PostgreSQL's left out; in 10^6 bytes."""
    return sum(resident_bytes(member) for member in family(pid) if not is_postgres(member)) / 1e6


def resident_bytes(pid: int) -> int:
    status = (PROC / str(pid) / "status").read_text()
    kilobytes = next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:"))
    return 1024 * int(kilobytes)


def family(pid: int) -> list[int]:
    """A process, its children, theirs, and so on."""
    children = " ".join(task.read_text() for task in (PROC / str(pid) / "task").glob("*/children"))
    return [pid, *(member for child in children.split() for member in family(int(child)))]


def is_postgres(pid: int) -> bool:
    return (PROC / str(pid) / "comm").read_text().startswith("postgres")


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
