"""How many connections a process keeps open for readers."""

from collections.abc import Iterator
from contextlib import contextmanager

from actae.domain.errors import TooManyReadersError
from actae.transport.tally import Tally


class Readers:
    """Counts WebSockets and event streams together, and takes no more than so many."""

    def __init__(self, tally: Tally, most: int) -> None:
        self._tally = tally
        self._most = most
        self._open = {"websocket_connections": 0, "event_streams": 0}

    @contextmanager
    def one_more(self, kind: str) -> Iterator[None]:
        """Count one while the block runs."""
        self._count(kind, 1)
        try:
            yield
        finally:
            self._count(kind, -1)

    def check(self) -> None:
        """Raise TooManyReadersError if there are more than this process takes."""
        if sum(self._open.values()) > self._most:
            raise TooManyReadersError(
                f"This server process takes {self._most} readers at a time.", self._most
            )

    def _count(self, kind: str, change: int) -> None:
        self._open[kind] += change
        self._tally.put(kind, self._open[kind])
