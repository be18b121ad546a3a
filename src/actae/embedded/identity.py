"""As whom PostgreSQL runs: it refuses root, and we often are root, in a container above all."""

import os
import pwd
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from signal import SIGKILL

from actae.embedded.errors import DataDirectoryUnusableError, RootRefusedError
from actae.embedded.launching import launched

ROOT = 0
USER_NAMES = ("postgres", "actae")


@dataclass(frozen=True)
class Identity:
    """A way to run PostgreSQL.

    `launch_as` is what launcher.py understands; `owner` is the (uid, gid) that must own the directories
    PostgreSQL writes to, or None where that is ourselves.
    """

    launch_as: str
    description: str
    owner: tuple[int, int] | None = None

    def take_over(self, directory: Path) -> None:
        """Hand over a directory that we have just created."""
        if self.owner is not None:
            os.chown(directory, *self.owner)


OURSELVES = Identity("self", "ourselves")
IN_USER_NAMESPACE = Identity("user-namespace", "root without privileges, in a user namespace")


def choose_identity(
    data_dir: Path,
    cluster_dir: Path,
    *,
    our_uid: int | None = None,
    namespaces_work: Callable[[], bool] | None = None,
    user_names: Sequence[str] = USER_NAMES,
) -> Identity:
    """Decide for one data directory; where it exists, its owner has mostly decided already.

    Raises DataDirectoryUnusableError when the cluster is somebody else's, RootRefusedError when we are root
    and may neither open a user namespace nor find a user to become.
    """
    our_uid = os.geteuid() if our_uid is None else our_uid
    if our_uid != ROOT:
        refuse_a_foreign_cluster(cluster_dir, our_uid)
        return OURSELVES
    for directory in (cluster_dir, data_dir):
        if directory.exists() and directory.stat().st_uid != ROOT:
            return owner_of(directory)
    if cluster_dir.exists() or (namespaces_work or user_namespaces_work)():
        return IN_USER_NAMESPACE
    return existing_user(user_names)


def refuse_a_foreign_cluster(cluster_dir: Path, our_uid: int) -> None:
    owner = cluster_dir.stat().st_uid if cluster_dir.exists() else our_uid
    if owner != our_uid:
        raise DataDirectoryUnusableError(
            f"{cluster_dir} belongs to {user_name(owner)}, and we are {user_name(our_uid)}. "
            "Run as its owner, or choose another data directory."
        )


def owner_of(directory: Path) -> Identity:
    """Root serves the directory of an ordinary user as that user, who can still use it afterwards."""
    found = directory.stat()
    return switched_to(found.st_uid, found.st_gid)


def existing_user(names: Sequence[str]) -> Identity:
    for name in names:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return switched_to(entry.pw_uid, entry.pw_gid)
    raise RootRefusedError(
        "PostgreSQL refuses to run as root, this system refuses us a user namespace, and no user named "
        f"{' or '.join(names)} exists. Run as an ordinary user (with docker: --user 1000), create one of "
        "these users, or give Actae the database URL of a PostgreSQL that runs elsewhere."
    )


def switched_to(uid: int, gid: int) -> Identity:
    return Identity(f"{uid}:{gid}", user_name(uid), (uid, gid))


def user_name(uid: int) -> str:
    try:
        return f"user {pwd.getpwuid(uid).pw_name!r}"
    except KeyError:
        return f"user id {uid}"


def user_namespaces_work() -> bool:
    """Ask the kernel: containers and hardened systems refuse them in several ways.

    initdb also wants a name for the user that it sees there, mostly "nobody".
    """
    overflow_uid = int(Path("/proc/sys/kernel/overflowuid").read_text())
    if user_name(overflow_uid).startswith("user id"):
        return False
    probe = launched(IN_USER_NAMESPACE.launch_as, ["/bin/true"], death_signal=SIGKILL)
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0  # noqa: S603
