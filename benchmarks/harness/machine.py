"""What a figure must be read with: the machine, the versions, the day."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from actae.embedded.binaries import find_binaries
from benchmarks.harness.folders import cache_folder


@dataclass(frozen=True, kw_only=True)
class Machine:
    measured_on: str  # The day, UTC.
    processor: str
    cores: int
    memory_gb: int
    kernel: str
    file_system: str  # Of the folder that holds the databases.
    postgresql: str
    python: str

    def __str__(self) -> str:
        return (
            f"{self.processor}, {self.cores} cores, {self.memory_gb} GB; Linux {self.kernel}, "
            f"{self.file_system}; PostgreSQL {self.postgresql}, Python {self.python}; {self.measured_on}"
        )


def this_machine() -> Machine:
    return Machine(
        measured_on=f"{datetime.now(UTC):%Y-%m-%d}",
        processor=processor(),
        cores=os.cpu_count() or 1,
        memory_gb=round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        kernel=platform.release(),
        file_system=file_system(cache_folder()),
        postgresql=find_binaries().version,
        python=platform.python_version(),
    )


def processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.machine()


def file_system(folder: Path) -> str:
    """The type of the innermost mount that holds `folder`."""
    _, kind = max((point, kind) for point, kind in mounts() if folder.is_relative_to(point))
    return kind


def mounts() -> Iterator[tuple[Path, str]]:
    for line in Path("/proc/self/mounts").read_text().splitlines():
        _, point, kind, *_ = line.split()
        yield Path(point), kind
