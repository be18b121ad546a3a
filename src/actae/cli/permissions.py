"""Options that say what a key or a user may do."""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from actae.domain.access import Permissions

_MEANINGS = {
    "read": "May read channels like this.",
    "write": "May write to channels like this.",
    "delete": "May delete channels like this, and what is in them.",
    "admin": "May do everything on channels like this.",
    "observe": "May see what happened on channels like this, and not what it said.",
}


def permission_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds --read, --write, --delete, --admin, --observe, --everything and --nothing.

    The command gets them as `permissions`.
    """

    @wraps(command)
    def with_permissions(*args: Any, everything: bool, nothing: bool, **options: Any) -> Any:
        from actae.domain.access import EVERYTHING, Permissions

        chosen = {action: tuple(options.pop(action)) for action in _MEANINGS}
        if [everything, nothing, any(chosen.values())].count(True) != 1:
            raise click.UsageError(
                "Say what it may do: --everything, --nothing, or any of --read, --write, --delete, "
                "--admin and --observe with a pattern (`*`, `prefix*`, or a channel id)."
            )
        permissions = EVERYTHING if everything else Permissions(**chosen)
        return command(*args, permissions=permissions, **options)

    decorated: Callable[..., Any] = with_permissions
    for flag, meaning in (("--nothing", "May do nothing."), ("--everything", "May do everything.")):
        decorated = click.option(flag, is_flag=True, help=meaning)(decorated)
    for action, meaning in reversed(_MEANINGS.items()):
        decorated = click.option(f"--{action}", multiple=True, metavar="PATTERN", help=meaning)(decorated)
    return decorated


def permission_cells(permissions: "Permissions") -> tuple[object, ...]:
    """What a table shows of permissions, in the order of PERMISSION_COLUMNS."""
    return tuple(getattr(permissions, action) for action in _MEANINGS)


PERMISSION_COLUMNS = tuple(_MEANINGS)
