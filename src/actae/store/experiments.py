"""Experiments: rows to records."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from actae.domain.experiments import Experiment, Member, find_baseline
from actae.domain.identity import Identity
from actae.store.database import Row, Session, Transaction
from actae.store.queries import query

_ADD_OPERATION = query("add_experiment_operation")
_GET_OPERATION = query("get_experiment_operation")
_ADD = query("add_experiment")
_TOUCH = query("touch_experiment")
_PUT_MEMBER = query("put_experiment_member")
_GET = query("get_experiment")
_LIST = query("list_experiments")
_LIST_MEMBERS = query("list_experiment_members")


async def add_operation(tx: Transaction, identity: Identity, group_id: str) -> tuple[bytes, str] | None:
    """Remember an operation id. What it named before, if it was used: the content's digest and a group id."""
    digest = UUID(identity.operation_digest)
    added = await tx.fetch_one(
        _ADD_OPERATION, operation_digest=digest, content_digest=identity.content_digest, group_id=group_id
    )
    if added is not None:
        return None
    known = await tx.fetch_one(_GET_OPERATION, operation_digest=digest)
    assert known is not None, "an operation id that is in the way can be seen"
    return known["content_digest"], known["group_id"]


async def add_experiment(
    tx: Transaction, group_id: str, name: str, description: str | None, now: datetime
) -> None:
    """A new experiment without members."""
    await tx.execute(_ADD, group_id=group_id, name=name, description=description, now=now)


async def touch_experiment(tx: Transaction, group_id: str) -> None:
    """Mark an experiment as changed, and keep others from changing it meanwhile."""
    await tx.execute(_TOUCH, group_id=group_id)


async def put_member(
    tx: Transaction, group_id: str, channel_id: str, role: str, delta: bytes | msgspec.UnsetType | None
) -> None:
    """Add a channel, or change the role of one that is there; an UNSET delta stays as it is."""
    has_delta = delta is not msgspec.UNSET
    await tx.execute(
        _PUT_MEMBER,
        group_id=group_id,
        channel_id=channel_id,
        role=role,
        has_declared_delta=has_delta,
        declared_delta=delta if has_delta else None,
    )


async def get_experiment(session: Session, group_id: str) -> Experiment | None:
    """An experiment with all its members."""
    row = await session.fetch_one(_GET, group_id=group_id)
    if row is None:
        return None
    members = await _list_members(session, [group_id])
    return _experiment(row, members.get(group_id, []))


async def list_experiments(
    session: Session, *, readable: list[str] | None, skip: int, most: int
) -> list[Experiment]:
    """Those that somebody with these LIKE patterns may see, newest first, each with all its members."""
    rows = await session.fetch(_LIST, readable=readable, skip=skip, most=most)
    members = await _list_members(session, [row["group_id"] for row in rows])
    return [_experiment(row, members.get(row["group_id"], [])) for row in rows]


async def _list_members(session: Session, group_ids: Sequence[str]) -> dict[str, list[Member]]:
    found: dict[str, list[Member]] = {}
    for row in await session.fetch(_LIST_MEMBERS, group_ids=list(group_ids)):
        group_id, channel_id, role, delta, *rest = row
        shown = None if delta is None else msgspec.Raw(delta)
        found.setdefault(group_id, []).append(Member(channel_id, role, shown, *rest))
    return found


def _experiment(row: Row, members: list[Member]) -> Experiment:
    return Experiment(
        id=row["group_id"],
        group_id=row["group_id"],
        name=row["name"],
        description=row["description"],
        baseline_channel_id=find_baseline(members),
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        members=members,
    )
