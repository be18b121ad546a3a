"""How far a session has come."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

CURSORS_KEPT = 1000
_UNKNOWN = 0


class Progress:
    """The steps of a session: how many there are, and at which cursor each one stands.

    A step that was inherited, or recorded by another process, may stand at a place that is not
    known here; its cursor is 0.
    """

    def __init__(self, cursors: Iterable[int] = ()) -> None:
        self.cursors: list[int] = list(cursors)

    @classmethod
    def at_step(cls, step_number: int) -> Progress:
        """So many steps, recorded elsewhere."""
        return cls([_UNKNOWN] * step_number)

    @classmethod
    def from_metadata(cls, stored: Mapping[str, Any] | None) -> Progress:
        """What a session has written about itself. What anybody else wrote there is ignored.

        A long list of cursors is kept without its beginning: its end belongs to the last step. A
        fork that has not stepped yet stands at the step where it was forked.
        """
        stored = stored or {}
        cursors = [each for each in _list(stored.get("cursors")) if isinstance(each, int)]
        count = max(_count(stored.get("step_count")), forked_at_step(stored) or 0)
        return cls([*[_UNKNOWN] * (count - len(cursors)), *cursors])

    @property
    def count(self) -> int:
        """How many steps there are; the next one has this number plus one."""
        return len(self.cursors)

    def add(self, cursor: int) -> None:
        """One more step was recorded."""
        self.cursors.append(cursor)

    def place(self, step_number: int, cursor: int) -> None:
        """A step stands at this cursor; those before it exist as well."""
        self.reach(step_number)
        self.cursors[step_number - 1] = cursor

    def reach(self, step_number: int) -> None:
        """There are at least so many steps. There are never fewer than were known before."""
        self.cursors.extend([_UNKNOWN] * (step_number - self.count))

    def cursor_of(self, step_number: int) -> int | None:
        """Where a step stands on the session's own channel, None if that is not known."""
        if not 1 <= step_number <= self.count:
            return None
        return self.cursors[step_number - 1] or None

    def step_at(self, cursor: int) -> int | None:
        """The step that stands at a cursor, None if that is not known; the inverse of `cursor_of`."""
        places = {place: number for number, place in enumerate(self.cursors, 1) if place != _UNKNOWN}
        return places.get(cursor)

    def to_metadata(self) -> dict[str, Any]:
        """What is written about it: the count, and the cursors of the last steps."""
        kept = self.cursors[-CURSORS_KEPT:]
        described: dict[str, Any] = {
            "step_count": self.count,
            "cursors": kept,
            "cursors_stored": len(kept),
        }
        if len(kept) < self.count:
            described["cursors_warning"] = (
                f"cursors are those of the last {len(kept)} of {self.count} steps; "
                "the step index of the channel has all of them"
            )
        return described


def forked_at_step(stored: Mapping[str, Any] | None) -> int | None:
    """The step at which a session was forked, None if it was not."""
    return _count((stored or {}).get("forked_at_step")) or None


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
