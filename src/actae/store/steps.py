"""Steps outside of the writer: rows to records."""

from uuid import UUID

from actae.domain.channels import Head
from actae.domain.view import StepRow
from actae.store.database import Session, Transaction
from actae.store.forks import get_fork
from actae.store.queries import query

_GET_LATEST_AT = query("get_latest_step_at")
_ADD = query("add_step")


async def latest_step_at(session: Session, channel_id: str, cursor: int) -> int:
    """The highest number that the channel itself recorded up to a cursor; 0 if there is none."""
    row = await session.fetch_one(_GET_LATEST_AT, channel_id=channel_id, at_most=cursor)
    return 0 if row is None else int(row["latest_step"])


async def latest_step_of(session: Session, head: Head) -> int:
    """The highest number that a channel recorded or inherited; 0 if there is none."""
    fork = await get_fork(session, head.channel_id) if head.is_fork else None
    return max(head.latest_step, 0 if fork is None else fork.inherited_steps)


async def step_of_snapshot(session: Session, channel_id: str, version: int, cursor: int) -> int:
    """The step after which a state was saved; 0 where none was recorded by then.

    A state that a fork was given is as old as it was on the source.
    """
    step = await latest_step_at(session, channel_id, cursor)
    fork = None if step else await get_fork(session, channel_id)
    if fork is None:
        return step
    if version == 1 and fork.restorable:
        return await step_of_snapshot(
            session, fork.source_channel_id, fork.source_state_version, fork.resolved_cursor
        )
    return fork.inherited_steps


async def add_step(tx: Transaction, row: StepRow) -> None:
    """One step, written by a story."""
    await tx.execute(_ADD, **row._asdict() | {"event_id": UUID(row.event_id)})
