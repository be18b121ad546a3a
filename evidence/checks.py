"""What must hold for a report to be believed. A check that fails is shown, and fails the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Check:
    """A sentence that must be true, and what was found."""

    claim: str
    found: str
    holds: bool

    def to_json(self) -> dict[str, Any]:
        """For the report."""
        return asdict(self)


def checks_page(checks: Sequence[Check]) -> str:
    """One line each."""
    return "\n".join(
        f"- {'holds' if check.holds else '**does not hold**'}: {check.claim} ({check.found})"
        for check in checks
    )
