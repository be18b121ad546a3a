"""How results look: tables for people, JSON for programs, progress on standard error.

Colours and tables come from rich, which honours NO_COLOR and leaves them out where nobody looks.
"""

import json
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

_WIDE = 4096  # for pipes, where a cut cell is a lost one
_BRIEF_CHARACTERS = 200

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")


def print_json(value: object) -> None:
    """One JSON document; indented where a person looks."""
    click.echo(
        json.dumps(value, indent=2 if sys.stdout.isatty() else None, ensure_ascii=False, default=_plain)
    )


def _plain(value: object) -> object:
    import msgspec

    return msgspec.to_builtins(value)


def console(width_min: int = 0) -> "Console":
    """Standard output for people, as wide as their terminal, or wider."""
    from rich.console import Console

    width = Console().width if sys.stdout.isatty() else _WIDE
    return Console(width=max(width, width_min), highlight=False, soft_wrap=False)


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    empty: str,
    numbers: Collection[str] = (),
) -> None:
    """A table, or a sentence where there is nothing to show; `numbers` are the columns that stand right."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold", justify="right" if column in numbers else "left")
    for row in rows:
        table.add_row(*(value if isinstance(value, Text) else Text(shown(value)) for value in row))
    if table.row_count:
        draw(table)
    else:
        click.echo(empty)


def draw(drawing: "RenderableType", *, width_min: int = 0) -> None:
    """Print what rich can draw, without the blanks that it puts at the ends of lines."""
    to = console(width_min)
    with to.capture() as drawn:
        to.print(drawing)
    click.echo("\n".join(line.rstrip() for line in drawn.get().splitlines()))


def shown(value: object) -> str:
    """A value as a person reads it, on one line, with nothing in it that a terminal would obey."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%SZ}"
    if isinstance(value, list | tuple):
        return " ".join(shown(each) for each in value) or "-"
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in str(value)
    )


def brief(value: object) -> str:
    """A value as JSON, cut where it grows long."""
    text = json.dumps(value, ensure_ascii=False)
    if len(text) > _BRIEF_CHARACTERS:
        text = f"{text[:_BRIEF_CHARACTERS]}… ({len(text):,} characters)"
    return shown(text)


def tell(sentence: str) -> None:
    """Tell a waiting person what goes on; programs that read standard error are left in peace."""
    if sys.stderr.isatty():
        click.echo(sentence, err=True)


@contextmanager
def progress(what: str, *, total: int | None = None) -> Iterator[Callable[[int], Any]]:
    """A bar on standard error, where a person sees it. The block calls what it gets with how much is done."""
    if not sys.stderr.isatty():
        yield lambda _done: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)
