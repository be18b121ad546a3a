"""Arguments of the wrong type, refused by name before anything is sent."""

from __future__ import annotations


def require(name: str, value: object, kind: type, *, or_none: bool = False) -> None:
    """Refuse what is not of the kind. True and False are no numbers. Raises TypeError."""
    is_number_by_accident = kind is int and isinstance(value, bool)
    if (isinstance(value, kind) and not is_number_by_accident) or (or_none and value is None):
        return
    raise TypeError(f"{name} must be {_ARTICLED.get(kind, kind.__name__)}, not {type(value).__name__}")


def require_number(name: str, value: object) -> None:
    """Refuse what is no int or float. Raises TypeError."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}")


_ARTICLED = {int: "an int", str: "a str", dict: "a dict", bool: "a bool"}
