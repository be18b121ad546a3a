"""The server's log file, and its last lines when something went wrong."""

import os
from dataclasses import dataclass
from pathlib import Path

from actae.embedded.files import open_in
from actae.embedded.programs import last_lines

LOG_NAME = "postgres.log"
LOG_BYTES_MAX = 10 * 1024 * 1024  # then it is set aside at the next start, and the one before it is dropped
TAIL_BYTES = 16 * 1024


@dataclass(frozen=True)
class ServerLog:
    """One start's part of the log. `descriptor` is open for appending; the opener closes it."""

    path: Path
    descriptor: int
    begins_at: int

    def tail(self) -> str:
        """The last lines of this start."""
        with self.path.open("rb") as log:
            log.seek(max(self.begins_at, self.path.stat().st_size - TAIL_BYTES))
            return last_lines(log.read().decode(errors="replace"))


def open_log(data_dir: Path) -> ServerLog:
    path = data_dir / LOG_NAME
    if path.exists() and path.stat().st_size > LOG_BYTES_MAX:
        path.replace(path.with_name(f"{LOG_NAME}.1"))
    descriptor = open_in(data_dir, LOG_NAME, os.O_WRONLY | os.O_APPEND)
    return ServerLog(path, descriptor, os.fstat(descriptor).st_size)
