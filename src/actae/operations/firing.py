"""Lets due wake-ups fire: each in a transaction of its own, once, whichever servers try.

A wake-up is given up for a reason of its own and for no other. Where its channel cannot be had for the
moment, all that the channel has due are put off together; where the database cannot be had, the sweep ends,
and the next one goes on. So none keeps those behind it waiting.
"""

import asyncio
import random
from collections.abc import Iterator, Sequence
from typing import Final

import asyncpg

from actae import crash_points
from actae.crash_points import CrashPoint
from actae.domain.errors import ActaeError, ChannelClosedError, ChannelDeletedError, UnavailableError
from actae.domain.wakeups import (
    WAKEUP_EVENT_TYPE,
    DueWakeup,
    delay_after,
    event_metadata,
    event_payload,
)
from actae.observations import Observer, WakeupFailed, WakeupFired, WakeupPutOff, WakeupsDeferred
from actae.operations.appending import append_event
from actae.store import channels as channels_store
from actae.store import wakeups as store
from actae.store.database import Database, Transaction, story

PAGE: Final = 100
CHANNELS_AT_ONCE: Final = 4
LOCK_WAIT_MILLISECONDS: Final = 2_000
DEFERRAL_SECONDS: Final = 5.0


async def sweep(db: Database, *, lag_seconds: float, observe: Observer) -> bool:
    """Fire what has been due for `lag_seconds`, up to a page; whether there may be more.

    Raises:
        UnavailableError: the database cannot be had.
    """
    due = await store.list_due_wakeups(db, lag_seconds=lag_seconds, most=PAGE)
    channels = iter(in_turn(due))
    ended = await asyncio.gather(
        *(_fire_channels(db, channels, observe) for _ in range(CHANNELS_AT_ONCE)), return_exceptions=True
    )
    for outcome in ended:
        if outcome is not None:
            raise outcome
    return len(due) == PAGE


def in_turn(due: Sequence[DueWakeup]) -> list[list[DueWakeup]]:
    """By channel, each channel's in their order; the channels in any order, so that servers seldom meet."""
    channels: dict[str, list[DueWakeup]] = {}
    for each in due:
        channels.setdefault(each.channel_id, []).append(each)
    turns = list(channels.values())
    random.shuffle(turns)
    return turns


async def _fire_channels(db: Database, channels: Iterator[list[DueWakeup]], observe: Observer) -> None:
    """One of several who take channels from the same iterator."""
    for due in channels:
        for each in due:
            try:
                await _try(db, each, observe)
            except UnavailableError as error:
                await store.defer_due_wakeups(db, each, DEFERRAL_SECONDS)
                observe(WakeupsDeferred(each.channel_id, DEFERRAL_SECONDS, error.message))
                break


async def _try(db: Database, due: DueWakeup, observe: Observer) -> None:
    """Fire one, or count the try.

    Raises:
        UnavailableError: the database, or the channel, cannot be had for the moment.
    """
    try:
        is_ours = await fire(db, due)
    except UnavailableError:
        raise
    except (ChannelClosedError, ChannelDeletedError) as refusal:  # that stays so
        await _count_failure(db, due, refusal, None, observe)
    except Exception as error:  # whatever it is, others are waiting
        await _count_failure(db, due, error, delay_after(due.attempts + 1), observe)
    else:
        if is_ours:
            crash_points.reach(CrashPoint.WAKEUP_COMMITTED_NOT_TOLD)
            observe(WakeupFired(due.id, due.attempts + 1))


async def fire(db: Database, due: DueWakeup) -> bool:
    """Append the event, and mark the wake-up as done; False if there was nothing left to do.

    Raises:
        ChannelClosedError, ChannelDeletedError
        UnavailableError: the database cannot be had, or somebody holds the channel for long.
    """
    try:
        return await _fire(db, due)
    except asyncpg.LockNotAvailableError as error:
        raise UnavailableError(f"Somebody holds channel {due.channel_id!r} for long.") from error


@story
async def _fire(tx: Transaction, due: DueWakeup) -> bool:
    await store.limit_lock_wait(tx, LOCK_WAIT_MILLISECONDS)
    # The channel before what is in it: a deletion locks in this order too.
    await channels_store.lock_heads(tx, due.channel_id)
    held = await store.hold_wakeup(tx, due)
    if held is None:
        return False
    event = await append_event(
        tx,
        due.channel_id,
        WAKEUP_EVENT_TYPE,
        event_payload(due.id, held.run_at, held.payload),
        metadata=event_metadata(due.id),
    )
    await store.finish_wakeup(tx, due, event_cursor=event.cursor, now=event.timestamp)
    crash_points.reach(CrashPoint.WAKEUP_WRITTEN_NOT_COMMITTED)
    return True


async def _count_failure(
    db: Database, due: DueWakeup, error: Exception, delay_seconds: float | None, observe: Observer
) -> None:
    reason = _reason(error)
    if not await store.record_failed_try(db, due, error=reason, delay_seconds=delay_seconds):
        return  # another server has fired it meanwhile, or has counted first
    attempts = due.attempts + 1
    if delay_seconds is None:
        observe(WakeupFailed(due.id, attempts, reason))
    else:
        observe(WakeupPutOff(due.id, attempts, delay_seconds, error))


def _reason(error: Exception) -> str:
    """What the owner of the wake-up is told. What a defect says belongs into the log alone."""
    if isinstance(error, ActaeError):
        return f"{error.code}: {error.message}"
    return f"internal: the event could not be appended ({type(error).__name__})"
