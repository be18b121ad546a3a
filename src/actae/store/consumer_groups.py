"""Consumer groups: rows to records."""

import msgspec

from actae.domain.consumer_groups import Changed, Consumer, Group, GroupView, Offset
from actae.domain.consumer_progress import Progress, Span
from actae.store.database import Row, Session, Transaction
from actae.store.pages import Page, read_page
from actae.store.queries import query

_ADD_NAME = query("add_consumer_group_name")
_FIND = query("find_consumer_group")
_ADD = query("add_consumer_group")
_GET = query("get_consumer_group")
_LIST = query("list_consumer_groups")
_LOCK = query("lock_consumer_group")
_READ = query("read_consumer_group")
_IS_FINISHED = query("is_channel_finished")
_WRITE = query("write_consumer_group")
_LIST_CONSUMERS = query("list_consumers")
_DELETE_GROUP = query("delete_consumer_group")
_DELETE_REST = (
    query("delete_consumers"),
    query("delete_consumer_ranges"),
    query("delete_consumer_group_name"),
)


async def find_channel(session: Session, group_id: str) -> str | None:
    """The channel that a group consumes; None where there is no such group."""
    row = await session.fetch_one(_FIND, group_id=group_id)
    return None if row is None else row["channel_id"]


async def add_group(tx: Transaction, group_id: str, channel_id: str, metadata: bytes | None) -> bool:
    """A new group that has consumed nothing; False if the name is taken."""
    named = await tx.fetch_one(_ADD_NAME, group_id=group_id, channel_id=channel_id)
    if named is None:
        return False
    await tx.execute(_ADD, group_id=group_id, channel_id=channel_id, metadata=metadata)
    return True


async def get_group(session: Session, channel_id: str, group_id: str) -> Group | None:
    """A group, and how far it is."""
    row = await session.fetch_one(_GET, channel_id=channel_id, group_id=group_id)
    return None if row is None else _group(row)


async def list_groups(
    session: Session, *, channel_id: str | None, readable: list[str] | None, after: str, most: int
) -> Page[Group]:
    """Groups by name, from behind one on; fewer where their metadata is large."""

    async def read(last: Group | None, count: int) -> list[Group]:
        rows = await session.fetch(
            _LIST,
            channel_id=channel_id,
            readable=readable,
            after=after if last is None else last.group_id,
            most=count,
        )
        return [_group(row) for row in rows]

    return await read_page(read, most=most, size=lambda group: len(bytes(group.metadata or b"")))


async def list_offsets(
    session: Session, channel_id: str, group_id: str, *, after: str, most: int
) -> list[Offset]:
    """Consumers by name, from behind one on."""
    rows = await session.fetch(
        _LIST_CONSUMERS, channel_id=channel_id, group_id=group_id, after=after, most=most
    )
    return [Offset(*row) for row in rows]


async def lock_group(tx: Transaction, channel_id: str, group_id: str, consumer_id: str) -> GroupView | None:
    """What a decision about a consumer needs, behind the group's lock; None where there is no such group."""
    names = {"channel_id": channel_id, "group_id": group_id}
    locked = await tx.fetch_one(_LOCK, **names)
    if locked is None:
        return None
    row = await tx.fetch_one(_READ, **names, consumer_id=consumer_id)
    assert row is not None, "the moment is always there"
    now, latest_cursor, last_cursor, highest_reserved, lease_until, *columns = row
    held = list(zip(*columns, strict=True))
    return GroupView(
        group_id=group_id,
        now=now,
        latest_cursor=latest_cursor,
        stored=Progress(
            locked["watermark"], tuple(Span(first, last, holder) for first, last, holder, _ in held)
        ),
        consumer=Consumer(consumer_id, last_cursor or 0, highest_reserved or 0, lease_until),
        leases={holder: lease for _, _, holder, lease in held if holder is not None},
        created_at=locked["created_at"],
    )


async def is_finished(session: Session, channel_id: str, *, cursor: int) -> bool:
    """Whether the event at the cursor is the last one that there will be."""
    row = await session.fetch_one(_IS_FINISHED, channel_id=channel_id, cursor=cursor)
    return row is not None and row["is_finished"]


async def write_change(tx: Transaction, channel_id: str, view: GroupView, changed: Changed) -> None:
    """Write what is different now. The group is locked."""
    before, after = view.stored.spans, changed.progress.spans
    removed = {span.first for span in before} - {span.first for span in after}
    new = set(after) - set(before)
    await tx.execute(
        _WRITE,
        channel_id=channel_id,
        group_id=view.group_id,
        watermark=changed.progress.watermark,
        removed_cursors=list(removed),
        first_cursors=[span.first for span in new],
        last_cursors=[span.last for span in new],
        consumer_ids=[span.consumer_id for span in new],
        **changed.consumer._asdict(),
        now=view.now,
    )


async def delete_group(tx: Transaction, channel_id: str, group_id: str) -> bool:
    """Remove a group with its consumers; False if it is not there."""
    names = {"channel_id": channel_id, "group_id": group_id}
    if await tx.fetch_one(_DELETE_GROUP, **names) is None:
        return False
    for statement in _DELETE_REST:
        await tx.execute(statement, **names)
    return True


def _group(row: Row) -> Group:
    group_id, channel_id, created_at, metadata, watermark, latest_cursor = row
    shown = None if metadata is None else msgspec.Raw(metadata)
    return Group(group_id, channel_id, created_at, shown, watermark, latest_cursor)
