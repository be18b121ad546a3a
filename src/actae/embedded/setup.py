"""What is settled before anything runs on a data directory: which PostgreSQL, and as whom."""

from dataclasses import dataclass
from pathlib import Path

from actae.embedded.binaries import Binaries, find_binaries
from actae.embedded.errors import DataDirectoryUnusableError
from actae.embedded.identity import Identity, choose_identity
from actae.embedded.programs import run_program

CLUSTER_DIR_NAME = "postgres"


@dataclass(frozen=True)
class Setup:
    """One data directory, the programs that serve it, and the identity that they run under."""

    data_dir: Path
    binaries: Binaries
    identity: Identity

    @property
    def cluster_dir(self) -> Path:
        return self.data_dir / CLUSTER_DIR_NAME

    def run(self, program: str, *arguments: str | Path, stdin: str = "") -> str:
        """Run one of PostgreSQL's programs to its end. Raises PostgresFailedError when it fails."""
        return run_program(self.identity, [self.binaries.program(program), *arguments], stdin=stdin)


def settle(data_dir: Path) -> Setup:
    """Look at what is there and decide; nothing is changed.

    Raises BinariesNotFoundError, RootRefusedError, or DataDirectoryUnusableError for a directory that is not
    ours or holds something else.
    """
    cluster_dir = data_dir / CLUSTER_DIR_NAME
    try:
        binaries = find_binaries(major=cluster_major(cluster_dir))
        return Setup(data_dir, binaries, choose_identity(data_dir, cluster_dir))
    except PermissionError as refused:
        raise DataDirectoryUnusableError(
            f"{refused.filename} is closed to us. Run as the owner of {data_dir}, or choose another data "
            "directory."
        ) from refused


def cluster_major(cluster_dir: Path) -> int | None:
    """The PostgreSQL version that made the cluster, or None when there is none yet."""
    try:
        return int((cluster_dir / "PG_VERSION").read_text())
    except FileNotFoundError:
        if not cluster_dir.exists() or not any(cluster_dir.iterdir()):
            return None
    except (NotADirectoryError, ValueError):
        pass
    raise DataDirectoryUnusableError(
        f"{cluster_dir} holds something that is no PostgreSQL cluster. Move it away, or choose another data "
        "directory."
    )
