"""Who works here."""

import getpass

from actae.cli.failures import CommandFailed


def login_name() -> str:
    """The name that this machine knows its user by.

    Raises:
        CommandFailed: it knows none.
    """
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        raise CommandFailed("This machine does not know who you are. Say so: --as.") from None
