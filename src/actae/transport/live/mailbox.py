"""What is on its way to one event stream."""

import asyncio
from collections.abc import Callable
from typing import Final

from actae.operations.tail import ReaderGone, Run, Told
from actae.transport.live.patience import Patience
from actae.transport.signals import Signal

_HELD_BYTES: Final = 64 * 2**10


class Mailbox:
    """As much as one write carries, never more: a follower fills it, a response empties it."""

    def __init__(self, encode: Callable[[Told], bytes], patience: Patience) -> None:
        self._encode = encode
        self._patience = patience
        self._held: list[bytes] = []
        self._size = 0
        self._something = Signal()
        self._emptied = Signal()
        self._emptied.set()
        self._ended = Signal()

    def is_ready(self) -> bool:
        """Whether it takes events now."""
        return self._size < _HELD_BYTES and not self._ended.is_set()

    def write(self, run: Run) -> None:
        """Hold them until the response sends them."""
        pieces = run.encoded(self._encode)
        self._held.append(pieces)
        self._size += len(pieces)
        self._emptied.clear()
        self._something.set()

    async def drained(self) -> None:
        """Return when it is ready; a reader that takes nothing for long is dropped.

        Raises:
            ReaderGone
        """
        if self._size >= _HELD_BYTES and not await self._patience.wait(self._emptied):
            self.end()
        if self._ended.is_set():
            raise ReaderGone

    def fail(self, _error: Exception) -> None:
        """End the stream; the reader comes back with its cursor."""
        self.end()

    def end(self) -> None:
        """Nothing comes any more."""
        self._ended.set()
        self._something.set()
        self._emptied.set()

    @property
    def has_ended(self) -> bool:
        """Whether nothing comes any more."""
        return self._ended.is_set()

    async def ended(self) -> None:
        """Return when nothing comes any more."""
        await self._ended.wait()

    async def take(self, seconds: float) -> bytes:
        """Everything that is held, as soon as there is something; nothing, if nothing comes for so long."""
        try:
            async with asyncio.timeout(seconds):
                await self._something.wait()
        except TimeoutError:
            return b""
        held, self._held, self._size = self._held, [], 0
        self._something.clear()
        self._emptied.set()
        return b"".join(held)
