"""How a PostgreSQL program is started: through launcher.py, in a small environment of its own."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from signal import Signals

LAUNCHER = Path(__file__).with_name("launcher.py")
INHERITED = ("PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH")


def launched(launch_as: str, command: Sequence[str | Path], *, death_signal: Signals) -> list[str]:
    """The command line that runs `command` as launcher.py understands `launch_as`.

    The program gets `death_signal` when the calling thread ends, however it ends.
    """
    launcher = [sys.executable, "-I", "-S", LAUNCHER]
    how = [int(death_signal), os.getpid(), launch_as]
    return [str(part) for part in (*launcher, *how, *command)]


def environment() -> dict[str, str]:
    """Little is handed down: a PGPORT or PGDATA would steer PostgreSQL, and our secrets are not its business.

    A fixed language keeps the log readable by us; a fixed zone spares initdb the search for the local one.
    """
    kept = {name: os.environ[name] for name in INHERITED if name in os.environ}
    return {**kept, "LC_ALL": "C", "TZ": "UTC"}
