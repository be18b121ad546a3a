"""The ledger outside of the writer: rows to records."""

from datetime import datetime, timedelta
from typing import Final, NamedTuple
from uuid import UUID

import msgspec

from actae.domain.executions import ExecutionRow
from actae.store.database import Row, Session, Transaction
from actae.store.instance import ping
from actae.store.pages import Page, read_page
from actae.store.queries import query

_GET = query("get_execution")
_LIST = query("list_executions")
FIND_HORIZON = query("find_horizon")
SEARCH = query("search_executions")
LIST_AMBIGUOUS = query("list_ambiguous")
_DELETE = query("delete_execution")
_DELETE_EVIDENCE = query("delete_evidence")


class Place(NamedTuple):
    """Where a page ended."""

    created_at: datetime
    channel_id: str
    key_digest: str


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """Which operations of any channels; None is no condition. The params' text fits the `pattern`.

    The `text` is in the key, the tool's name or the channel's id, or, with `searches_params`, in the params.
    """

    readable: list[str] | None = None  # LIKE patterns
    status: str | None = None
    tool_name: str | None = None
    key_prefix: str | None = None
    older_than_seconds: int | None = None
    pattern: str | None = None
    text: str | None = None
    searches_params: bool = True


_ANYTHING: Final = Wanted()
_CONDITIONS: Final = ("readable", "tool_name", "key_prefix", "pattern", "text", "searches_params")
_NO_DIGEST: Final = "0" * 32

WALKED_MAX: Final = 20_000  # operations that one search looks at, whether or not it finds something


async def get_execution(session: Session, channel_id: str, key_digest: str) -> ExecutionRow | None:
    """One row by its two keys."""
    row = await session.fetch_one(_GET, channel_id=channel_id, key_digest=UUID(key_digest))
    return None if row is None else to_execution(channel_id, row)


async def list_executions(
    session: Session,
    channel_id: str,
    *,
    status: str | None,
    tool_name: str | None = None,
    key_prefix: str | None = None,
    skip: int,
    most: int,
) -> Page[ExecutionRow]:
    """Newest first; fewer where they are large. The status `lapsed` is running past its lease."""
    read_count = 0

    async def read(_last: ExecutionRow | None, count: int) -> list[ExecutionRow]:
        nonlocal read_count
        rows = await session.fetch(
            _LIST,
            channel_id=channel_id,
            status=status,
            tool_name=tool_name,
            key_prefix=key_prefix,
            skip=skip + read_count,
            most=count,
        )
        read_count += len(rows)
        return [to_execution(channel_id, row) for row in rows]

    return await read_page(read, most=most, size=size_of)


async def search_executions(
    session: Session, wanted: Wanted, *, after: Place | None, most: int
) -> tuple[list[ExecutionRow], Place | None]:
    """Newest first over all channels, and where to go on; None at the end.

    There may be fewer than `most`, and none at all: a search walks so far and no further.
    """
    if wanted.older_than_seconds is not None:
        age = timedelta(seconds=wanted.older_than_seconds)
        begin = Place(await ping(session) - age, "", _NO_DIGEST)
        after = begin if after is None else min(after, begin)
    is_open = wanted.status == "ambiguous"
    horizon = None if is_open or wanted == _ANYTHING else await _find_horizon(session, after)
    conditions = {name: getattr(wanted, name) for name in _CONDITIONS}
    if not is_open:
        conditions |= {"status": wanted.status, **_columns("until", horizon)}

    async def read(last: ExecutionRow | None, count: int) -> list[ExecutionRow]:
        place = after if last is None else Place(last.created_at, last.channel_id, last.key_digest)
        rows = await session.fetch(
            LIST_AMBIGUOUS if is_open else SEARCH, **conditions, **_columns("after", place), most=count
        )
        return [to_execution(row["channel_id"], row) for row in rows]

    page = await read_page(read, most=most + 1, size=size_of)
    if not page.was_cut and len(page.rows) <= most:
        return page.rows, horizon
    rows = page.rows[:most]
    return rows, Place(rows[-1].created_at, rows[-1].channel_id, rows[-1].key_digest)


async def _find_horizon(session: Session, after: Place | None) -> Place | None:
    row = await session.fetch_one(FIND_HORIZON, **_columns("after", after), passed=WALKED_MAX - 1)
    return None if row is None else Place(*row)


def _columns(which: str, place: Place | None) -> dict[str, object]:
    return {
        f"{which}_at": None if place is None else place.created_at,
        f"{which}_channel_id": None if place is None else place.channel_id,
        f"{which}_key_digest": None if place is None else UUID(place.key_digest),
    }


def size_of(row: ExecutionRow) -> int:
    """The bytes of what its caller has sent, of which the other fields are a small part."""
    return len(row.started_payload or b"") + len(row.completed_payload or b"")


async def delete_execution(tx: Transaction, channel_id: str, key_digest: str) -> bool:
    """Free a key, and forget what came too late under it. The channel's head is locked."""
    await tx.execute(_DELETE_EVIDENCE, channel_id=channel_id, key_digest=UUID(key_digest))
    return await tx.fetch_one(_DELETE, channel_id=channel_id, key_digest=UUID(key_digest)) is not None


_FIELDS = tuple(name for name in ExecutionRow.__struct_fields__ if name != "channel_id")


def to_execution(channel_id: str, row: Row) -> ExecutionRow:
    """A row that has a column for every field of the record, and perhaps others."""
    values = {name: row[name] for name in _FIELDS}
    values["key_digest"] = values["key_digest"].replace("-", "")
    values["actor"] = values["actor"] or "system"
    return ExecutionRow(channel_id=channel_id, **values)
