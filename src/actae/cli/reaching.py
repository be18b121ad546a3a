"""What is said when a database cannot be reached."""

from collections.abc import Iterator
from contextlib import contextmanager

from actae.cli.failures import CommandFailed
from actae.settings import SecretUrl


@contextmanager
def reaching(dsn: str) -> Iterator[None]:
    """In the block the network speaks only of this database.

    Raises:
        CommandFailed: it cannot be reached.
    """
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error) or type(error).__name__
        raise CommandFailed(f"The database {SecretUrl(dsn).masked()} cannot be reached: {reason}.") from error
