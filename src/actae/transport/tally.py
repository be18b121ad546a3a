"""What a server has done, in numbers.

Plain integers in one block of memory, a row per process. Several workers share the block, so whichever of
them is asked can speak for all; a row belongs to one process at a time, and to its successor after it.
"""

import mmap
from array import array
from collections.abc import Iterable, Mapping, MutableSequence
from types import MappingProxyType
from typing import Final, cast

from actae.transport.error_replies import STATUSES

# Upper bounds of histogram buckets; one more bucket takes what is above them.
BATCH_MICROSECONDS: Final = (500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, 5_000_000)
BATCH_ASKS: Final = (1, 2, 4, 8, 16, 32, 64, 128, 256)

RESPONSE_STATUSES: Final = (101, 200, *sorted(set(STATUSES.values())))

SETTLING_CALLS: Final = ("complete", "fail", "heartbeat", "cancel")

_INTEGER_BYTES = 8

_COUNTERS = (
    "batches", "batch_asks", "batch_events", "batch_microseconds", "races_lost", "batches_isolated", "asks_poisoned",
    "database_lost", "leases_taken_over", "requests_failed", "embedded_restarts", "responses.other",
    "websocket_messages_sent", "websocket_messages_received",
)  # fmt: skip
_LEVELS = (
    "pid", "started_at", "rss_bytes", "writer_waiting", "pool_active", "pool_open", "pool_most", "websocket_connections",
    "websocket_topics", "websocket_consumers", "websocket_slow_consumers", "websocket_queued_messages",
)  # fmt: skip


def slots_for(operations: Iterable[str]) -> Mapping[str, int]:
    """The place of each number in a row. Equal for all processes that run the same code."""
    names = (
        *_COUNTERS,
        *_LEVELS,
        *(f"stale_owners_refused.{call}" for call in SETTLING_CALLS),
        *(f"responses.{status}" for status in RESPONSE_STATUSES),
        *(f"batch_microseconds.{place}" for place in range(len(BATCH_MICROSECONDS) + 1)),
        *(f"batch_asks.{place}" for place in range(len(BATCH_ASKS) + 1)),
        *(f"requests.{operation}" for operation in operations),
    )
    return MappingProxyType({name: place for place, name in enumerate(dict.fromkeys(names))})


class Tally:
    """The numbers of one process, and the sums over all that share them.

    `numbers[place(name)] += 1` is all that counting costs.
    """

    def __init__(self, operations: Iterable[str], *, memory: int | None = None, row: int = 0, rows: int = 1) -> None:
        """`memory` is a file descriptor that the processes share; without it the numbers are this process's own.

        Raises:
            ValueError: there is no such row.
        """
        if not 0 <= row < rows:
            raise ValueError(f"there is no row {row} among {rows}")
        self._slots = slots_for(operations)
        self._rows = rows
        self._offset = row * len(self._slots)
        self.numbers: MutableSequence[int] = array("q", bytes(rows * len(self._slots) * _INTEGER_BYTES))
        if memory is not None:
            self.numbers = cast(MutableSequence[int], memoryview(mmap.mmap(memory, len(self.numbers) * _INTEGER_BYTES)).cast("q"))

    @property
    def is_shared(self) -> bool:
        """Whether other processes count in the same block."""
        return self._rows > 1

    def place(self, name: str) -> int:
        """Where this process keeps a number."""
        return self._offset + self._slots[name]

    def add(self, name: str, amount: int = 1) -> None:
        """Count something that does not happen often enough to keep its place."""
        self.numbers[self.place(name)] += amount

    def put(self, name: str, value: int) -> None:
        """Set a level."""
        self.numbers[self.place(name)] = value

    def total(self, name: str) -> int:
        """The sum over all processes."""
        return sum(self.each(name))

    def each(self, name: str) -> list[int]:
        """The number of each process, by row."""
        width = len(self._slots)
        return [self.numbers[row * width + self._slots[name]] for row in range(self._rows)]

    def names(self, group: str) -> dict[str, str]:
        """The names `group.X`, by X."""
        prefix = f"{group}."
        return {name.removeprefix(prefix): name for name in self._slots if name.startswith(prefix)}


def bytes_needed(operations: Iterable[str], rows: int) -> int:
    """How large a block is that so many processes share."""
    return rows * len(slots_for(operations)) * _INTEGER_BYTES
