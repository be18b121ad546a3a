"""`actae restore`: a database out of a backup."""

from pathlib import Path

import click

from actae.cli.failures import CommandFailed
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

    It becomes an embedded PostgreSQL: the whole of it, or nothing. A backup that a newer Actae made, or none,
    is refused.
    """
    from actae.embedded import restore as read_backup
    from actae.settings import read_settings

    target = read_settings(data_dir=data_dir).data_dir
    _refuse_what_could_not_be_served(file)
    read_backup(target, file, progress=tell)
    if as_json:
        print_json({"file": str(file.absolute()), "data_dir": str(target.absolute())})
    else:
        click.echo(
            f"{target} holds what was in the file. `actae verify --data-dir {target}` looks at it, "
            f"`actae serve --data-dir {target}` serves it."
        )


def _refuse_what_could_not_be_served(file: Path) -> None:
    """By the migrations that it has had, which are a few lines of the file.

    Raises:
        CommandFailed: it holds no database of Actae's.
        MigrationError: it holds one that is newer than this Actae.
    """
    from actae.embedded.archive import read_table
    from actae.store.migrations import Ran, missing_after

    rows = read_table(file, "schema_migrations", ("version", "name", "checksum", "applied_at"))
    if rows is None:
        raise CommandFailed(
            f"{file} holds a database, but none of Actae's. Name a file that `actae backup` made."
        )
    applied = [Ran(int(version), name, checksum) for version, name, checksum, _ in rows]
    missing_after((each for each in applied if each.version > 0), whose=f"The database in {file}")
