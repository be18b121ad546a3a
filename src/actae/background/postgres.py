"""Keeps the embedded PostgreSQL running: one that dies is started again, and the writer reconnects."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from actae.embedded import EmbeddedPostgres
from actae.observations import EmbeddedRestarted, Observer

_LOOK_SECONDS = 0.25


@asynccontextmanager
async def keep_running(embedded: EmbeddedPostgres, observe: Observer) -> AsyncIterator[None]:
    """While the block runs, a PostgreSQL that ended without being asked is started again."""
    watch = asyncio.create_task(_watch(embedded, observe), name="actae embedded watch")
    try:
        yield
    finally:
        watch.cancel()
        with suppress(asyncio.CancelledError):
            await watch


async def _watch(embedded: EmbeddedPostgres, observe: Observer) -> None:
    while True:
        await asyncio.sleep(_LOOK_SECONDS)
        status = embedded.poll()
        if status is not None:
            # Blocks the loop, on purpose: nothing can be answered meanwhile, and the child must be started
            # from the thread that lives as long as the process, or it would be ended with that thread.
            embedded.start()
            observe(EmbeddedRestarted(status))
