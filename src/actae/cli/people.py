"""Who sits at this machine, as far as it knows."""

import getpass
import sys

import click

from actae.cli.failures import CommandFailed


def name_of_person(given: str | None, option: str) -> str:
    """What `option` says, or the login name where it is not used.

    Raises:
        click.BadParameter: it says nothing.
        CommandFailed: it is not used, and there is no login name.
    """
    if given is not None:
        if not given.strip():
            raise click.BadParameter("must not be empty", param_hint=option)
        return given
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        raise CommandFailed(f"This machine does not know who you are. Say so: {option}.") from None


def ask_to_go_on(question: str) -> None:
    """Return only after a yes.

    Raises:
        click.Abort: they do not want to.
        CommandFailed: nobody is there.
    """
    if not sys.stdin.isatty():
        raise CommandFailed("Nobody is there to be asked. Say --yes.")
    click.confirm(f"{question} Go on?", abort=True, err=True)
