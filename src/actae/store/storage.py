"""Sizes: rows to records."""

from actae.domain.storage import ChannelSize, TableSize
from actae.store.database import Session
from actae.store.queries import query

_GET_DATABASE_BYTES = query("get_database_bytes")
_LIST_TABLES = query("list_table_sizes")
_GET_PAGE_COUNTS = query("get_page_counts")
_LIST_CHANNELS = query("list_largest_channels")


async def get_database_bytes(session: Session) -> int:
    """Everything in the database, the catalogue too."""
    row = await session.fetch_one(_GET_DATABASE_BYTES)
    assert row is not None, "a database has a size"
    size: int = row["bytes"]
    return size


async def list_tables(session: Session) -> list[TableSize]:
    """The largest first."""
    rows = await session.fetch(_LIST_TABLES)
    return [
        TableSize(name, None if estimate < 0 else estimate, table_bytes, index_bytes)
        for name, estimate, table_bytes, index_bytes in rows
    ]


async def get_page_counts(session: Session) -> tuple[int, int]:
    """How many pages events and snapshots take."""
    row = await session.fetch_one(_GET_PAGE_COUNTS)
    assert row is not None, "a select without a from has a row"
    return row["events"], row["states"]


async def list_largest_channels(
    session: Session, *, events_share: float, states_share: float, most: int
) -> list[ChannelSize]:
    """By a sample of this share of the pages."""
    rows = await session.fetch(
        _LIST_CHANNELS, events_percent=100 * events_share, states_percent=100 * states_share, most=most
    )
    return [ChannelSize(*row) for row in rows]
