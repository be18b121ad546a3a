"""`actae backup`: a whole database in one file."""

from pathlib import Path

import click

from actae.cli.database import Place, database_options, reachable
from actae.cli.output import json_option, print_json, tell


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@database_options
@json_option
def backup(file: Path, place: Place, as_json: bool) -> None:
    """Write a copy of a database to FILE.

    All of one moment, while servers may go on writing. The file is readable by its owner only, and
    `actae restore` brings it back.
    """
    from actae.embedded import backup as write_backup

    with reachable(place) as dsn:
        write_backup(dsn, file, progress=tell)
    size = file.stat().st_size
    if as_json:
        print_json({"file": str(file.absolute()), "bytes": size})
    else:
        click.echo(f"{file} holds the database, in {size:,} bytes.")
