"""Facts that only the command line knows."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DatabaseUnreachable:
    """A connection of the pool could not be opened; it is tried again after a growing pause."""

    error: str


@dataclass(frozen=True, slots=True)
class VariableIgnored:
    """An `ACTAE_*` variable is set that nothing reads, perhaps for want of a letter."""

    variable: str
    resembles: str | None


@dataclass(frozen=True, slots=True)
class WorkerEnded:
    """A worker ended without being asked; another one takes its place after a pause."""

    worker: int
    pid: int
    exit_status: int
    pause_seconds: float
