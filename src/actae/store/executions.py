"""The ledger outside of the writer: rows to records."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import msgspec

from actae.domain.executions import ExecutionRow
from actae.store.database import Row, Session, Transaction
from actae.store.pages import Page, read_page
from actae.store.queries import query

_GET = query("get_execution")
_LIST = query("list_executions")
_SEARCH = query("search_executions")
_LIST_AMBIGUOUS = query("list_ambiguous")
_DELETE = query("delete_execution")


class Place(NamedTuple):
    """Where a page ended."""

    created_at: datetime
    channel_id: str
    key_digest: str


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """Which operations of any channels; None is no condition. All `words` occur in the params' text."""

    readable: list[str] | None = None  # LIKE patterns
    status: str | None = None
    tool_name: str | None = None
    key_prefix: str | None = None
    older_than_seconds: int | None = None
    words: list[str] | None = None


async def get_execution(session: Session, channel_id: str, key_digest: str) -> ExecutionRow | None:
    """One row by its two keys."""
    row = await session.fetch_one(_GET, channel_id=channel_id, key_digest=UUID(key_digest))
    return None if row is None else to_execution(channel_id, row)


async def list_executions(
    session: Session, channel_id: str, *, status: str | None, skip: int, most: int
) -> Page[ExecutionRow]:
    """Newest first; fewer where they are large. The status `lapsed` is running past its lease."""
    read_count = 0

    async def read(_last: ExecutionRow | None, count: int) -> list[ExecutionRow]:
        nonlocal read_count
        rows = await session.fetch(
            _LIST, channel_id=channel_id, status=status, skip=skip + read_count, most=count
        )
        read_count += len(rows)
        return [to_execution(channel_id, row) for row in rows]

    return await read_page(read, most=most, size=_size)


async def search_executions(
    session: Session, wanted: Wanted, *, after: Place | None, most: int
) -> Page[ExecutionRow]:
    """Newest first over all channels; fewer where they are large."""
    search = _LIST_AMBIGUOUS if wanted.status == "ambiguous" else _SEARCH

    async def read(last: ExecutionRow | None, count: int) -> list[ExecutionRow]:
        place = after if last is None else Place(last.created_at, last.channel_id, last.key_digest)
        rows = await session.fetch(
            search,
            **msgspec.structs.asdict(wanted),
            after_at=None if place is None else place.created_at,
            after_channel_id=None if place is None else place.channel_id,
            after_key_digest=None if place is None else UUID(place.key_digest),
            most=count,
        )
        return [to_execution(row["channel_id"], row) for row in rows]

    return await read_page(read, most=most, size=_size)


def _size(row: ExecutionRow) -> int:
    return len(row.started_payload or b"") + len(row.completed_payload or b"")


async def delete_execution(tx: Transaction, channel_id: str, key_digest: str) -> bool:
    """Free a key. The channel's head is locked."""
    return await tx.fetch_one(_DELETE, channel_id=channel_id, key_digest=UUID(key_digest)) is not None


_FIELDS = tuple(name for name in ExecutionRow.__struct_fields__ if name != "channel_id")


def to_execution(channel_id: str, row: Row) -> ExecutionRow:
    """A row that has a column for every field of the record, and perhaps others."""
    values = {name: row[name] for name in _FIELDS}
    values["key_digest"] = values["key_digest"].replace("-", "")
    values["actor"] = values["actor"] or "system"
    return ExecutionRow(channel_id=channel_id, **values)
