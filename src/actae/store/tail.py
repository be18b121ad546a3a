"""The log as live readers get it: what is too large for them stays in the database."""

from collections.abc import Sequence
from typing import NamedTuple

from actae.domain.events import Event
from actae.store.database import Row, Session
from actae.store.events import to_event
from actae.store.pages import read_page
from actae.store.queries import query

_READ_TAIL = query("read_tail")
_LIST_HEAD_CURSORS = query("list_head_cursors")


class TailRow(NamedTuple):
    """One event, and the size of its payload and metadata, which are left out above a limit."""

    event: Event
    size: int
    carried: int


async def read_tail(
    session: Session, channel_id: str, *, after: int, most: int, whole_max: int, bytes_max: int
) -> list[TailRow]:
    """Events above a cursor, ascending; fewer where they are large, and without what passes `whole_max`."""

    async def read(last: TailRow | None, count: int) -> list[TailRow]:
        rows = await session.fetch(
            _READ_TAIL,
            channel_id=channel_id,
            after=after if last is None else last.event.cursor,
            most=count,
            whole_max=whole_max,
        )
        return [_tail_row(row, whole_max) for row in rows]

    return (await read_page(read, most=most, size=_carried, bytes_max=bytes_max)).rows


async def list_head_cursors(session: Session, channel_ids: Sequence[str]) -> tuple[dict[str, int], list[str]]:
    """How far these channels reach, and those of them that were deleted."""
    rows = await session.fetch(_LIST_HEAD_CURSORS, channel_ids=list(channel_ids))
    cursors = {row["channel_id"]: row["cursor"] for row in rows}
    return cursors, [row["channel_id"] for row in rows if row["is_deleted"]]


def _tail_row(row: Row, whole_max: int) -> TailRow:
    size: int = row["size"]
    return TailRow(to_event(row), size, size if size <= whole_max else 0)


def _carried(row: TailRow) -> int:
    return row.carried
