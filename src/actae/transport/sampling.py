"""Levels that only a process itself knows: its queue, its pool, its age."""

import asyncio
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from actae.operations.tail import Tail
from actae.operations.writer import Writer
from actae.store.connections import pool_use
from actae.store.database import Database
from actae.transport.tally import Tally

_INTERVAL_SECONDS = 1.0
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


class Sampler:
    """Writes this process's levels into its row."""

    def __init__(self, tally: Tally, db: Database, writer: Writer, tail: Tail) -> None:
        self._tally = tally
        self._db = db
        self._writer = writer
        self._tail = tail
        tally.put("pid", os.getpid())
        tally.put("started_at", int(time.time()))

    def sample(self) -> None:
        """Write them now."""
        pool = pool_use(self._db)
        put = self._tally.put
        put("writer_waiting", self._writer.waiting)
        put("pool_active", pool.active)
        put("pool_open", pool.open)
        put("pool_most", pool.most)
        lags = [follower.lag for follower in self._tail.followers]
        put("websocket_topics", len(self._tail.channel_ids))
        put("websocket_consumers", len(lags))
        put("websocket_queued_messages", sum(lags))
        put("websocket_lag_most", max(lags, default=0))


@asynccontextmanager
async def keep_sampled(sampler: Sampler) -> AsyncIterator[None]:
    """While the block runs, the levels are a second old at most: another worker may be asked for them."""
    sampling = asyncio.create_task(_sample_for_ever(sampler), name="actae sampling")
    try:
        yield
    finally:
        sampling.cancel()
        with suppress(asyncio.CancelledError):
            await sampling


async def _sample_for_ever(sampler: Sampler) -> None:
    while True:
        sampler.sample()
        await asyncio.sleep(_INTERVAL_SECONDS)


def resident_bytes(pid: int) -> int | None:
    """The memory that a process occupies; None for one that has ended, and where /proc does not tell."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as told:  # noqa: PTH123  # not a file, and asked often
            return int(told.read().split()[1]) * _PAGE_BYTES
    except (OSError, IndexError, ValueError):
        return None
