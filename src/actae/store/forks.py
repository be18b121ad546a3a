"""Forks: rows to records."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from actae.domain.channels import Lifecycle
from actae.domain.forks import Ancestor, Fork, zip_lineage
from actae.domain.view import EventRow
from actae.store.database import Session, Transaction
from actae.store.queries import query

_HOLD = query("hold_source_head")
_READ_SOURCE = query("read_fork_source")
_GET = query("get_fork")
_GET_OPERATION = query("get_fork_operation")
_ADD_OPERATION = query("add_fork_operation")
_ADD = query("add_fork")
_HAS_EFFECTS = query("has_inherited_effects")
_LIST_INHERITING = query("list_inheriting_forks")
_CREATE_HEAD = query("create_fork_head")
_CREATE_CHANNEL = query("create_fork_channel")
_ADD_EVENT = query("add_event")
_ADD_STATE = query("add_state")
_LIST = query("list_forks")
_LIST_NODES = query("list_fork_nodes")


class ForkSource(NamedTuple):
    """What a fork takes from its source, at one moment."""

    cursor: int
    latest_version: int
    latest_version_cursor: int | None
    lifecycle: str
    state_version: int | None
    state_cursor: int | None
    state: bytes | None
    event_id: str | None
    latest_step: int


class ForkNode(NamedTuple):
    """One channel of a tree."""

    source_channel_id: str
    channel_id: str
    display_name: str | None
    reason: str | None
    forked_at_cursor: int
    cursor: int


async def read_fork_source(
    tx: Transaction, channel_id: str, at_cursor: int | None, *, boundary: int | None, with_state: bool
) -> ForkSource | None:
    """The source at a cursor of it, or at its latest state; held, so that nobody deletes it meanwhile.

    Its steps are those up to the boundary; without one, all that there are.
    """
    await tx.execute(_HOLD, channel_id=channel_id)
    row = await tx.fetch_one(
        _READ_SOURCE, channel_id=channel_id, at_cursor=at_cursor, boundary=boundary, with_state=with_state
    )
    return None if row is None else ForkSource(*row)


async def get_fork(session: Session, channel_id: str) -> Fork | None:
    """The receipt of a child; None for a channel that is no fork."""
    row = await session.fetch_one(_GET, channel_id=channel_id)
    if row is None:
        return None
    values = dict(row)
    lineage = zip_lineage(
        values.pop("ancestor_channel_ids"), values.pop("ancestor_boundaries"), values.pop("ancestor_steps")
    )
    return Fork(lineage=lineage, **values)


async def get_fork_operation(session: Session, operation_digest: str) -> bytes | None:
    """The digest of what a fork operation id named."""
    row = await session.fetch_one(_GET_OPERATION, operation_digest=UUID(operation_digest))
    return None if row is None else bytes(row["content_digest"])


async def add_fork_operation(tx: Transaction, operation_digest: str, content_digest: bytes) -> None:
    """From now on the operation id means this fork.

    Raises:
        asyncpg.UniqueViolationError: somebody used it meanwhile.
    """
    await tx.execute(_ADD_OPERATION, operation_digest=UUID(operation_digest), content_digest=content_digest)


async def has_inherited_effects(session: Session, lineage: Sequence[Ancestor]) -> bool:
    """Whether any completed operation lies before the boundaries."""
    row = await session.fetch_one(
        _HAS_EFFECTS,
        channel_ids=[each.channel_id for each in lineage],
        boundaries=[each.boundary for each in lineage],
    )
    return row is not None


async def list_inheriting_forks(
    session: Session, channel_id: str, key_digest: str, *, most: int
) -> list[str]:
    """Live forks that inherit an operation of this channel, oldest first."""
    rows = await session.fetch(
        _LIST_INHERITING, channel_id=channel_id, key_digest=UUID(key_digest), most=most
    )
    return [row["channel_id"] for row in rows]


async def add_fork(
    tx: Transaction,
    fork: Fork,
    *,
    started: EventRow,
    state: bytes | None,
    display_name: str | None,
    reason: str | None,
    experiment_metadata: bytes | None,
    lifecycle: Lifecycle = "open",
) -> None:
    """The child with its head, its first event, its copied state, and its receipt.

    Raises:
        asyncpg.UniqueViolationError: somebody made the channel, or used the operation id, meanwhile.
    """
    now = fork.forked_at
    child = fork.channel_id
    await add_fork_operation(tx, fork.operation_digest, fork.content_digest)
    version = 0 if state is None else 1
    await tx.execute(
        _CREATE_HEAD,
        channel_id=child,
        chain_hash=started.chain_hash,
        version=version,
        lifecycle=lifecycle,
        now=now,
    )
    await tx.execute(
        _CREATE_CHANNEL,
        channel_id=child,
        now=now,
        display_name=display_name,
        reason=reason,
        experiment_metadata=experiment_metadata,
    )
    await add_event(tx, started, now)
    if state is not None:
        await add_state(tx, child, version=1, cursor=1, state=state, now=now)
    await _add_receipt(tx, fork)


async def _add_receipt(tx: Transaction, fork: Fork) -> None:
    await tx.execute(
        _ADD,
        channel_id=fork.channel_id,
        source_channel_id=fork.source_channel_id,
        origin_run_id=fork.origin_run_id,
        requested_cursor=fork.requested_cursor,
        resolved_cursor=fork.resolved_cursor,
        resolved_event_id=None if fork.resolved_event_id is None else UUID(fork.resolved_event_id),
        source_state_version=fork.source_state_version,
        source_state_sha256=fork.source_state_sha256,
        restorable=fork.restorable,
        reproducibility=fork.reproducibility,
        inherited_steps=fork.inherited_steps,
        ancestor_channel_ids=[each.channel_id for each in fork.lineage],
        ancestor_boundaries=[each.boundary for each in fork.lineage],
        ancestor_steps=[each.steps for each in fork.lineage],
        manifest=fork.manifest,
        tool_policies=fork.tool_policies,
        content_digest=fork.content_digest,
        operation_digest=UUID(fork.operation_digest),
        forked_at=fork.forked_at,
        fork_group_id=fork.fork_group_id,
    )


async def add_event(tx: Transaction, row: EventRow, now: datetime) -> None:
    """One event outside of the writer. Whoever follows the channel is told after the commit."""
    await tx.execute(_ADD_EVENT, **row._asdict(), now=now)
    tx.appended[row.channel_id] = row.cursor


async def add_state(
    tx: Transaction, channel_id: str, *, version: int, cursor: int, state: bytes, now: datetime
) -> None:
    """One snapshot outside of the writer."""
    await tx.execute(_ADD_STATE, channel_id=channel_id, version=version, cursor=cursor, state=state, now=now)


async def list_forks(session: Session, channel_id: str, *, with_deleted: bool = False) -> list[str]:
    """The ids of the direct children, oldest first."""
    rows = await session.fetch(_LIST, channel_id=channel_id, with_deleted=with_deleted)
    return [row["channel_id"] for row in rows]


async def list_fork_nodes(session: Session, channel_ids: Sequence[str]) -> list[ForkNode]:
    """The children of several channels at once."""
    rows = await session.fetch(_LIST_NODES, channel_ids=list(channel_ids))
    return [ForkNode(*row) for row in rows]
