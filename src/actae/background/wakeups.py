"""Looks for due wake-ups, again and again. Every server does, and none of them leads."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

from actae.domain.errors import UnavailableError
from actae.observations import Observer, SweepFailed, SweepInterrupted
from actae.operations.firing import sweep
from actae.settings import Settings
from actae.store.database import Database

_GRACE_SECONDS: Final = 5.0
_JITTER: Final = 0.2  # of a tick, so that servers which began together do not look together


@asynccontextmanager
async def fire_due_wakeups(db: Database, settings: Settings, observe: Observer) -> AsyncIterator[None]:
    """While the block runs, wake-ups fire. At its end the sweep under way is finished; if that takes long, it
    is cut off, and a wake-up that was about to fire is as if nobody had tried it.
    """
    stop = asyncio.Event()
    sweeping = asyncio.create_task(_sweep_until(stop, db, settings, observe), name="actae wake-ups")
    try:
        yield
    finally:
        stop.set()
        await asyncio.wait({sweeping}, timeout=_GRACE_SECONDS)
        sweeping.cancel()
        with suppress(asyncio.CancelledError):
            await sweeping


async def _sweep_until(stop: asyncio.Event, db: Database, settings: Settings, observe: Observer) -> None:
    is_well = True
    while not stop.is_set():
        is_more = False
        trouble: SweepInterrupted | SweepFailed | None = None
        try:
            is_more = await sweep(db, lag_seconds=settings.wakeup_lag_seconds, observe=observe)
        except UnavailableError as away:
            trouble = SweepInterrupted(away.message)
        except Exception as error:  # the server goes on, whatever it is
            trouble = SweepFailed(error)
        if trouble is not None and is_well:
            observe(trouble)
        is_well = trouble is None
        if not is_more:
            await _wait(stop, settings.wakeup_tick_seconds * random.uniform(1 - _JITTER, 1 + _JITTER))  # noqa: S311


async def _wait(stop: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), seconds)
