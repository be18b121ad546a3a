"""The four ways to remember that are compared."""

from __future__ import annotations

from enum import StrEnum


class Policy(StrEnum):
    """What an agent goes by when it is started again. Its value is its name in the report."""

    NO_RECORD = "no record"
    CHECKPOINT = "checkpoint"
    LEDGER = "ledger"
    RECONCILING = "ledger, reconciling"
