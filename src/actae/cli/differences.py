"""Two states side by side, for people."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import click

from actae.cli.output import print_table, readable_json, shown

_BRIEF_CHARACTERS = 200


def print_sides(found: Mapping[str, Any]) -> None:
    """Which channels these are, and where they went separate ways."""
    rows = [_side(found, "left"), _side(found, "right")]
    common = found["common"]
    if common is not None:
        rows.append(("in common", common["channel_id"], common["cursor"], None))
    print_numbers(("", "channel", "state at", "parted at"), rows, words=("channel", ""))


def _side(found: Mapping[str, Any], side: str) -> tuple[object, ...]:
    return side, found[f"{side}_channel_id"], found[side]["cursor"], found[f"{side}_diverged_at_cursor"]


def print_differences(what: str, found: Mapping[str, Any]) -> None:
    """A line for each place at which the two sides differ in this, or a sentence that they do not."""
    rows = [
        (
            each["kind"],
            pointer(each["path"]),
            None if each["kind"] == "added" else brief(each["left"]),
            None if each["kind"] == "removed" else brief(each["right"]),
        )
        for each in found["entries"]
    ]
    columns = (what, "path", "left", "right")
    print_table(columns, rows, empty=f"The {what}s do not differ.", cut=columns[:0:-1])
    if found["truncated"]:
        click.echo(f"These are the first {len(rows):,} of {found['entry_count_total']:,} differences.")


def pointer(path: Sequence[str]) -> str:
    """A place in a document, as RFC 6901 writes it; the whole document is spelt out."""
    return "".join(f"/{each.replace('~', '~0').replace('/', '~1')}" for each in path) or "(everything)"


def brief(value: object) -> str:
    """A value as JSON, cut where it grows long."""
    text = readable_json(value)
    if len(text) > _BRIEF_CHARACTERS:
        text = f"{text[:_BRIEF_CHARACTERS]}… ({len(text):,} characters)"
    return text


def print_numbers(columns: Sequence[str], rows: Iterable[Sequence[object]], *, words: Sequence[str]) -> None:
    """A table in which the columns that are not `words` stand right. Words may be cut."""
    shown_rows = [[shown(value) for value in row] for row in rows]
    widths = [max(map(len, cells)) for cells in zip(columns, *shown_rows, strict=True)]

    def aligned(cells: Sequence[str]) -> list[str]:
        return [
            cell if column in words else cell.rjust(width)
            for column, cell, width in zip(columns, cells, widths, strict=True)
        ]

    print_table(aligned(columns), map(aligned, shown_rows), empty="", cut=words)
