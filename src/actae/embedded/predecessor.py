"""Clearing the way: whatever still runs in the cluster directory after our predecessor died.

All of this happens under the data directory's lock: a postmaster of ours met here has lost its supervisor.
"""

from pathlib import Path

from actae.embedded import postmaster_file
from actae.embedded.errors import DataDirectoryInUseError
from actae.embedded.processes import runs_postgres_in, was_started_by_actae
from actae.embedded.progress import Progress
from actae.embedded.shutdown import end_orphans, shut_down


def clear_the_way(cluster_dir: Path, progress: Progress) -> None:
    """Return when no PostgreSQL runs in `cluster_dir` and no `postmaster.pid` is left to mislead the next.

    Raises DataDirectoryInUseError when one runs there that Actae did not start.
    """
    left_behind = cluster_dir / postmaster_file.NAME
    if not left_behind.exists():
        return
    recorded = postmaster_file.read_postmaster_file(cluster_dir)
    if recorded and runs_postgres_in(recorded.pid, cluster_dir):
        end_predecessor(recorded.pid, cluster_dir, progress)
    end_orphans(cluster_dir)
    # PostgreSQL removes a stale file itself, but not when its pid has been given to another program since.
    left_behind.unlink(missing_ok=True)


def end_predecessor(pid: int, cluster_dir: Path, progress: Progress) -> None:
    """It was told to shut down when its supervisor died, and mostly has only to be waited for."""
    if not was_started_by_actae(pid):
        raise DataDirectoryInUseError(
            f"PostgreSQL (process {pid}), which Actae did not start, runs on {cluster_dir}. "
            f"Stop it with `kill -INT {pid}`, or choose another data directory."
        )
    shut_down(pid, lambda: not runs_postgres_in(pid, cluster_dir), progress)
