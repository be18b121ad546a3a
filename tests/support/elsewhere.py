"""Runs something on another event loop while this one stands still."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any


def elsewhere(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Block until it is done. What fails there fails here."""
    failures: list[BaseException] = []

    def run() -> None:
        try:
            asyncio.run(work())
        except BaseException as failure:
            failures.append(failure)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if failures:
        raise failures[0]
