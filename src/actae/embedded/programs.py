"""Running PostgreSQL's programs to their end."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from signal import SIGKILL

from actae.embedded.errors import PostgresFailedError
from actae.embedded.identity import Identity
from actae.embedded.launching import environment, launched


def run_program(identity: Identity, command: Sequence[str | Path], *, stdin: str = "") -> str:
    """Return what the program printed. Raises PostgresFailedError when it fails.

    It is killed at once if we die: what it was writing is disposable until it has finished.
    """
    done = subprocess.run(  # noqa: S603 - a list, no shell
        launched(identity.launch_as, command, death_signal=SIGKILL),
        input=stdin,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        cwd="/",  # PostgreSQL asks for its working directory, and ours may be closed to the identity
        env=environment(),
    )
    if done.returncode != 0:
        raise PostgresFailedError(
            f"{Path(command[0]).name}, run as {identity.description}, ended with status {done.returncode}.",
            last_lines(done.stdout + done.stderr),
        )
    return done.stdout


def last_lines(text: str, *, count: int = 15) -> str:
    return "\n".join(text.splitlines()[-count:])
