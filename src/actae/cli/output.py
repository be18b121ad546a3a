"""How results look: tables for people, JSON for programs, progress on standard error."""

import json
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from io import TextIOWrapper
from typing import Any

import click

from actae.cli.printable import printable

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")


def print_json(value: object) -> None:
    """One JSON document; indented where a person looks."""
    click.echo(as_json_text(value, indent=2 if sys.stdout.isatty() else None))


def as_json_text(value: object, *, indent: int | None = None) -> str:
    """In ASCII: every terminal and every locale can take it, and half a surrogate pair stays what it is."""
    return json.dumps(value, indent=indent, default=_plain)


def readable_json(value: object) -> str:
    """On one line, for people, in their own letters."""
    return json.dumps(value, ensure_ascii=False, default=_plain)


def _plain(value: object) -> object:
    import msgspec

    return msgspec.to_builtins(value)


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    empty: str,
    cut: Sequence[str] = (),
    wrapped: str | None = None,
) -> None:
    """A table, or a sentence where there is nothing to show.

    Where a terminal is too narrow, cells of the columns `cut` lose their ends, and the last column is
    wrapped if it is `wrapped`. In a pipe everything is whole.
    """
    from actae.cli.tables import draw

    cells = [[shown(value) for value in row] for row in rows]
    if not cells:
        click.echo(empty)
        return
    drawn = draw(columns, cells, room=_room(), cut=cut, wrapped=wrapped)
    if drawn.heading is not None:
        click.secho(drawn.heading, bold=True)
    for line in drawn.lines:
        click.echo(line)
    if drawn.is_cut:
        tell("What ends with … is cut at the width of the terminal; --json shows it whole.")


def print_record(values: Mapping[str, object]) -> None:
    """One thing, a value a line."""
    from actae.cli.tables import name_values

    for line in name_values(list(values), [shown(value) for value in values.values()]):
        click.echo(line)


def _room() -> int | None:
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def shown(value: object) -> str:
    """A value as a person reads it, on one line."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return f"{value.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    if isinstance(value, list | tuple):
        return printable(" ".join(str(each) for each in value)) or "-"
    return printable(str(value))


def shown_moment(moment: str | None) -> str:
    """A moment of a reply, in the form that all commands write: RFC 3339, to the second, in UTC."""
    return shown(None if moment is None else datetime.fromisoformat(moment))


def escape_what_cannot_be_written() -> None:
    """A character that is not in the encoding of standard output becomes an escape, and ends no command."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


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
