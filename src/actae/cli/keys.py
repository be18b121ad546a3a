"""`actae keys`: who may call the server."""

from typing import TYPE_CHECKING

import click

from actae.cli.database import Place, database_options, run_on_database
from actae.cli.durations import Duration
from actae.cli.failures import CommandFailed
from actae.cli.output import json_option, print_json, print_table, shown
from actae.cli.permissions import PERMISSION_COLUMNS, permission_cells, permission_options

if TYPE_CHECKING:
    from actae.domain.access import Permissions
    from actae.domain.api_keys import KeyInfo


@click.group()
def keys() -> None:
    """Make, list and revoke API keys.

    Directly in the database: who can reach it needs no key. Servers that run notice within a second.
    """


@keys.command()
@click.argument("name")
@permission_options
@click.option(
    "--expires-in", type=Duration(least="1s", most="3660d"), help="Such as 12h or 30d; never, if absent."
)
@database_options
@json_option
def create(
    name: str, permissions: "Permissions", expires_in: float | None, place: Place, as_json: bool
) -> None:
    """Make a key. Its secret is shown this once."""
    from actae.operations.api_keys import create_key

    key, secret = run_on_database(place, lambda db: create_key(db, name, permissions, expires_in))
    if as_json:
        print_json({"secret": secret, "key": key})
        return
    click.echo(secret)
    click.echo(f"{key.key_id} ({key.name}); the secret is kept nowhere, so keep it.", err=True)


@keys.command("list")
@database_options
@json_option
def list_(place: Place, as_json: bool) -> None:
    """Show all keys, also those that are good no more."""
    from actae.operations.api_keys import list_keys

    found = run_on_database(place, list_keys)
    if as_json:
        print_json(found)
        return
    columns = ("id", "name", *PERMISSION_COLUMNS, "created", "expires", "revoked")
    rows = [
        (
            key.key_id,
            key.name,
            *permission_cells(key.permissions),
            key.created_at,
            key.expires_at,
            key.revoked_at,
        )
        for key in found
    ]
    print_table(columns, rows, empty="There are no keys. `actae keys create` makes one.")


@keys.command()
@click.argument("key_id")
@database_options
@json_option
def revoke(key_id: str, place: Place, as_json: bool) -> None:
    """Refuse a key from now on. KEY_ID is the name that `actae keys list` shows, not the secret."""
    from actae.operations.api_keys import revoke_key

    key: KeyInfo | None = run_on_database(place, lambda db: revoke_key(db, key_id))
    if key is None:
        raise CommandFailed(f"No key has the id {key_id}. `actae keys list` shows them.")
    if as_json:
        print_json(key)
    else:
        click.echo(f"{key.key_id} ({key.name}) is refused since {shown(key.revoked_at)}.")
