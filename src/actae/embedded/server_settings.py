"""How our PostgreSQL is set: for a laptop up to a modest server, with one application and many short writes.

Given on the command line, so that they follow the version of Actae and nothing on disk must be kept in step.
What is not named here keeps PostgreSQL's default; fsync, full_page_writes and synchronous_commit above all.
"""

from collections.abc import Mapping
from pathlib import Path

from actae.embedded.errors import ProtectedSettingError
from actae.embedded.processes import CLUSTER_NAME
from actae.embedded.socket_dir import PORT
from actae.embedded.sync_method import sync_method

DEFAULTS: Mapping[str, str] = {
    # Memory
    "shared_buffers": "128MB",  # touched only as far as there is data; the rest stays in the system's cache
    "huge_pages": "off",  # nothing to win at this size, and a failed attempt costs time at each start
    "max_connections": "100",  # several server processes with their pools, and a psql beside them
    # Writing
    "max_wal_size": "2GB",  # fewer checkpoints under load, so fewer full pages in the log
    "wal_compression": "off",  # it takes half a millisecond a page, which is more than the disk saves
    # Planning
    "random_page_cost": "1.1",  # solid state disks and a warm cache
    "jit": "off",  # compiling costs more than any of our queries
    "max_parallel_workers_per_gather": "0",  # short queries; also spares containers their small /dev/shm
    "max_parallel_maintenance_workers": "0",  # the same for index builds
    # Processes
    "max_logical_replication_workers": "0",  # saves a process that would wait for ever
    "update_process_title": "off",  # a write per statement that nobody reads
    "restart_after_crash": "on",  # one crashed session must not take the server with it
    # The log: facts about the server. What a statement carries is the caller's business, and may be secret.
    "logging_collector": "off",  # its standard error is the log file already
    "log_checkpoints": "off",  # a line every five minutes that only matters when tuning
    "log_min_error_statement": "panic",  # errors without their statements
    "log_error_verbosity": "terse",  # and without details, which quote values
    "log_timezone": "UTC",
    "timezone": "UTC",
}

SINCE_18: Mapping[str, str] = {
    "io_method": "sync",  # reads come from memory here; saves three processes
}

# The supervisor decides these alone: durability is Actae's promise, the rest is how it finds its server.
PROTECTED = frozenset(
    {
        *("fsync", "full_page_writes", "synchronous_commit", "zero_damaged_pages", "ignore_checksum_failure"),
        *(
            "cluster_name",
            "config_file",
            "data_directory",
            "external_pid_file",
            "hba_file",
            "listen_addresses",
        ),
        *("port", "recovery_init_sync_method", "unix_socket_directories", "unix_socket_permissions"),
    }
)


def setting_arguments(major: int, socket_dir: Path, overrides: Mapping[str, str]) -> list[str]:
    """The `-c name=value` arguments. Raises ProtectedSettingError for an override that is not allowed."""
    fixed = {
        "listen_addresses": "",
        "port": str(PORT),
        "unix_socket_directories": str(socket_dir),
        "unix_socket_permissions": "0700",
        "cluster_name": CLUSTER_NAME,
        "recovery_init_sync_method": sync_method(),
    }
    chosen = {**DEFAULTS, **(SINCE_18 if major >= 18 else {}), **allowed(overrides), **fixed}
    return [part for name, value in chosen.items() for part in ("-c", f"{name}={value}")]


def allowed(overrides: Mapping[str, str]) -> dict[str, str]:
    """The overrides under the names that PostgreSQL knows them by: it ignores case and takes `-` for `_`."""
    named = {name.lower().replace("-", "_"): value for name, value in overrides.items()}
    if refused := sorted(PROTECTED & named.keys()):
        raise ProtectedSettingError(
            f"{', '.join(refused)} cannot be changed for the embedded PostgreSQL: its durability, or the way "
            "to it, depends on that. Leave it out, or run a PostgreSQL of your own and give Actae its URL."
        )
    return named
