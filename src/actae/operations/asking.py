"""Questions to the database whose answers nobody waits for longer than a while."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Asking(Generic[T]):
    """One question, asked once at a time. It may outlast whoever asks.

    `asyncio.timeout` is not enough: to end a query the driver waits for the database, and one that does not
    answer does not answer that either.
    """

    def __init__(self, ask: Callable[[], Awaitable[T]], *, name: str) -> None:
        self._ask = ask
        self._name = name
        self._asked: asyncio.Task[T] | None = None

    async def answer(self, within_seconds: float) -> T:
        """The answer, to this question or to the same one that is still open.

        Raises:
            TimeoutError: it did not come in time, or was given up; and whatever the question raises.
        """
        if self._asked is None or self._asked.done():
            self._asked = asyncio.create_task(self._run(), name=self._name)
            self._asked.add_done_callback(_look)
        asked = self._asked
        await asyncio.wait({asked}, timeout=within_seconds)
        if not asked.done() or asked.cancelled():
            raise TimeoutError
        return asked.result()

    def give_up(self) -> None:
        """Spare the database the rest of an open question."""
        if self._asked is not None:
            self._asked.cancel()

    async def _run(self) -> T:
        return await self._ask()


def _look(asked: "asyncio.Task[T]") -> None:
    """asyncio complains of errors that nobody looks at, and whoever asked may have left."""
    if not asked.cancelled():
        asked.exception()
