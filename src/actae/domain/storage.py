"""How much room things take."""

from datetime import datetime

import msgspec


class TableSize(msgspec.Struct, frozen=True):
    """A table on the disk, with what it stores out of line; of its rows there may be no estimate yet."""

    name: str
    rows_estimate: int | None
    table_bytes: int
    index_bytes: int


class ChannelSize(msgspec.Struct, frozen=True):
    """A channel, with about how many bytes its events and snapshots take, indexes left aside."""

    channel_id: str
    bytes_estimate: int
    event_count: int
    state_count: int
    lifecycle: str
    active_at: datetime


class Storage(msgspec.Struct, frozen=True):
    """The database, its tables and its largest channels, the largest first.

    `sampled_share` of the pages were looked at to find the channels: 1.0 is all, and nothing is estimated.
    """

    database_bytes: int
    tables: list[TableSize]
    channels: list[ChannelSize]
    sampled_share: float
