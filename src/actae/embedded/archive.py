"""A look into a backup that is not restored."""

from collections.abc import Sequence
from pathlib import Path

from actae.embedded.binaries import Binaries, find_binaries
from actae.embedded.errors import BackupError, PostgresFailedError
from actae.embedded.identity import OURSELVES
from actae.embedded.programs import run_program

_END = "\\."


def refuse_what_is_no_backup(binaries: Binaries, source_file: Path) -> None:
    """Reads the table of contents only; a file that was cut off shows while it is loaded."""
    _look(binaries, source_file, "--list")


def read_table(source_file: Path, name: str, columns: Sequence[str]) -> list[list[str]] | None:
    """The rows of a small table, each value as text; None where none is called so and has these columns.

    Nothing is started for it. A value with a tab or a line break comes escaped, as COPY writes it. Raises
    BackupError for a file that is no backup.
    """
    script = _look(find_binaries(), source_file, "--data-only", f"--table={name}", "--file=-")
    lines = script.splitlines()
    heading = f".{name} ({', '.join(columns)}) FROM stdin;"
    for place, line in enumerate(lines):
        if line.startswith("COPY ") and line.endswith(heading):
            rows = lines[place + 1 :]
            return [row.split("\t") for row in rows[: rows.index(_END)]]
    return None


def _look(binaries: Binaries, source_file: Path, *how: str) -> str:
    try:
        return run_program(OURSELVES, [binaries.program("pg_restore"), *how, source_file.absolute()])
    except PostgresFailedError as failed:
        raise BackupError(f"{source_file} is not a backup that PostgreSQL can read. {failed}") from failed
