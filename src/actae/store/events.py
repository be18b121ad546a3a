"""Events: rows to records."""

from bisect import bisect_right
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from actae.domain.events import Event
from actae.store.database import Row, Session
from actae.store.pages import Page, read_page
from actae.store.queries import query

_REPLAY = query("replay_events")
_GET_AT = query("get_event_at")
_LIST_AT = query("list_events_at")
QUERY = query("query_events")
_READ_CHAIN = query("read_chain")
_BY_ID = query("get_events_by_id")
_KNOWN_IDS = query("list_known_event_ids")
_KNOWN_OPERATION = query("get_known_operation")


class EventFilter(msgspec.Struct, frozen=True, kw_only=True):
    """What a query over all channels asks for; None is no condition."""

    channel_ids: list[str] | None = None
    readable: list[str] | None = None  # LIKE patterns
    event_type: str | None = None
    actor: str | None = None
    cursor_start: int | None = None
    cursor_end: int | None = None
    from_time: datetime | None = None
    to_time: datetime | None = None
    skip: int = 0
    most: int = 100


async def replay_events(
    session: Session, channel_id: str, *, after: int, most: int, event_type: str | None
) -> list[Event]:
    """Events of one channel with a cursor above `after`, ascending; fewer where they are large."""

    async def read(last: Event | None, count: int) -> list[Event]:
        rows = await session.fetch(
            _REPLAY,
            channel_id=channel_id,
            after=after if last is None else last.cursor,
            most=count,
            event_type=event_type,
        )
        return [to_event(row) for row in rows]

    return (await read_page(read, most=most, size=_size)).rows


async def get_event_at(session: Session, channel_id: str, cursor: int) -> Event | None:
    """The event at a cursor."""
    row = await session.fetch_one(_GET_AT, channel_id=channel_id, cursor=cursor)
    return None if row is None else to_event(row)


async def list_events_at(session: Session, channel_id: str, cursors: Sequence[int]) -> list[Event]:
    """The events at these ascending cursors; the first ones only where they are large."""

    async def read(last: Event | None, count: int) -> list[Event]:
        start = 0 if last is None else bisect_right(cursors, last.cursor)
        rows = await session.fetch(
            _LIST_AT, channel_id=channel_id, cursors=list(cursors[start : start + count])
        )
        return [to_event(row) for row in rows]

    return (await read_page(read, most=len(cursors), size=_size)).rows


async def query_events(session: Session, wanted: EventFilter) -> Page[Event]:
    """Events of any channels, newest first; fewer where they are large."""

    async def read(last: Event | None, count: int) -> list[Event]:
        values = msgspec.structs.asdict(wanted) | {"most": count}
        if last is not None:
            values["skip"] = 0
        rows = await session.fetch(QUERY, before=None if last is None else UUID(last.id), **values)
        return [to_event(row) for row in rows]

    return await read_page(read, most=wanted.most, size=_size)


async def read_chain(session: Session, channel_id: str, *, after: int, most: int) -> list[Row]:
    """Everything that the chain hashes of a piece of the log cover."""
    return await session.fetch(_READ_CHAIN, channel_id=channel_id, after=after, most=most)


async def get_events_by_id(session: Session, event_ids: Sequence[str]) -> list[tuple[Event, bytes | None]]:
    """The events with these ids, each with its dependencies as sent."""
    rows = await session.fetch(_BY_ID, event_ids=list(event_ids))
    return [(to_event(row), row["dependencies"]) for row in rows]


async def list_known_event_ids(session: Session, event_ids: Sequence[str]) -> dict[str, str]:
    """Those of the ids that exist, with their channels."""
    rows = await session.fetch(_KNOWN_IDS, event_ids=list(event_ids))
    return {row["event_id"]: row["channel_id"] for row in rows}


async def is_operation_known(session: Session, channel_id: str, operation_digest: str) -> bool:
    """Whether an operation id has written to the channel."""
    row = await session.fetch_one(
        _KNOWN_OPERATION, channel_id=channel_id, operation_digest=UUID(operation_digest)
    )
    return row is not None


def _size(event: Event) -> int:
    return len(bytes(event.payload)) + (0 if event.metadata is None else len(bytes(event.metadata)))


def to_event(row: Row) -> Event:
    """The record of a row."""
    metadata = row["metadata"]
    return Event(
        id=row["event_id"],
        channel_id=row["channel_id"],
        type=row["event_type"],
        payload=msgspec.Raw(row["payload"]),
        actor=row["actor"],
        cursor=row["cursor"],
        channel_cursor=row["cursor"],
        timestamp=row["recorded_at"],
        agent_id=row["agent_id"],
        user_id=row["user_id"],
        metadata=None if metadata is None else msgspec.Raw(metadata),
        depends_on=row["depends_on"],
    )
