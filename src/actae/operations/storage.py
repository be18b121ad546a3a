"""Where the room goes: cheap to ask, however much there is."""

from typing import Final, NamedTuple

from actae.domain.storage import Storage, TableSize
from actae.store import storage as store
from actae.store.database import Database

PAGES_MAX: Final = 4_000  # of each table: 32 MB, some tenths of a second


class DatabaseSize(NamedTuple):
    """The database, and its tables, the largest first."""

    database_bytes: int
    tables: list[TableSize]


async def measure_tables(db: Database) -> DatabaseSize:
    """The sizes of all tables."""
    return DatabaseSize(await store.get_database_bytes(db), await store.list_tables(db))


async def measure(db: Database, *, most: int) -> Storage:
    """The sizes of all tables, and so many of the largest channels."""
    shares = [min(1.0, PAGES_MAX / max(count, 1)) for count in await store.get_page_counts(db)]
    events_share, states_share = shares
    return Storage(
        database_bytes=await store.get_database_bytes(db),
        tables=await store.list_tables(db),
        channels=await store.list_largest_channels(
            db, events_share=events_share, states_share=states_share, most=most
        ),
        sampled_share=round(min(shares), 6),
    )
