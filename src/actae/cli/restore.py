"""`actae restore`: a database out of a backup."""

from pathlib import Path

import click

from actae.cli.output import json_option, print_json, tell


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option(
    "--data-dir",
    type=click.Path(path_type=Path, file_okay=False),
    help="A new or an empty directory.  [ACTAE_DATA_DIR, ./actae-data]",
)
@json_option
def restore(file: Path, data_dir: Path | None, as_json: bool) -> None:
    """Make a database out of a backup.

    It becomes an embedded PostgreSQL: the whole of it, or nothing.
    """
    from actae.embedded import restore as read_backup
    from actae.settings import read_settings

    target = read_settings(data_dir=data_dir).data_dir
    read_backup(target, file, progress=tell)
    if as_json:
        print_json({"file": str(file.absolute()), "data_dir": str(target.absolute())})
    else:
        click.echo(
            f"{target} holds what was in the file. `actae verify --data-dir {target}` looks at it, "
            f"`actae serve --data-dir {target}` serves it."
        )
