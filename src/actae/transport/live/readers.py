"""How many connections a process keeps open for readers."""

from contextlib import ExitStack
from typing import Final

from actae.domain.errors import TooManyReadersError
from actae.transport.tally import Tally

WEB_SOCKETS: Final = "websocket_connections"
EVENT_STREAMS: Final = "event_streams"


class Readers:
    """Counts WebSockets and event streams together, and takes no more than so many."""

    def __init__(self, tally: Tally, most: int) -> None:
        self._tally = tally
        self._most = most
        self._open = {WEB_SOCKETS: 0, EVENT_STREAMS: 0}
        # A predecessor that was killed has left its levels where this process counts.
        for level in (*self._open, "websocket_slow_consumers"):
            tally.put(level, 0)

    def one_more(self, kind: str) -> ExitStack:
        """Count one more of this kind, until what is returned is left or closed.

        Raises:
            TooManyReadersError: the process takes no more.
        """
        if sum(self._open.values()) >= self._most:
            raise TooManyReadersError(
                f"This server process takes {self._most} readers at a time.", self._most
            )
        self._count(kind, 1)
        seat = ExitStack()
        seat.callback(self._count, kind, -1)
        return seat

    def _count(self, kind: str, change: int) -> None:
        self._open[kind] += change
        self._tally.put(kind, self._open[kind])
