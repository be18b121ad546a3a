"""Retention: rows to records."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from actae.domain.retention import Policy, Standing
from actae.store.database import Session, Transaction
from actae.store.queries import query

_LIST_POLICIES = query("list_retention_policies")
_SET_POLICY = query("set_retention_policy")
_REMOVE_POLICY = query("remove_retention_policy")
_LIST_ENDED = query("list_ended_channels")
_JUDGE = query("judge_channels")
_LIMIT_STATEMENT_TIME = query("limit_statement_time")
_TAKE_TURN = query("take_retention_turn")
_END_TURN = query("end_retention_turn")
_GET_LAST_SWEEP = query("get_last_retention_sweep")


class Place(NamedTuple):
    """A place in the list of channels that ended."""

    ended_at: datetime
    channel_id: str


BEGINNING = Place(datetime.min.replace(tzinfo=UTC), "")


class LastSweep(NamedTuple):
    """How many policies there are, and when the last sweep came to its end, as a Unix time; 0 if none did."""

    policies: int
    ended_at: float


async def list_policies(session: Session) -> list[Policy]:
    """All policies by their patterns."""
    return [Policy(*row) for row in await session.fetch(_LIST_POLICIES)]


async def set_policy(
    tx: Transaction, pattern: str, keep_for_seconds: int | None, *, set_by: str, now: datetime
) -> Policy:
    """Put a policy in the place of the pattern's earlier one."""
    row = await tx.fetch_one(
        _SET_POLICY, pattern=pattern, keep_for_seconds=keep_for_seconds, set_by=set_by, now=now
    )
    assert row is not None, "what was put is returned"
    return Policy(*row)


async def remove_policy(session: Session, pattern: str) -> bool:
    """Whether there was one."""
    return await session.fetch_one(_REMOVE_POLICY, pattern=pattern) is not None


async def list_ended(session: Session, *, before: datetime, after: Place, most: int) -> list[Place]:
    """Channels that ended by then, the first to end first, whatever keeps them."""
    rows = await session.fetch(
        _LIST_ENDED,
        ended_before=before,
        after_ended_at=after.ended_at,
        after_channel_id=after.channel_id,
        most=most,
    )
    return [Place(row["ended_at"], row["channel_id"]) for row in rows]


async def judge(session: Session, channel_ids: Sequence[str]) -> dict[str, Standing]:
    """How channels stand now."""
    rows = await session.fetch(_JUDGE, channel_ids=list(channel_ids))
    return {row["channel_id"]: Standing(**dict(row)) for row in rows}


async def allow_time(tx: Transaction, seconds: float) -> None:
    """From here on in this transaction, a statement that returns nothing may take so long."""
    await tx.fetch_one(_LIMIT_STATEMENT_TIME, milliseconds=str(int(1000 * seconds)))
    tx.timeout_seconds = seconds + 5


async def take_turn(session: Session, every_seconds: float) -> bool:
    """Whether it is the caller who sweeps now: nobody began within that time, and there are policies."""
    return await session.fetch_one(_TAKE_TURN, every_seconds=every_seconds) is not None


async def end_turn(session: Session, removed: int) -> None:
    """Say that the sweep came to its end."""
    await session.execute(_END_TURN, removed=removed)


async def get_last_sweep(session: Session) -> LastSweep:
    """Of whichever server."""
    row = await session.fetch_one(_GET_LAST_SWEEP)
    assert row is not None, "a count has a row"
    return LastSweep(*row)
