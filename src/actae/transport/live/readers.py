"""How many connections a process keeps open for readers."""

from types import TracebackType
from typing import Final

from actae.domain.errors import TooManyReadersError
from actae.transport.tally import Tally

WEB_SOCKETS: Final = "websocket_connections"
EVENT_STREAMS: Final = "event_streams"
WAITING_CONSUMERS: Final = "waiting_consumers"


class Readers:
    """Counts WebSockets, event streams and waiting consumers together, and takes no more than so many."""

    def __init__(self, tally: Tally, most: int) -> None:
        self._tally = tally
        self._most = most
        self._open = {WEB_SOCKETS: 0, EVENT_STREAMS: 0, WAITING_CONSUMERS: 0}
        # A predecessor that was killed has left its levels where this process counts.
        for level in (*self._open, "websocket_slow_consumers"):
            tally.put(level, 0)

    def one_more(self, kind: str) -> "Seat":
        """Count one more of this kind, until its seat is left.

        Raises:
            TooManyReadersError: the process takes no more.
        """
        if sum(self._open.values()) >= self._most:
            raise TooManyReadersError(
                f"This server process takes {self._most} readers at a time.", self._most
            )
        self.count(kind, 1)
        return Seat(self, kind)

    def count(self, kind: str, change: int) -> None:
        """So many more of this kind, or fewer."""
        self._open[kind] += change
        self._tally.put(kind, self._open[kind])


class Seat:
    """A reader that is counted while the block runs."""

    __slots__ = ("_kind", "_readers")

    def __init__(self, readers: Readers, kind: str) -> None:
        self._readers = readers
        self._kind = kind

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._readers.count(self._kind, -1)
