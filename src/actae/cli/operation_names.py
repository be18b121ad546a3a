"""How a command names an operation."""

from collections.abc import Iterator
from contextlib import contextmanager

from actae.cli.failures import CommandFailed
from actae.cli.printable import printable


@contextmanager
def naming(place: str, key_name: str | None) -> Iterator[str]:
    """The id that was given, or that of a channel's key. Where there is none, what was typed is named.

    Raises:
        InvalidRequestError, CommandFailed
    """
    from actae.cli.remote import checked_channel
    from actae.domain import errors, executions
    from actae.transport.fields import split_execution_id
    from actae_client.errors import ExecutionNotFoundError

    shown = printable(place)
    try:
        if key_name is None:
            split_execution_id(place)
            yield place
        else:
            yield executions.execution_id(checked_channel(place), executions.digest_key(key_name))
    except errors.ExecutionNotFoundError:
        raise CommandFailed(f"{shown!r} is no id of an operation. Give one, or CHANNEL KEY.") from None
    except ExecutionNotFoundError:
        if key_name is None:
            raise CommandFailed(
                f"No operation has the id {shown!r}; `actae executions list` has them."
            ) from None
        raise CommandFailed(
            f"Channel {shown!r} has no operation with the key {printable(key_name)!r}, if there is such a "
            f"channel: `actae executions list {shown}` shows its keys."
        ) from None
