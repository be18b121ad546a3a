"""Durations as people write them."""

import re
from typing import Any

import click

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_FORM = re.compile(r"(\d+)([smhd])")


class Duration(click.ParamType[float]):
    """`90s`, `15m`, `12h` or `30d`, as seconds."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Seconds."""
        if isinstance(value, int | float):
            return float(value)
        found = _FORM.fullmatch(value)
        if found is None:
            self.fail(f"{value!r} is no duration. Write 90s, 15m, 12h or 30d.", param, ctx)
        return float(int(found[1]) * _SECONDS[found[2]])


def shown_duration(seconds: int) -> str:
    """The same way back, in the largest unit that leaves no rest."""
    unit, size = next(each for each in reversed(_SECONDS.items()) if seconds % each[1] == 0)
    return f"{seconds // size}{unit}"
