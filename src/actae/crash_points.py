"""The moments where a crash matters, by name. In production reaching one does nothing."""

from collections.abc import Callable
from enum import StrEnum


class CrashPoint(StrEnum):
    """Each name is killed at least once by the crash tests."""

    BATCH_TAKEN = "batch_taken"
    BATCH_READ = "batch_read"
    BATCH_DECIDED = "batch_decided"
    BATCH_COMMITTED_NOT_ANSWERED = "batch_committed_not_answered"
    STORY_WRITTEN_NOT_COMMITTED = "story_written_not_committed"
    WAKEUP_WRITTEN_NOT_COMMITTED = "wakeup_written_not_committed"
    WAKEUP_COMMITTED_NOT_TOLD = "wakeup_committed_not_told"
    REMOVAL_WRITTEN_NOT_COMMITTED = "removal_written_not_committed"
    MIGRATION_WRITTEN_NOT_COMMITTED = "migration_written_not_committed"


def _nothing(_point: CrashPoint) -> None:
    pass


_act: Callable[[CrashPoint], None] = _nothing


def reach(point: CrashPoint) -> None:
    """Say that this moment is here."""
    _act(point)


def install(act: Callable[[CrashPoint], None]) -> None:
    """Put something in the place of nothing. Only the crash tests do."""
    global _act  # one process-wide hook is the whole idea
    _act = act
