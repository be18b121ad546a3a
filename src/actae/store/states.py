"""State snapshots: rows to records."""

from datetime import datetime
from typing import NamedTuple

from actae.store.database import Session, Transaction
from actae.store.queries import query

_LATEST = query("load_latest_state")
_VERSION = query("load_state_version")
_VERSIONS = query("list_state_versions")
_DELETE = query("delete_state_version")
_POINT_HEAD = query("point_head_at_latest_state")
_SAVED_AT = query("get_saved_at")


class Snapshot(NamedTuple):
    """One snapshot; `state` is JSON as it was sent."""

    version: int
    cursor: int
    state: bytes
    saved_at: datetime


class SnapshotSummary(NamedTuple):
    """One snapshot without its state."""

    version: int
    cursor: int
    saved_at: datetime


async def load_latest_state(session: Session, channel_id: str) -> Snapshot | None:
    """The snapshot with the highest version."""
    row = await session.fetch_one(_LATEST, channel_id=channel_id)
    return None if row is None else Snapshot(*row)


async def load_state_version(session: Session, channel_id: str, version: int) -> Snapshot | None:
    """One snapshot by its number."""
    row = await session.fetch_one(_VERSION, channel_id=channel_id, version=version)
    return None if row is None else Snapshot(*row)


async def list_state_versions(
    session: Session, channel_id: str, *, skip: int, most: int
) -> list[SnapshotSummary]:
    """Newest first."""
    rows = await session.fetch(_VERSIONS, channel_id=channel_id, skip=skip, most=most)
    return [SnapshotSummary(*row) for row in rows]


async def delete_state_version(tx: Transaction, channel_id: str, version: int) -> bool:
    """Delete one snapshot and point the head, whose lock is held, at the latest that remains."""
    deleted = await tx.fetch_one(_DELETE, channel_id=channel_id, version=version)
    if deleted is not None:
        await tx.execute(_POINT_HEAD, channel_id=channel_id)
    return deleted is not None


async def get_saved_at(session: Session, channel_id: str, version: int) -> datetime | None:
    """When a snapshot was saved; None if it was deleted."""
    row = await session.fetch_one(_SAVED_AT, channel_id=channel_id, version=version)
    return None if row is None else row["saved_at"]
