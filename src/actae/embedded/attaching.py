"""Finding a server that another process runs."""

from pathlib import Path

from actae.embedded.errors import DataDirectoryUnusableError
from actae.embedded.postmaster_file import read_postmaster_file
from actae.embedded.processes import runs_postgres_in
from actae.embedded.setup import CLUSTER_DIR_NAME
from actae.embedded.socket_dir import make_dsn


def attach(data_dir: Path) -> str | None:
    """The DSN of the PostgreSQL that another process, such as `actae serve`, runs on `data_dir`; else None.

    Only reads, and takes no lock. The server lives as long as its own supervisor, not as long as we do.
    """
    cluster_dir = data_dir.absolute() / CLUSTER_DIR_NAME
    try:
        running = read_postmaster_file(cluster_dir)
    except PermissionError as refused:
        raise DataDirectoryUnusableError(
            f"{cluster_dir} is closed to us. Run as the user whose server uses it."
        ) from refused
    if running is None or running.status != "ready" or not runs_postgres_in(running.pid, cluster_dir):
        return None
    return make_dsn(running.socket_dir, running.port)
