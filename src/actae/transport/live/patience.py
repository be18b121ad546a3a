"""How long a server waits for a reader that takes nothing."""

import asyncio

from actae.transport.signals import Signal
from actae.transport.tally import Tally


class Patience:
    """Waits for one reader, and not for ever. A reader that is waited for is counted, once."""

    def __init__(self, tally: Tally, seconds: float) -> None:
        self._tally = tally
        self._seconds = seconds
        self._waiting = 0

    async def wait(self, taken: Signal) -> bool:
        """Whether the reader took something in time."""
        self._count(1)
        try:
            async with asyncio.timeout(self._seconds):
                await taken.wait()
        except TimeoutError:
            return False
        finally:
            self._count(-1)
        return True

    def _count(self, change: int) -> None:
        before, self._waiting = self._waiting, self._waiting + change
        if 0 in {before, self._waiting}:
            self._tally.add("websocket_slow_consumers", change)
