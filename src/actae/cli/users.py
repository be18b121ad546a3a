"""`actae users`: people who sign in to the console."""

import sys
from typing import TYPE_CHECKING

import click

from actae.cli.database import Place, database_options, run_on_database
from actae.cli.failures import CommandFailed
from actae.cli.output import json_option, print_json, print_table
from actae.cli.permissions import PERMISSION_COLUMNS, permission_cells, permission_options

if TYPE_CHECKING:
    from actae.domain.access import Permissions
    from actae.domain.accounts import User

_COLUMNS = ("email", "name", *PERMISSION_COLUMNS, "created", "id")


@click.group()
def users() -> None:
    """Make, list, change and remove accounts.

    Directly in the database: who can reach it needs no key.
    """


@users.command()
@click.argument("email")
@click.option("--name", help="What to call them.")
@permission_options
@click.option(
    "--password-stdin", is_flag=True, help="Read the password from standard input instead of asking."
)
@database_options
@json_option
def create(
    email: str,
    name: str | None,
    permissions: "Permissions",
    password_stdin: bool,
    place: Place,
    as_json: bool,
) -> None:
    """Make an account. Asks for its password."""
    from actae.operations.accounts import create_user

    if password_stdin:
        password = sys.stdin.readline().rstrip("\r\n")
    else:
        password = click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
    _show(run_on_database(place, lambda db: create_user(db, email, password, permissions, name)), as_json)


@users.command("list")
@database_options
@json_option
def list_(place: Place, as_json: bool) -> None:
    """Show all accounts."""
    from actae.operations.accounts import list_users

    found = run_on_database(place, list_users)
    if as_json:
        print_json(found)
    else:
        print_table(
            _COLUMNS, map(_row, found), empty="There are no accounts. `actae users create` makes one."
        )


@users.command()
@click.argument("email")
@permission_options
@database_options
@json_option
def permit(email: str, permissions: "Permissions", place: Place, as_json: bool) -> None:
    """Replace what somebody may do."""
    from actae.operations.accounts import set_user_permissions

    user = run_on_database(place, lambda db: set_user_permissions(db, email, permissions))
    if user is None:
        raise _unknown(email)
    _show(user, as_json)


@users.command()
@click.argument("email")
@database_options
@json_option
def delete(email: str, place: Place, as_json: bool) -> None:
    """Remove an account; who is signed in with it is signed out within a second."""
    from actae.operations.accounts import delete_user

    if not run_on_database(place, lambda db: delete_user(db, email)):
        raise _unknown(email)
    if as_json:
        print_json({"email": email, "status": "deleted"})
    else:
        click.echo(f"{email} is removed.")


def _show(user: "User", as_json: bool) -> None:
    if as_json:
        print_json(user)
    else:
        print_table(_COLUMNS, [_row(user)], empty="")


def _row(user: "User") -> tuple[object, ...]:
    return (user.email, user.name, *permission_cells(user.permissions), user.created_at, user.user_id)


def _unknown(email: str) -> CommandFailed:
    return CommandFailed(f"No account has the email {email}. `actae users list` shows them.")
