"""Channels and their heads: rows to records."""

from datetime import datetime
from typing import NamedTuple

import msgspec

from actae.domain.channels import ChannelMetadata, Head
from actae.domain.forks import Fork
from actae.store.database import Row, Session, Transaction
from actae.store.forks import get_fork
from actae.store.queries import query

_GET_HEAD = query("get_head")
_GET_HEADS = query("get_heads")
_LOCK_HEADS = query("lock_heads")
_HOLD_HEAD = query("hold_head")
_CREATE_MISSING_CHANNELS = query("create_missing_channels")
_CREATE_MISSING_HEADS = query("create_missing_heads")
_TOUCH_HEAD = query("touch_head")
_LIST = query("list_channels")
_GET = query("get_channel")
_UPDATE_METADATA = query("update_channel_metadata")
_CLOSE_HEAD = query("close_head")
_CLOSE = query("close_channel")
_EMPTY_HEAD = query("empty_head")
_BURY = query("bury_channel")
_GET_STEP = query("get_step")
_SET_OUTCOME = query("set_outcome")
_DELETE_CONTENT = tuple(
    query(f"delete_channel_{table}")
    for table in (
        "events",
        "states",
        "operations",
        "steps",
        "executions",
        "late_evidence",
        "wakeups",
        "approvals",
        "consumer_groups",
        "consumers",
        "consumer_ranges",
        "consumer_group_names",
        "messages",
        "budget_uses",
        "recent_calls",
    )
)


class HeadRow(NamedTuple):
    """A head as it is read outside of the writer."""

    revision: int
    cursor: int
    chain_hash: str | None
    version: int
    latest_version: int
    latest_version_cursor: int | None
    latest_step: int
    lifecycle: str
    active_at: datetime


class Step(NamedTuple):
    """Where a step stands."""

    channel_id: str
    step_number: int
    cursor: int
    event_id: str


async def get_head(session: Session, channel_id: str) -> HeadRow | None:
    """The head, or None for a channel that was never written."""
    row = await session.fetch_one(_GET_HEAD, channel_id=channel_id)
    return None if row is None else HeadRow(*row)


async def lock_heads(tx: Transaction, *channel_ids: str) -> list[str]:
    """Lock the heads in id order, so that no two transactions deadlock; the ids that exist."""
    rows = await tx.fetch(_LOCK_HEADS, channel_ids=sorted(set(channel_ids)))
    return [row["channel_id"] for row in rows]


async def hold_head(tx: Transaction, channel_id: str) -> Head | None:
    """Read one head; until the transaction ends, its channel is neither closed nor deleted."""
    row = await tx.fetch_one(_HOLD_HEAD, channel_id=channel_id)
    return None if row is None else Head(channel_id, *row)


async def create_missing(tx: Transaction, *channel_ids: str) -> None:
    """Bring channels that nobody has written yet into being, with empty heads that are still to be moved."""
    wanted = sorted(set(channel_ids))
    await tx.execute(_CREATE_MISSING_HEADS, channel_ids=wanted)
    await tx.execute(_CREATE_MISSING_CHANNELS, channel_ids=wanted)


async def get_heads(session: Session, *channel_ids: str) -> list[Head]:
    """The heads as the writer knows them."""
    return [Head(*row) for row in await session.fetch(_GET_HEADS, channel_ids=list(channel_ids))]


async def touch_head(tx: Transaction, channel_id: str) -> None:
    """Move the revision of a locked head, so that a batch which read the old one starts again."""
    await tx.execute(_TOUCH_HEAD, channel_id=channel_id)


async def list_channels(session: Session, *, readable: list[str] | None, skip: int, most: int) -> list[str]:
    """Ids, most recent activity first."""
    rows = await session.fetch(_LIST, readable=readable, skip=skip, most=most)
    return [row["channel_id"] for row in rows]


async def get_channel_metadata(session: Session, channel_id: str) -> ChannelMetadata | None:
    """The closed record of a channel, or None for one that was never written."""
    row = await session.fetch_one(_GET, channel_id=channel_id)
    return None if row is None else _metadata(row, await get_fork(session, channel_id))


