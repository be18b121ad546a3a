"""The invariants, put to a database by the same functions that `actae verify` runs."""

from actae.operations.verification import verify
from actae.store.database import Database


async def assert_whole(dsn: str) -> None:
    """Every invariant holds; no key was freed, so an operation that was handed out twice is found too."""
    db = await Database.connect(dsn, connections_max=1, read_timeout_seconds=60)
    try:
        report = await verify(db, keys_were_freed=False)
    finally:
        await db.close()
    assert report.is_whole, report.broken
