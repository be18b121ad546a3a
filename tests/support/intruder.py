"""Comes between a batch's read and its write, as another server would; exactly so many times."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

import asyncpg

from actae import crash_points
from actae.crash_points import CrashPoint
from tests.support.elsewhere import elsewhere

Act: TypeAlias = Callable[[], Awaitable[object]]


class Intruder:
    """Acts each time a batch has been decided and is not written yet, the first so many times.

    By default it moves the channel's head. After that it only looks whether the head is locked against it.
    """

    def __init__(self, dsn: str, channel_id: str, *, times: int, act: Act | None = None) -> None:
        self._dsn = dsn
        self._channel_id = channel_id
        self._times_left = times
        self._act = act or self._move_head
        self.was_locked_out = False

    def reach(self, point: CrashPoint) -> None:
        """What crash_points calls. The batch waits for it."""
        if point is CrashPoint.BATCH_DECIDED:
            elsewhere(self._intrude)

    async def _intrude(self) -> None:
        if self._times_left > 0:
            self._times_left -= 1
            await self._act()
        else:
            await self._try_to_lock()

    async def _move_head(self) -> None:
        await self._execute("update channel_heads set revision = revision + 1 where channel_id = $1")

    async def _try_to_lock(self) -> None:
        try:
            await self._execute("select 1 from channel_heads where channel_id = $1 for update nowait")
        except asyncpg.LockNotAvailableError:
            self.was_locked_out = True

    async def _execute(self, statement: str) -> None:
        connection = await asyncpg.connect(self._dsn)
        try:
            await connection.execute(statement, self._channel_id)
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
