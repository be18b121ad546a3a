"""Promotions: rows to records."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from actae.domain.channels import Head
from actae.store.database import Session, Transaction
from actae.store.queries import query

_GET = query("get_promotion")
_ADD = query("add_promotion")
_MOVE_HEAD = query("move_head")


class Promotion(NamedTuple):
    """What a promotion brought to the parent."""

    channel_id: str
    parent_channel_id: str
    event_id: str
    cursor: int
    state_version: int | None


async def get_promotion(session: Session, channel_id: str) -> Promotion | None:
    """The promotion of a fork, if it was promoted."""
    row = await session.fetch_one(_GET, channel_id=channel_id)
    return None if row is None else Promotion(*row)


async def add_promotion(tx: Transaction, made: Promotion, now: datetime) -> None:
    """Remember it, so that a second one gets the same answer."""
    values = made._asdict() | {"event_id": UUID(made.event_id)}
    await tx.execute(_ADD, **values, now=now)


async def move_head(tx: Transaction, head: Head, now: datetime) -> None:
    """Write a locked head at its next position."""
    await tx.execute(
        _MOVE_HEAD,
        channel_id=head.channel_id,
        cursor=head.cursor,
        chain_hash=head.chain_hash,
        version=head.version,
        latest_version=head.latest_version,
        latest_version_cursor=head.latest_version_cursor,
        latest_step=head.latest_step,
        now=now,
    )
