"""What became of an undoing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from actae_client._types.json import Json

WhyNotUndone: TypeAlias = Literal[
    "no_compensation",
    "still_running",
    "outcome_unknown",
    "compensation_failed",
    "undo_in_progress",
    "undo_outcome_unknown",
    "refused",
    "undo_refused",
    "late_evidence",
    "not_reached",
]
"""Why an effect was not undone.

==========================  =====================================================================
`no_compensation`           this process has none for the tool
`still_running`             somebody is at the effect itself
`outcome_unknown`           its worker was lost: whether it happened has to be found out first
`compensation_failed`       the compensation raised; the next undo tries it again
`undo_in_progress`          another process is undoing it; what came before it waits for that
`undo_outcome_unknown`      the compensation may have happened, and is not recorded
`refused`                   the ledger did not hand the compensation out
`undo_refused`              a guard did not: its tool is frozen, or a budget is spent
`late_evidence`             a worker reported an effect too late, which is not the one on record
`not_reached`               the undo stopped before
==========================  =====================================================================
"""


@dataclass(frozen=True, slots=True)
class Undone:
    """An effect whose compensation is on record. `was_before` says that an earlier undo recorded it."""

    execution_id: str
    key_name: str
    tool_name: str
    completed_cursor: int
    result: Json
    was_before: bool = False


@dataclass(frozen=True, slots=True)
class NotUndone:
    """An effect that stays as it is, and why. `completed_cursor` is None where nobody knows that it happened.

    `error` is what was raised, and no part of comparing two of them.
    """

    execution_id: str
    key_name: str
    tool_name: str
    completed_cursor: int | None
    reason: WhyNotUndone
    detail: str
    error: Exception | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class UndoReport:
    """What an undo did, in the order in which it went: the last effect first."""

    channel_id: str
    to_cursor: int
    undone: tuple[Undone, ...]
    not_undone: tuple[NotUndone, ...]

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left of what happened after the cursor, as far as the ledger can tell."""
        return not self.not_undone
