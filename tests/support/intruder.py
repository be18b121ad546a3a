"""Comes between a batch's read and its write, as another server would; exactly so many times."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import asyncpg

from actae import crash_points
from actae.crash_points import CrashPoint


class Intruder:
    """Moves a head each time a batch has been decided and is not written yet, the first so many times.

    After that it only looks whether the head is locked against it.
    """

    def __init__(self, dsn: str, channel_id: str, *, times: int) -> None:
        self._dsn = dsn
        self._channel_id = channel_id
        self._times_left = times
        self.was_locked_out = False

    def reach(self, point: CrashPoint) -> None:
        """What crash_points calls. The decision waits for it, as it waits for nothing in production."""
        if point is CrashPoint.BATCH_DECIDED:
            thread = threading.Thread(target=lambda: asyncio.run(self._intrude()))
            thread.start()
            thread.join()

    async def _intrude(self) -> None:
        connection = await asyncpg.connect(self._dsn)
        try:
            if self._times_left > 0:
                self._times_left -= 1
                statement = "update channel_heads set revision = revision + 1 where channel_id = $1"
            else:
                statement = "select 1 from channel_heads where channel_id = $1 for update nowait"
            await connection.execute(statement, self._channel_id)
        except asyncpg.LockNotAvailableError:
            self.was_locked_out = True
        finally:
            await connection.close()


@contextmanager
def intruding(intruder: Intruder) -> Iterator[Intruder]:
    """While the block runs, the intruder is at work in this process."""
    crash_points.install(intruder.reach)
    try:
        yield intruder
    finally:
        crash_points.install(lambda _point: None)
