"""`actae backup`: a whole database in one file."""

from pathlib import Path

import click

from actae.cli.database import Place, database_options, reachable, refuse_what_is_not_ours
from actae.cli.output import json_option, print_json, tell


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@database_options
@json_option
def backup(file: Path, place: Place, as_json: bool) -> None:
    """Write a copy of a database to FILE.

    All of one moment, while servers may go on writing. The file is readable by its owner only, and
    `actae restore` brings it back. A database that is newer than this Actae is copied as well: a newer one
    restores it.
    """
    from actae.embedded import backup as write_backup

    with reachable(place) as dsn:
        _warn_of_another_version(dsn)
        write_backup(dsn, file, progress=tell)
    size = file.stat().st_size
    if as_json:
        print_json({"file": str(file.absolute()), "bytes": size})
    else:
        click.echo(f"{file} holds the database, in {size:,} bytes.")


def _warn_of_another_version(dsn: str) -> None:
    """A copy is whole whoever makes it, and may be wanted most when two versions do not fit."""
    from actae.store.migrations import ForeignPastError

    try:
        refuse_what_is_not_ours(dsn)
    except ForeignPastError as error:
        click.echo(f"{error.finding} The copy is whole, and for the Actae that it belongs to.", err=True)
