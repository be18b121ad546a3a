"""The way out of a server, which nobody may cut short."""

import asyncio
import signal
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final, TypeVar

T = TypeVar("T")

SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


class _AskedToLeave(BaseException):
    """A signal came before anything could wait for signals."""


@contextmanager
def leaving_when_asked() -> Iterator[None]:
    """In the block, a signal undoes what has been started, and ends the block without an error.

    It is for the time until an event loop waits for signals. Further ones are ignored.
    """

    def leave(_signal: int, _frame: FrameType | None) -> None:
        for each in SIGNALS:
            signal.signal(each, signal.SIG_IGN)
        raise _AskedToLeave

    for each in SIGNALS:
        signal.signal(each, leave)
    try:
        yield
    except _AskedToLeave:
        return


async def then_deaf(serving: Awaitable[T]) -> T | None:
    """Wait for the end of the serving, and take no more signals after it.

    A signal that comes before the server takes signals itself cancels the serving. What follows puts
    everything away. The loop's own handlers go with the loop, and a second SIGTERM in that moment would end
    the process with the database still open.
    """
    task = asyncio.ensure_future(serving)
    loop = asyncio.get_running_loop()
    for each in SIGNALS:
        loop.add_signal_handler(each, task.cancel)
    try:
        return await task
    except asyncio.CancelledError:
        return None
    finally:
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