async def update_channel_metadata(
    session: Session,
    channel_id: str,
    *,
    display_name: str | msgspec.UnsetType | None,
    reason: str | msgspec.UnsetType | None,
    experiment_metadata: bytes | msgspec.UnsetType | None,
) -> ChannelMetadata | None:
    """Overwrite what is set; UNSET stays as it is."""
    given: dict[str, object] = {}
    for name, value in (
        ("display_name", display_name),
        ("reason", reason),
        ("experiment_metadata", experiment_metadata),
    ):
        given[f"has_{name}"] = value is not msgspec.UNSET
        given[name] = None if value is msgspec.UNSET else value
    row = await session.fetch_one(_UPDATE_METADATA, channel_id=channel_id, **given)
    return None if row is None else _metadata(row, await get_fork(session, channel_id))


async def close_channel(tx: Transaction, channel_id: str) -> datetime:
    """Mark a channel whose head is locked; returns when it was closed first."""
    await tx.execute(_CLOSE_HEAD, channel_id=channel_id)
    row = await tx.fetch_one(_CLOSE, channel_id=channel_id)
    assert row is not None, "a head without its channel"
    closed_at: datetime = row["closed_at"]
    return closed_at


async def delete_channel(tx: Transaction, channel_id: str) -> None:
    """Remove what a channel holds and keep its tombstone. Its head is locked."""
    for statement in _DELETE_CONTENT:
        await tx.execute(statement, channel_id=channel_id)
    await tx.execute(_EMPTY_HEAD, channel_id=channel_id)
    await tx.execute(_BURY, channel_id=channel_id)
    tx.deleted.add(channel_id)


async def get_step(
    session: Session, channel_id: str, step_number: int, *, at_most: int = 2**63 - 1
) -> Step | None:
    """The most recent event of a step at or before a cursor."""
    row = await session.fetch_one(_GET_STEP, channel_id=channel_id, step_number=step_number, at_most=at_most)
    return None if row is None else Step(*row)


async def set_outcome(
    session: Session, channel_id: str, outcome: str | None, score: float | None
) -> tuple[str | None, float | None] | None:
    """The outcome and score afterwards; None for a channel that is not there."""
    row = await session.fetch_one(_SET_OUTCOME, channel_id=channel_id, outcome=outcome, score=score)
    return None if row is None else (row["outcome"], row["result_score"])


def _metadata(row: Row, fork: Fork | None) -> ChannelMetadata:
    experiment_metadata = row["experiment_metadata"]
    own = ChannelMetadata(
        channel_id=row["channel_id"],
        parent_channel_id=None,
        origin_run_id=row["channel_id"],
        forked_at_cursor=0,
        forked_at=row["created_at"],
        display_name=row["display_name"],
        reason=row["reason"],
        experiment_metadata=None if experiment_metadata is None else msgspec.Raw(experiment_metadata),
        outcome=row["outcome"],
        result_score=row["result_score"],
        deleted_at=row["deleted_at"],
    )
    if fork is None:
        return own
    return msgspec.structs.replace(
        own,
        parent_channel_id=fork.source_channel_id,
        origin_run_id=fork.origin_run_id,
        forked_at_cursor=fork.resolved_cursor,
        forked_at=fork.forked_at,
        requested_at_cursor=fork.requested_cursor,
        resolved_cursor=fork.resolved_cursor,
        resolved_state_cursor=fork.resolved_cursor if fork.restorable else 0,
        resolved_event_id=fork.resolved_event_id,
        source_state_version=fork.source_state_version,
        source_state_sha256=fork.source_state_sha256,
        restorable=fork.restorable,
        manifest=None if fork.manifest is None else msgspec.Raw(fork.manifest),
        reproducibility=fork.reproducibility,
        tool_policies=None if fork.tool_policies is None else msgspec.Raw(fork.tool_policies),
    )
