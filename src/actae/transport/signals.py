"""What connections wait with, in their thousands: it takes no room for a crowd that never comes.

asyncio's own keep some ready: three quarters of a kilobyte in each Event, three kilobytes in each Queue.
"""

import asyncio
from typing import Any


class Signal:
    """Set or not; whoever waits goes on when it is set. As `asyncio.Event`."""

    __slots__ = ("_is_set", "_waiting")

    def __init__(self) -> None:
        self._is_set = False
        self._waiting: list[asyncio.Future[None]] = []

    def is_set(self) -> bool:
        """Whether it is set."""
        return self._is_set

    def set(self) -> None:
        """Let everybody go on who waits."""
        self._is_set = True
        for each in self._waiting:
            if not each.done():
                each.set_result(None)

    def clear(self) -> None:
        """From now on there is something to wait for."""
        self._is_set = False

    async def wait(self) -> None:
        """Return when it is set, or was, though it may be no more."""
        if self._is_set:
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        finally:
            self._waiting.remove(turn)


class Inbox:
    """Messages in the order in which they came, for one who takes them. As an unbounded `asyncio.Queue`."""

    __slots__ = ("_arrival", "_messages")

    def __init__(self) -> None:
        self._messages: list[Any] = []
        self._arrival = Signal()

    def empty(self) -> bool:
        """Whether there is none."""
        return not self._messages

    def put_nowait(self, message: Any) -> None:
        """Add one to the end."""
        self._messages.append(message)
        self._arrival.set()

    async def get(self) -> Any:
        """Take the first, as soon as there is one."""
        while not self._messages:
            self._arrival.clear()
            await self._arrival.wait()
        return self._messages.pop(0)
