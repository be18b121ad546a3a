"""`postmaster.pid`: what a running PostgreSQL says of itself in its data directory."""

from dataclasses import dataclass
from pathlib import Path

NAME = "postmaster.pid"


@dataclass(frozen=True)
class PostmasterFile:
    """The lines that matter. `status` is `starting`, `ready`, `stopping` or, while it is written, empty."""

    pid: int
    port: int
    socket_dir: Path
    status: str


def read_postmaster_file(cluster_dir: Path) -> PostmasterFile | None:
    """None when there is none, or when it is too short to say anything yet."""
    try:
        lines = (cluster_dir / NAME).read_text(errors="replace").splitlines()
    except FileNotFoundError:
        return None
    lines += [""] * (8 - len(lines))
    pid, _data_dir, _started_at, port, socket_dir, _address, _shared_memory, status = lines[:8]
    if not pid.isdecimal():
        return None
    return PostmasterFile(int(pid), int(port) if port.isdecimal() else 0, Path(socket_dir), status.strip())
