"""Who sits at this machine, as far as it knows."""

import getpass

from actae.cli.failures import CommandFailed


def login_name(option: str) -> str:
    """The login name; where there is none, `option` is what has to be said.

    Raises:
        CommandFailed
    """
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        raise CommandFailed(f"This machine does not know who you are. Say so: {option}.") from None
