"""Two states side by side, for people."""

from collections.abc import Mapping, Sequence
from typing import Any

import click

from actae.cli.output import brief, print_table

_STYLES = {"added": "green", "removed": "red", "changed": "yellow"}


def print_sides(found: Mapping[str, Any]) -> None:
    """Which channels these are, and where they went separate ways."""
    rows = [_side(found, "left"), _side(found, "right")]
    common = found["common"]
    if common is not None:
        rows.append(("in common", common["channel_id"], common["cursor"], None))
    columns = ("", "channel", "state at", "parted at")
    print_table(columns, rows, empty="", numbers=columns[2:])


def _side(found: Mapping[str, Any], side: str) -> tuple[object, ...]:
    return side, found[f"{side}_channel_id"], found[side]["cursor"], found[f"{side}_diverged_at_cursor"]


def print_differences(what: str, found: Mapping[str, Any]) -> None:
    """A line for each place at which the two sides differ in this, or a sentence that they do not."""
    from rich.text import Text

    rows = [
        (
            Text(each["kind"], style=_STYLES[each["kind"]]),
            pointer(each["path"]),
            None if each["kind"] == "added" else brief(each["left"]),
            None if each["kind"] == "removed" else brief(each["right"]),
        )
        for each in found["entries"]
    ]
    print_table((what, "path", "left", "right"), rows, empty=f"The {what}s are the same.")
    if found["truncated"]:
        click.echo(f"These are the first {len(rows):,} of {found['entry_count_total']:,} differences.")


def pointer(path: Sequence[str]) -> str:
    """A place in a document, as RFC 6901 writes it; the whole document is spelt out."""
    return "".join(f"/{each.replace('~', '~0').replace('/', '~1')}" for each in path) or "(everything)"
