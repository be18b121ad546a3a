"""Lays a table out in the room that there is. No cell is broken inside a word unless its column allows it."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len, set_cell_size

GAP: Final = "  "
CUT_CELLS_MIN: Final = 12  # shorter than that, a cell is recognised no more
WRAPPED_CELLS_MIN: Final = 24
RULE_CELLS_MAX: Final = 80  # where the room is endless; a longer one rules nothing


@dataclass(frozen=True)
class Drawn:
    """The lines of a table; the heading may be absent."""

    heading: str | None
    lines: Sequence[str]
    is_cut: bool = False


def draw(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    room: int | None,
    cut: Sequence[str] = (),
    wrapped: str | None = None,
) -> Drawn:
    """A table `room` cells wide; None is endless.

    What is too wide is cut in the columns named by `cut`, the first before the next, and wrapped at words in
    the last one, if that is `wrapped`. If it still does not fit, each row becomes a paragraph of names and
    values, which nothing cuts.
    """
    natural = [max(map(cell_len, cells)) for cells in zip(columns, *rows, strict=True)]
    widths = natural if room is None else _squeezed(columns, natural, room, cut, wrapped)
    if room is not None and _total(widths) > room and len(columns) > 1:
        return Drawn(None, _paragraphs(columns, rows))
    rule = "─" * min(_total(widths), RULE_CELLS_MAX if room is None else room)
    folds = wrapped is not None and widths[-1] < natural[-1]
    return Drawn(
        _line(columns, widths),
        [rule, *(line for row in rows for line in _lines(row, widths, folds=folds))],
        is_cut=any(natural[at] > widths[at] for at, name in enumerate(columns) if name in cut),
    )


def _squeezed(
    columns: Sequence[str], natural: Sequence[int], room: int, cut: Sequence[str], wrapped: str | None
) -> list[int]:
    widths = list(natural)
    for name in cut:
        at = columns.index(name)
        widths[at] -= min(max(0, _total(widths) - room), max(0, widths[at] - CUT_CELLS_MIN))
    if columns[-1] == wrapped:
        widths[-1] -= min(max(0, _total(widths) - room), max(0, widths[-1] - WRAPPED_CELLS_MIN))
    return widths


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(GAP) * (len(widths) - 1)


def _lines(row: Sequence[str], widths: Sequence[int], *, folds: bool) -> list[str]:
    if not folds:
        return [_line(row, widths)]
    first, *rest = textwrap.wrap(row[-1], widths[-1]) or [""]
    indent = " " * (_total(widths) - widths[-1])
    return [_line([*row[:-1], first], widths), *(indent + each for each in rest)]


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    """The last cell of a table of one column is never cut: a terminal folds it, and it can be copied."""
    if len(cells) == 1:
        return cells[0]
    return GAP.join(map(_fitted, cells, widths)).rstrip()


def _fitted(cell: str, width: int) -> str:
    return set_cell_size(cell, width) if cell_len(cell) <= width else set_cell_size(cell, width - 1) + "…"


def _paragraphs(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    paragraphs = [name_values(columns, row) for row in rows]
    return [line for paragraph in paragraphs for line in ("", *paragraph)][1:]


def name_values(names: Sequence[str], values: Sequence[str]) -> list[str]:
    """A value a line, behind its name; a terminal folds what is long."""
    width = max(map(cell_len, names))
    pairs = zip(names, values, strict=True)
    return [f"{set_cell_size(name, width)}{GAP}{value}".rstrip() for name, value in pairs if name or value]
