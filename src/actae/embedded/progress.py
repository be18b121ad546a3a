"""Telling a waiting person what takes so long."""

from collections.abc import Callable

Progress = Callable[[str], None]


def silent(sentence: str) -> None:
    """For callers with nobody to tell."""
