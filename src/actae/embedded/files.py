"""Files and directories that we make beside the cluster."""

import os
from pathlib import Path

from actae.embedded.errors import DataDirectoryUnusableError
from actae.embedded.identity import ROOT, Identity


def prepare_data_dir(data_dir: Path, identity: Identity) -> None:
    """Create it, private to the identity, where it is missing. One that exists is used as it is."""
    try:
        data_dir.mkdir(mode=0o700, parents=True)
    except FileExistsError:
        if not data_dir.is_dir():
            raise DataDirectoryUnusableError(f"{data_dir} is not a directory.") from None
    except OSError as refused:
        raise DataDirectoryUnusableError(
            f"Cannot create the data directory {data_dir}: {refused.strerror}. Choose another one."
        ) from refused
    else:
        identity.take_over(data_dir)


def open_in(directory: Path, name: str, flags: int) -> int:
    """A descriptor of a private file, created where missing, for the owner of the directory.

    Root may serve an ordinary user's directory; the user must be able to open the file afterwards.
    """
    try:
        descriptor = os.open(directory / name, flags | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError as refused:
        raise DataDirectoryUnusableError(
            f"Cannot open {directory / name}: {refused.strerror}. Run as the owner of {directory}, or choose "
            "another data directory."
        ) from refused
    owner = directory.stat()
    if os.geteuid() == ROOT != owner.st_uid:
        os.fchown(descriptor, owner.st_uid, owner.st_gid)
    return descriptor


def fsync_directory(directory: Path) -> None:
    """Make the names in `directory` durable: a rename is not, until this."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
