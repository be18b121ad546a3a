"""Retention: the policies, and the runs that remove what is past them."""

import asyncio
from time import monotonic
from typing import Final

from actae.domain.retention import Policy, Removed, Run, Standing, removed
from actae.domain.retention_errors import RetentionPolicyNotFoundError
from actae.observations import ChannelRemoved, Observer, RemovalFailed, RetentionSwept
from actae.operations.removal import May, Search, remove
from actae.store import retention as store
from actae.store.database import Database, Transaction, story
from actae.store.instance import ping

RUN_SECONDS: Final = 10.0  # callers give up after 30
PATIENCE_SECONDS: Final = 600.0  # for a channel of a sweep; the largest hold millions of events
REST_SECONDS_MAX: Final = 1.0


@story
async def set_policy(tx: Transaction, pattern: str, keep_for_seconds: int | None, *, set_by: str) -> Policy:
    """Keep the channels of a pattern for so long after their end; None is for ever."""
    return await store.set_policy(tx, pattern, keep_for_seconds, set_by=set_by, now=await ping(tx))


async def remove_policy(db: Database, pattern: str) -> None:
    """From now on a wider pattern counts for these channels or, if there is none, they stay.

    Raises:
        RetentionPolicyNotFoundError
    """
    if not await store.remove_policy(db, pattern):
        raise RetentionPolicyNotFoundError(pattern)


async def list_policies(db: Database) -> list[Policy]:
    """All policies, by their patterns."""
    return await store.list_policies(db)


async def run(db: Database, *, is_dry: bool, most: int, may: May, observe: Observer) -> Run:
    """Remove what is past its policy, up to a number and for some seconds; a dry run only says what that is.

    `may` says of which channels the caller may decide. What cannot be removed in time is left to the sweeps.

    Raises:
        UnavailableError: the database cannot be had.
    """
    search = Search(db, may)
    went: list[Removed] = []
    has_more = False
    ends_at = monotonic() + RUN_SECONDS
    async for standing in search.find():
        has_more = len(went) >= most or monotonic() >= ends_at
        if has_more:
            break
        gone = standing if is_dry else await _try(db, standing, search, observe, patience_seconds=None)
        if gone is not None:
            went.append(removed(gone))
    return Run(is_dry, went, dict(sorted(search.kept.items())), has_more)


async def sweep(db: Database, *, every_seconds: float, observe: Observer) -> None:
    """If nobody has begun within that time, remove everything that is past its policy, without hurry.

    Raises:
        UnavailableError: the database cannot be had.
    """
    if not await store.take_turn(db, every_seconds):
        return
    search = Search(db, lambda _channel_id: True)
    count = 0
    began_at = monotonic()
    async for standing in search.find():
        started = monotonic()
        gone = await _try(db, standing, search, observe, patience_seconds=PATIENCE_SECONDS)
        count += gone is not None
        # Half of the time at most: agents come first.
        await asyncio.sleep(min(monotonic() - started, REST_SECONDS_MAX))
    await store.end_turn(db, count)
    observe(RetentionSwept(count, search.kept.total(), round(monotonic() - began_at, 3)))


async def _try(
    db: Database, found: Standing, search: Search, observe: Observer, *, patience_seconds: float | None
) -> Standing | None:
    """Remove it, or count why it stays. One that cannot go ends nothing; a database that is away does."""
    try:
        gone = await remove(db, found.channel_id, patience_seconds=patience_seconds)
    except Exception as error:
        observe(RemovalFailed(found.channel_id, error))
        await ping(db)
        search.kept["failed"] += 1
        return None
    if gone is None:
        search.kept["busy"] += 1
    else:
        observe(ChannelRemoved(gone.channel_id, removed(gone).pattern, gone.event_count))
    return gone
