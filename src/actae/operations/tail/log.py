"""Where events can be read that nobody told."""

from collections.abc import Sequence
from typing import Final, Protocol

from actae.operations.tail.told import TOLD_BYTES_MAX, Told, tell
from actae.store.channels import get_head
from actae.store.database import Database
from actae.store.tail import read_tail

_PAGE_EVENTS: Final = 256
_PAGE_BYTES: Final = 2**20


class Log(Protocol):
    """The events of all channels."""

    async def read_head(self, channel_id: str) -> int:
        """The newest cursor.

        Raises:
            UnavailableError: the database is out of reach.
        """
        ...

    async def read_after(self, channel_id: str, cursor: int) -> Sequence[Told]:
        """The next events above a cursor, a few at a time; of a deleted channel there are none.

        Raises:
            UnavailableError: the database is out of reach.
        """
        ...


class DatabaseLog:
    """The log in the database."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def read_head(self, channel_id: str) -> int:
        """The newest cursor."""
        head = await get_head(self._db, channel_id)
        return 0 if head is None else head.cursor

    async def read_after(self, channel_id: str, cursor: int) -> Sequence[Told]:
        """The next events above a cursor."""
        rows = await read_tail(
            self._db,
            channel_id,
            after=cursor,
            most=_PAGE_EVENTS,
            whole_max=TOLD_BYTES_MAX,
            bytes_max=_PAGE_BYTES,
        )
        return [tell(row.event, row.size) for row in rows]
