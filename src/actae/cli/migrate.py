"""`actae migrate`: brings a database up to date."""

import asyncio

import click

from actae.cli.database import Place, database_options, reachable
from actae.cli.output import json_option, print_json, print_table
from actae.cli.reaching import reaching


@click.command()
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@database_options
@json_option
def migrate(dry_run: bool, place: Place, as_json: bool) -> None:
    """Apply the migrations that a database lacks. `actae serve` does it too, at each start.

    A database that is newer than this Actae is refused, and nothing is changed.
    """
    from actae.store.migrations import migrate as apply

    with reachable(place) as dsn, reaching(dsn):
        missing = asyncio.run(apply(dsn, dry_run=dry_run))
    if as_json:
        migrations = [
            {"version": each.version, "name": each.name, "checksum": each.checksum} for each in missing
        ]
        print_json({"applied": not dry_run, "migrations": migrations})
        return
    rows = [(f"{each.version:04}", each.name, "missing" if dry_run else "applied") for each in missing]
    print_table(("migration", "name", ""), rows, empty="The database is up to date.")
