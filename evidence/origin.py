"""Where a report comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Mode = Literal["dry", "measured"]


@dataclass(frozen=True, kw_only=True)
class Origin:
    """What a reader needs to know before the first figure."""

    mode: Mode
    command: str
    """What reproduces it."""
    provenance: str = ""
    """When, where, with what, as a paragraph. A dry run has none: its bytes stay the same."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """The same for the figures."""
    remarks: tuple[str, ...] = ()
    """What else the page says about what it can show and what it cannot."""
