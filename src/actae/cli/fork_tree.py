"""A tree of forks, drawn."""

import shutil
import sys
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from actae.cli.printable import printable

if TYPE_CHECKING:
    from actae_client import ForkInfo

_NAMES_CELLS_MIN = 24


def print_fork_tree(root: "ForkInfo") -> None:
    """One channel a line, with its names below; a terminal folds what is deeper than it is wide."""
    waiting = [(root, "", "")]
    while waiting:
        node, branch, indent = waiting.pop()
        place = "" if node is root else f"at cursor {node.forked_at_cursor:,}, "
        facts = f"  {place}{node.event_count:,} event{'' if node.event_count == 1 else 's'}"
        name = click.style(printable(node.channel_id), bold=True)
        click.echo(click.style(branch, dim=True) + name + click.style(facts, dim=True))
        for line in _names(node, len(indent)):
            click.echo(f"{click.style(indent, dim=True)}{line}")
        waiting += reversed(list(_below(node, indent)))


def _below(node: "ForkInfo", indent: str) -> "Iterator[tuple[ForkInfo, str, str]]":
    """The children, what stands before each, and what stands before everything below it."""
    for number, child in enumerate(node.children, 1):
        is_last = number == len(node.children)
        yield child, indent + ("└── " if is_last else "├── "), indent + ("    " if is_last else "│   ")


def _names(node: "ForkInfo", used: int) -> list[str]:
    """What people call it, and why it was made; nothing twice."""
    named = node.display_name if node.display_name != node.channel_id else None
    text = ": ".join(printable(each) for each in (named, node.reason) if each)
    if not sys.stdout.isatty():
        return [text] if text else []
    room = shutil.get_terminal_size().columns - used
    return textwrap.wrap(text, max(room, _NAMES_CELLS_MIN))
