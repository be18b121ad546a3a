"""Undoing effects: compensations, each an operation of the ledger itself."""

from actae_client.undo.compensations import Compensate, Compensation, Compensations
from actae_client.undo.plan import UndoPlan, read_plan
from actae_client.undo.report import NotUndone, Undone, UndoReport, WhyNotUndone

__all__ = [
    "Compensate",
    "Compensation",
    "Compensations",
    "NotUndone",
    "UndoPlan",
    "UndoReport",
    "Undone",
    "WhyNotUndone",
    "read_plan",
]
