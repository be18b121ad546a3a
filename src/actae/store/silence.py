"""The end of patience with a line on which nothing comes back."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import asyncpg


@contextmanager
def ended_by_silence(connection: asyncpg.Connection, seconds: float) -> Iterator[None]:
    """Cut the connection if the block takes longer; whatever waits for it fails as for any lost connection.

    PostgreSQL ends what takes too long, if it hears of it. Where the line swallows everything, or the process
    at its other end was frozen, it does not. A timeout of the driver's does not help: to end a query it
    waits for the database.
    """
    patience = asyncio.get_running_loop().call_later(seconds, connection.terminate)
    try:
        yield
    finally:
        patience.cancel()
