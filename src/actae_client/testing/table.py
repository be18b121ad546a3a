"""A matrix as text: a line for each place of death, a column for each kind of provider."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from actae_client.testing.matrix import Cell

_GAP = "  "


def draw(cells: Iterable[Cell]) -> str:
    """One table for each policy and behaviour."""
    groups: dict[tuple[str | None, str], list[Cell]] = {}
    for cell in cells:
        groups.setdefault((cell.policy, cell.behaviour), []).append(cell)
    return "\n\n".join("\n".join(_table(*about, group)) for about, group in groups.items())


def explain(cell: Cell) -> str:
    """One cell in a sentence: where, against whom, and what its provider counted amiss."""
    where = "not killed" if cell.boundary is None else f"killed at {cell.boundary}"
    amiss = [
        f"{effect.reference} {effect.applied} instead of {effect.expected}"
        for effect in cell.effects
        if effect.applied != effect.expected
    ]
    codes = ", ".join("too late" if code is None else str(code) for code in cell.exit_codes)
    said = "; ".join([outcome(cell), *amiss])
    policy = "" if cell.policy is None else f"{cell.policy}, "
    return f"{policy}{cell.provider}, {where}: {said} (run {cell.run_id}, ended with {codes})"


def outcome(cell: Cell) -> str:
    """What became of one cell, in words; `ok` when nothing is wrong with it."""
    wrong = []
    if cell.is_missed:
        wrong.append("not reached")
    if cell.duplicates:
        wrong.append(f"{cell.duplicates} too many")
    if cell.losses:
        wrong.append(f"{cell.losses} lost")
    if cell.stuck:
        wrong.append(f"{cell.stuck} stuck")
    if not cell.is_finished:
        wrong.append("gave up")
    return ", ".join(wrong) or "ok"


def _table(policy: str | None, behaviour: str, cells: list[Cell]) -> Iterator[str]:
    providers = list(dict.fromkeys(cell.provider for cell in cells))
    rows: dict[str, dict[str, Cell]] = {}
    for cell in cells:
        place = "(not killed)" if cell.boundary is None else str(cell.boundary)
        rows.setdefault(place, {})[cell.provider] = cell
    lines = [["killed at", *providers]]
    for place, found in rows.items():
        lines.append([place, *(_said(found.get(provider)) for provider in providers)])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    yield f"{'as written' if policy is None else policy}, the provider {_manner(behaviour)}:"
    for number, line in enumerate(lines):
        yield _GAP.join(word.ljust(width) for word, width in zip(line, widths, strict=True)).rstrip()
        if number == 0:
            yield "─" * (sum(widths) + len(_GAP) * (len(widths) - 1))


def _said(cell: Cell | None) -> str:
    if cell is None:
        return ""
    return f"{cell.calls} call{'' if cell.calls == 1 else 's'}, {outcome(cell)}"


def _manner(behaviour: str) -> str:
    return {
        "normal": "answers",
        "slow": "answers slowly",
        "drops_reply": "loses its first reply",
        "fails": "fails at first",
    }.get(behaviour, behaviour)
