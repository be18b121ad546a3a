"""Two branches side by side, and one branch with its ancestry: rows to records."""

from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Final, NamedTuple
from uuid import UUID

from actae.domain.branches import Branch
from actae.domain.channels import FENCE_KEY
from actae.domain.executions import ExecutionRow
from actae.domain.tool_diff import HeldEffect
from actae.store.database import Session, Transaction
from actae.store.executions import size_of, to_execution
from actae.store.forks import get_fork
from actae.store.pages import Page, read_page
from actae.store.queries import query

_LOAD_BRANCHES = query("load_branches")
_LIST_HELD = query("list_held_effects")
_GET_EXECUTIONS = query("get_executions")
_LIST_FIRST = query("list_first_executions")
_READ_TELLING = query("read_telling_events")
_LAST_OUTPUT = query("get_last_output")
_LIST_LINEAGE = query("list_lineage")

_PAGE_ROWS: Final = 500


class TellingEvent(NamedTuple):
    """An event that may tell something about effects or spending."""

    cursor: int
    event_type: str
    payload: bytes
    metadata: bytes | None


class Place(NamedTuple):
    """One channel of a path up to the root."""

    channel_id: str
    parent_channel_id: str | None
    forked_at_cursor: int
    display_name: str | None
    reason: str | None


async def load_branches(tx: Transaction, channel_ids: Sequence[str]) -> dict[str, Branch]:
    """The channels that exist, each with its latest snapshot and its receipt."""
    rows = await tx.fetch(_LOAD_BRANCHES, channel_ids=list(set(channel_ids)))
    return {
        row["channel_id"]: Branch(
            row["channel_id"], row["cursor"], row["state"], await get_fork(tx, row["channel_id"])
        )
        for row in rows
    }


async def list_held_effects(session: Session, branch: Branch) -> list[HeldEffect]:
    """What a channel has done and what it inherits, oldest first."""
    lineage = branch.fork.lineage if branch.fork else ()
    rows = await session.fetch(
        _LIST_HELD,
        channel_ids=[branch.channel_id, *(each.channel_id for each in lineage)],
        boundaries=[0, *(each.boundary for each in lineage)],
        fence_key=FENCE_KEY,
    )
    return [HeldEffect(*row) for row in rows]


async def get_executions(session: Session, effects: Iterable[HeldEffect]) -> list[ExecutionRow]:
    """The rows of these operations, each once, in no order."""
    keys = {(each.channel_id, each.key_digest) for each in effects}
    rows = await session.fetch(
        _GET_EXECUTIONS,
        channel_ids=[channel_id for channel_id, _ in keys],
        key_digests=[UUID(key_digest) for _, key_digest in keys],
    )
    return [to_execution(row["channel_id"], row) for row in rows]


async def list_first_executions(session: Session, channel_id: str, *, most: int) -> Page[ExecutionRow]:
    """A channel's own operations, oldest first, without the session fence; fewer where they are large."""

    async def read(last: ExecutionRow | None, count: int) -> list[ExecutionRow]:
        rows = await session.fetch(
            _LIST_FIRST,
            channel_id=channel_id,
            fence_key=FENCE_KEY,
            after_created_at=None if last is None else last.created_at,
            after_cursor=None if last is None else last.started_cursor,
            most=count,
        )
        return [to_execution(channel_id, row) for row in rows]

    return await read_page(read, most=most, size=size_of)


async def read_telling_events(
    session: Session, channel_id: str, *, event_types: Sequence[str], words: Sequence[str]
) -> AsyncIterator[list[TellingEvent]]:
    """Events of some types or with some words as keys, page by page; a few may be of neither kind."""
    after = 0
    while True:
        rows = await session.fetch(
            _READ_TELLING,
            channel_id=channel_id,
            after=after,
            event_types=list(event_types),
            words_like=[f'%"{word}"%' for word in words],
            most=_PAGE_ROWS,
        )
        page = [TellingEvent(*row) for row in rows]
        if page:
            yield page
        if len(page) < _PAGE_ROWS:
            return
        after = page[-1].cursor


async def get_last_output(session: Session, channel_id: str, *, besides: Sequence[str]) -> bytes | None:
    """The payload of the newest event that is of none of these types."""
    row = await session.fetch_one(_LAST_OUTPUT, channel_id=channel_id, event_types=list(besides))
    return None if row is None else bytes(row["payload"])


async def list_lineage(session: Session, channel_ids: Sequence[str]) -> list[Place]:
    """What is known of the channels of a path, in its order."""
    return [Place(*row) for row in await session.fetch(_LIST_LINEAGE, channel_ids=list(channel_ids))]
