"""Removes channels that are past their policy. Every server tries, and they take turns."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

from actae.domain.errors import UnavailableError
from actae.observations import Observer, RetentionFailed, RetentionInterrupted
from actae.operations.retention import sweep
from actae.settings import Settings
from actae.store.database import Database

_JITTER: Final = (
    0.1  # of the time between two sweeps, so that servers which began together do not look together
)


@asynccontextmanager
async def forget_what_is_over(db: Database, settings: Settings, observe: Observer) -> AsyncIterator[None]:
    """While the block runs, sweeps take place. At its end the one under way is cut off; a channel that it was
    at is as if nobody had tried. A setting of 0 leaves all of it to other servers.
    """
    if settings.retention_sweep_seconds == 0:
        yield
        return
    sweeping = asyncio.create_task(_sweep(db, settings, observe), name="actae retention")
    try:
        yield
    finally:
        sweeping.cancel()
        with suppress(asyncio.CancelledError):
            await sweeping


async def _sweep(db: Database, settings: Settings, observe: Observer) -> None:
    every = settings.retention_sweep_seconds
    is_well = True
    while True:
        trouble: RetentionInterrupted | RetentionFailed | None = None
        try:
            await sweep(db, every_seconds=(1 - 2 * _JITTER) * every, observe=observe)
        except UnavailableError as away:
            trouble = RetentionInterrupted(away.message)
        except Exception as error:  # the server goes on, whatever it is
            trouble = RetentionFailed(error)
        if trouble is not None and is_well:
            observe(trouble)
        is_well = trouble is None
        await asyncio.sleep(every * random.uniform(1 - _JITTER, 1 + _JITTER))  # noqa: S311
