"""How long ago, and how long still, in a person's words."""

from datetime import UTC, datetime
from typing import Final

_UNITS: Final = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))


def ago(moment: str) -> str:
    """`3 hours ago`, by the clock of this machine."""
    return f"{_span((datetime.now(UTC) - datetime.fromisoformat(moment)).total_seconds())} ago"


def left(moment: str) -> str:
    """`in 3 hours`, by the clock of this machine."""
    return f"in {_span((datetime.fromisoformat(moment) - datetime.now(UTC)).total_seconds())}"


def _span(seconds: float) -> str:
    """In the largest unit of which there are two; a clock that goes wrong makes no negative time."""
    whole = max(0, int(seconds))
    size, unit = next(((size, unit) for size, unit in _UNITS if whole >= 2 * size), _UNITS[-1])
    count = whole // size
    return f"{count} {unit}{'' if count == 1 else 's'}"
