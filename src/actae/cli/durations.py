"""Durations as people write them."""

import re
from typing import Any

import click

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_FORM = re.compile(r"(\d+)([smhd])")


class Duration(click.ParamType[float]):
    """`90s`, `15m`, `12h` or `30d`, as seconds; within bounds that are written so too."""

    name = "duration"

    def __init__(self, *, least: str = "0s", most: str | None = None) -> None:
        self._least = least
        self._most = most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Seconds."""
        if isinstance(value, int | float):
            return float(value)
        seconds = _seconds(value)
        if seconds is None:
            self.fail(f"{value!r} is no duration. Write 90s, 15m, 12h or 30d.", param, ctx)
        if seconds < (_seconds(self._least) or 0):
            self.fail(f"{value} is too short: at least {self._least}.", param, ctx)
        if self._most is not None and seconds > (_seconds(self._most) or 0):
            self.fail(f"{value} is too long: at most {self._most}.", param, ctx)
        return float(seconds)


def _seconds(text: str) -> int | None:
    found = _FORM.fullmatch(text)
    return None if found is None else int(found[1]) * _SECONDS[found[2]]


def shown_duration(seconds: int) -> str:
    """The same way back, in the largest unit that leaves no rest."""
    unit, size = next(each for each in reversed(_SECONDS.items()) if seconds % each[1] == 0)
    return f"{seconds // size}{unit}"
