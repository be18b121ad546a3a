"""Our own PostgreSQL: finds the programs, makes a cluster, starts it, watches it and stops it.

`EmbeddedPostgres` owns a data directory and the server in it; `attach` finds one that another process runs;
`backup` and `restore` move its content through one file.
"""

from actae.embedded.attaching import attach
from actae.embedded.backup import backup, restore
from actae.embedded.binaries import Binaries, find_binaries
from actae.embedded.errors import (
    BackupError,
    BinariesNotFoundError,
    DataDirectoryInUseError,
    DataDirectoryUnusableError,
    EmbeddedError,
    PostgresFailedError,
    ProtectedSettingError,
    RootRefusedError,
)
from actae.embedded.supervisor import EmbeddedPostgres

__all__ = [
    "BackupError",
    "Binaries",
    "BinariesNotFoundError",
    "DataDirectoryInUseError",
    "DataDirectoryUnusableError",
    "EmbeddedError",
    "EmbeddedPostgres",
    "PostgresFailedError",
    "ProtectedSettingError",
    "RootRefusedError",
    "attach",
    "backup",
    "find_binaries",
    "restore",
]
