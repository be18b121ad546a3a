"""Permissions as five columns, and back."""

from actae.domain.access import Permissions
from actae.store.database import Row


def to_columns(permissions: Permissions) -> dict[str, object]:
    """The five lists by the names of their columns."""
    return {
        "read_patterns": permissions.read,
        "write_patterns": permissions.write,
        "delete_patterns": permissions.delete,
        "admin_patterns": permissions.admin,
        "observe_patterns": permissions.observe,
    }


def from_columns(row: Row) -> Permissions:
    """The permissions of a key's or a user's row."""
    return Permissions(
        read=tuple(row["read_patterns"]),
        write=tuple(row["write_patterns"]),
        delete=tuple(row["delete_patterns"]),
        admin=tuple(row["admin_patterns"]),
        observe=tuple(row["observe_patterns"]),
    )
