"""The way out of a server, which nobody may cut short."""

import signal
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


async def then_deaf(serving: Awaitable[T]) -> T:
    """Wait for the end of the serving, and take no more signals after it.

    What follows puts everything away. The loop's own handlers go with the loop, and a second SIGTERM in that
    moment would end the process with the database still open.
    """
    try:
        return await serving
    finally:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
