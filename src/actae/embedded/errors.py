"""What can go wrong with our own PostgreSQL. Each message says what happened and what to do next.

EmbeddedError
├── BinariesNotFoundError        no PostgreSQL that we could run
├── DataDirectoryInUseError      another process owns the data directory
├── DataDirectoryUnusableError   the directory is there, but not for us or not in this state
├── RootRefusedError             we are root, and there is nobody else to run PostgreSQL as
├── ProtectedSettingError        a setting that the supervisor decides alone
├── PostgresFailedError          a PostgreSQL program ended badly; carries the last lines it wrote
└── BackupError                  a backup that could not be written, or is not one
"""


class EmbeddedError(Exception):
    """Our own PostgreSQL cannot be found, started or used."""


class BinariesNotFoundError(EmbeddedError):
    """No PostgreSQL on this machine fits."""


class DataDirectoryInUseError(EmbeddedError):
    """Another process owns the data directory."""


class DataDirectoryUnusableError(EmbeddedError):
    """The data directory belongs to somebody else, or does not hold what it should."""


class RootRefusedError(EmbeddedError):
    """PostgreSQL refuses to run as root, and this machine leaves us no other way."""


class ProtectedSettingError(EmbeddedError):
    """A setting that durability or the supervisor itself depends on was to be changed."""


class PostgresFailedError(EmbeddedError):
    """A PostgreSQL program ended badly."""

    def __init__(self, what_happened: str, last_lines: str) -> None:
        super().__init__(f"{what_happened} It last wrote:\n{last_lines.strip() or '(nothing)'}")
        self.last_lines = last_lines


class BackupError(EmbeddedError):
    """A backup could not be written, or a file is not a backup of Actae."""
