"""Cursors that are given by the caller."""

from __future__ import annotations


def validate_cursor(cursor: int | None) -> int | None:
    """The cursor. Raises TypeError for anything but an int or None, ValueError for one below 0."""
    if cursor is None:
        return None
    if not isinstance(cursor, int) or isinstance(cursor, bool):
        raise TypeError(f"cursor must be an int, not {type(cursor).__name__}")
    if cursor < 0:
        raise ValueError(f"cursor is {cursor}; events are counted from 1, and 0 is before the first")
    return cursor
