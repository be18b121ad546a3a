"""Keeps the embedded PostgreSQL running: one that dies is started again, and the writer reconnects."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

from actae.embedded import EmbeddedPostgres
from actae.observations import EmbeddedEnded, EmbeddedRestarted, EmbeddedRestartFailed, Observer

_LOOK_SECONDS: Final = 0.25
_READY_LOOK_SECONDS: Final = 0.02  # everybody waits for it
_PAUSE_SECONDS: Final = 1.0
_PAUSE_SECONDS_MAX: Final = 30.0


@asynccontextmanager
async def keep_running(embedded: EmbeddedPostgres, observe: Observer) -> AsyncIterator[None]:
    """While the block runs, a PostgreSQL that ended without being asked is started again.

    The block may end in the middle of that; whoever started it stops what there is by then.
    """
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
            observe(EmbeddedEnded(status))
            await _start_again(embedded, observe)
            observe(EmbeddedRestarted(status))


async def _start_again(embedded: EmbeddedPostgres, observe: Observer) -> None:
    """Try until it works: a disk that is full today may have room tomorrow."""
    pause = _PAUSE_SECONDS
    while True:
        try:
            await _start(embedded)
        except Exception as error:  # the server goes on, whatever it is
            observe(EmbeddedRestartFailed(error, pause))
        else:
            return
        await asyncio.sleep(pause)
        pause = min(2 * pause, _PAUSE_SECONDS_MAX)


async def _start(embedded: EmbeddedPostgres) -> None:
    """What may take long leaves the loop free: callers are told to come again, and probes that we live."""
    await asyncio.to_thread(embedded.stop)  # sessions that outlived their server are waited for
    # The child is started from this thread, which lives as long as the process: it ends with its thread.
    embedded.begin()
    while not embedded.is_ready():  # noqa: ASYNC110 - a file says so, and no event
        await asyncio.sleep(_READY_LOOK_SECONDS)
