"""What can go wrong under a command, in one line."""

import sys
from typing import IO, Any

import click

from actae.cli.masking import mask_secrets
from actae.cli.printable import printable

# By module, so that nothing is loaded only to find out that it was not the cause.
_TOLD_AS_THEY_ARE = (
    ("actae.settings", "SettingsError"),
    ("actae.embedded.errors", "EmbeddedError"),
    ("actae.store.migrations", "MigrationError"),
    ("actae.domain.errors", "ActaeError"),
    ("actae_client.errors", "ActaeError"),
)
_NO_TABLES = ("UndefinedTableError", "UndefinedFunctionError")


class CommandFailed(click.ClickException):
    """The command could not do its work; exit code 1."""

    def show(self, file: IO[Any] | None = None) -> None:
        """One line on standard error."""
        sentence = printable(self.format_message(), kept="\n")
        click.echo(f"actae: {sentence}", file=file, err=file is None)


def explain(error: Exception) -> str | None:
    """What happened and what to do next; None for what nobody expected, which deserves its traceback."""
    if isinstance(error, click.ClickException | click.exceptions.Exit | click.Abort | BrokenPipeError):
        return None
    if any(_is(error, module, name) for module, name in _TOLD_AS_THEY_ARE):
        hint = getattr(error, "hint", None)
        return mask_secrets(f"{error} {hint}" if hint else str(error))
    if any(_is(error, "asyncpg", name) for name in _NO_TABLES):
        return (
            "The database lacks tables of this Actae. `actae migrate` makes them, and so does `actae serve`."
        )
    if _is(error, "asyncpg", "PostgresError") or _is(error, "asyncpg", "InterfaceError"):
        return mask_secrets(f"PostgreSQL refused: {error}.")
    cause = error.__cause__ if isinstance(error, ValueError) and error.__cause__ is not None else error
    if isinstance(cause, UnicodeEncodeError):  # an argument in another encoding than the terminal's
        return f"{cause.object[cause.start : cause.end]!r} is no text, so nothing can have it in its name."
    if isinstance(error, OSError):
        return mask_secrets(
            f"{error.strerror or error}{'' if error.filename is None else f': {error.filename}'}."
        )
    return None


def _is(error: Exception, module: str, name: str) -> bool:
    kind = getattr(sys.modules.get(module), name, None)
    return kind is not None and isinstance(error, kind)
