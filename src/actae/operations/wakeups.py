"""Wake-ups as callers have them: schedule, look, cancel. `firing.py` lets them fire."""

from datetime import datetime

import msgspec

from actae.domain.errors import IdempotencyConflictError, WakeupNotFoundError, WakeupNotPendingError
from actae.domain.event_ids import EventIds
from actae.domain.identity import Identity
from actae.domain.wakeups import Wakeup, public_id
from actae.store import channels as channels_store
from actae.store import wakeups as store
from actae.store.database import Database, Transaction, story
from actae.store.instance import ping
from actae.store.wakeups import Place


class ScheduleWakeup(msgspec.Struct, frozen=True):
    """Have an event appended at or after a moment."""

    channel_id: str
    run_at: datetime
    payload: bytes | None
    identity: Identity | None


@story
async def schedule(tx: Transaction, ask: ScheduleWakeup) -> Wakeup:
    """The new wake-up; a repetition gets the first one as it stands now. The channel need not exist.

    Raises:
        IdempotencyConflictError, ChannelClosedError, ChannelDeletedError
    """
    now = await ping(tx)
    identity = ask.identity
    if identity is None:
        wakeup_id, content_digest = EventIds(now).next().replace("-", ""), None
    else:
        wakeup_id, content_digest = identity.operation_digest, identity.content_digest
    is_new = await store.add_wakeup(
        tx,
        ask.channel_id,
        wakeup_id,
        run_at=ask.run_at,
        payload=ask.payload,
        content_digest=content_digest,
        now=now,
    )
    if is_new:
        await _check_channel(tx, ask.channel_id)
    known = await store.get_wakeup(tx, ask.channel_id, wakeup_id)
    assert known is not None, "a wake-up that was just added, or is in the way, can be seen"
    wakeup, first_digest = known
    if identity is not None and first_digest != identity.content_digest:
        raise IdempotencyConflictError(identity.operation_id)
    return wakeup


async def get(db: Database, channel_id: str, wakeup_id: str) -> Wakeup:
    """One wake-up.

    Raises:
        WakeupNotFoundError
    """
    known = await store.get_wakeup(db, channel_id, wakeup_id)
    if known is None:
        raise WakeupNotFoundError(public_id(channel_id, wakeup_id))
    return known[0]


async def list_by_time(
    db: Database,
    channel_id: str | None,
    *,
    readable: list[str] | None,
    status: str | None,
    after: tuple[str, str] | None,
    most: int,
) -> tuple[list[Wakeup], bool]:
    """The earliest `run_at` first, and whether there are more; of a channel, or of all that are readable.

    `readable` are LIKE patterns; None stands for all. `after` is the channel and the id of a wake-up that the
    page follows. A page ends early where its payloads are large.

    Raises:
        WakeupNotFoundError: there is nothing to follow.
    """
    place = Place() if after is None else store.place_of(await get(db, *after))
    page = await store.list_wakeups(
        db, channel_id, readable=readable, status=status, after=place, most=most + 1
    )
    return page.rows[:most], page.was_cut or len(page.rows) > most


async def cancel(db: Database, channel_id: str, wakeup_id: str) -> None:
    """Keep it from firing.

    Raises:
        WakeupNotFoundError, WakeupNotPendingError
    """
    if not await store.cancel_wakeup(db, channel_id, wakeup_id):
        wakeup = await get(db, channel_id, wakeup_id)
        raise WakeupNotPendingError(wakeup.id, wakeup_status=wakeup.status)


async def _check_channel(tx: Transaction, channel_id: str) -> None:
    """Where nothing can be appended any more, no timer is set."""
    head = await channels_store.hold_head(tx, channel_id)
    refusal = None if head is None else head.refusal()
    if refusal is not None:
        raise refusal
