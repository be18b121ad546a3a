"""Clears away what guards have no use for any more. Every server does, and none of them leads."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

from actae.domain.errors import UnavailableError
from actae.observations import Observer, SweepFailed
from actae.operations.guards import forget
from actae.store.database import Database

_SECONDS: Final = 60.0
_JITTER: Final = 0.5  # so that servers which began together do not sweep together


@asynccontextmanager
async def forget_ended_windows(db: Database, observe: Observer) -> AsyncIterator[None]:
    """While the block runs, windows that ended long ago are cleared away, a few at a time."""
    sweeping = asyncio.create_task(_sweep(db, observe), name="actae guards")
    try:
        yield
    finally:
        sweeping.cancel()  # what is under way rolls back, and the next one does it
        with suppress(asyncio.CancelledError):
            await sweeping


async def _sweep(db: Database, observe: Observer) -> None:
    is_well = True
    while True:
        await asyncio.sleep(_SECONDS * random.uniform(1 - _JITTER, 1 + _JITTER))  # noqa: S311
        try:
            while await forget(db):
                pass
        except UnavailableError:
            continue
        except Exception as error:  # the server goes on, whatever it is
            if is_well:
                observe(SweepFailed(error))
            is_well = False
        else:
            is_well = True
