"""What the checklist of a channel asks beside its operations: rows to records."""

from actae.domain.checklist import SeenSnapshot
from actae.store.database import Session
from actae.store.queries import query

_LAPSED = query("list_lapsed_keys")
_EVIDENCE = query("list_keys_with_evidence")
_SNAPSHOTS = query("list_snapshot_origins")
_CHANNELS = query("list_channels_like")


async def list_lapsed_keys(session: Session, channel_id: str) -> set[str]:
    """Key digests of the operations that are running past their lease."""
    rows = await session.fetch(_LAPSED, channel_id=channel_id)
    return {row["key_digest"].replace("-", "") for row in rows}


async def list_keys_with_evidence(session: Session, channel_id: str) -> dict[str, int]:
    """Key digests of the operations that somebody reported on too late, each with the first such event."""
    rows = await session.fetch(_EVIDENCE, channel_id=channel_id)
    return {row["key_digest"].replace("-", ""): row["cursor"] for row in rows}


async def list_snapshots(session: Session, channel_id: str, *, most: int) -> list[SeenSnapshot]:
    """The newest snapshots."""
    rows = await session.fetch(_SNAPSHOTS, channel_id=channel_id, most=most)
    return [
        SeenSnapshot(version=row["version"], cursor=row["cursor"], is_with_event=row["is_with_event"])
        for row in rows
    ]


async def list_channels_like(
    session: Session, pattern: str, *, readable: list[str] | None, after: str, most: int
) -> list[str]:
    """Ids of the channels that match a LIKE pattern, in their order."""
    rows = await session.fetch(_CHANNELS, pattern=pattern, readable=readable, after=after, most=most)
    return [row["channel_id"] for row in rows]
