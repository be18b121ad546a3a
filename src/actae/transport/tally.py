"""What a server has done, in numbers.

Plain integers in one block of memory, a row per process. Several workers share the block, so whichever of
them is asked can speak for all; a row belongs to one process at a time, and to its successor after it.
"""

import mmap
import os
import sys
from array import array
from collections.abc import Iterable, Mapping, MutableSequence
from types import MappingProxyType
from typing import Final, NamedTuple, cast

from actae.transport.error_replies import STATUSES

# Upper bounds of histogram buckets; one more bucket takes what is above them.
BATCH_MICROSECONDS: Final = (
    500,
    1_000,
    2_500,
    5_000,
    10_000,
    25_000,
    50_000,
    100_000,
    250_000,
    1_000_000,
    5_000_000,
)
BATCH_ASKS: Final = (1, 2, 4, 8, 16, 32, 64, 128, 256)

RESPONSE_STATUSES: Final = (101, 200, 304, *sorted(set(STATUSES.values())))

SETTLING_CALLS: Final = ("complete", "fail", "heartbeat", "cancel", "dispatched")

_INTEGER_BYTES = 8

_COUNTERS = (
    "batches", "batch_asks", "batch_events", "batch_microseconds", "races_lost", "batches_isolated",
    "asks_poisoned", "database_lost", "leases_taken_over", "requests_failed", "embedded_restarts",
    "wakeups_fired", "wakeups_put_off", "wakeups_failed", "channels_removed", "removals_failed",
    "responses.other", "websocket_messages_sent", "websocket_messages_received", "tail_failed", "hints_lost",
)  # fmt: skip
_LEVELS = (
    "pid", "started_at", "writer_waiting", "pool_active", "pool_open", "pool_most", "websocket_connections",
    "event_streams", "waiting_consumers", "websocket_topics", "websocket_consumers",
    "websocket_slow_consumers", "websocket_queued_messages", "websocket_lag_most",
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


class Share(NamedTuple):
    """A process's row in a block that several share: an open file in memory, and which of how many rows."""

    memory: int
    row: int
    rows: int


class Tally:
    """The numbers of one process, and the sums over all that share them.

    `numbers[place(name)] += 1` is all that counting costs.
    """

    def __init__(self, operations: Iterable[str], share: Share | None = None) -> None:
        """Without a share the numbers are this process's own."""
        self._slots = slots_for(operations)
        self._rows = 1 if share is None else share.rows
        self._offset = 0 if share is None else share.row * len(self._slots)
        self.numbers = _block(self._rows * len(self._slots), share)

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


def add_beside(memory: int, name: str) -> None:
    """Count something that only the process that keeps the workers knows, which has no row of its own.

    It goes into the first row, where counters stand before what depends on the operations that are served: so
    nothing has to be known of them here. No worker counts the same, so nobody is raced.
    """
    place = slots_for(())[name] * _INTEGER_BYTES
    held = int.from_bytes(os.pread(memory, _INTEGER_BYTES, place), sys.byteorder)  # nothing is 0
    os.pwrite(memory, (held + 1).to_bytes(_INTEGER_BYTES, sys.byteorder), place)


def _block(length: int, share: Share | None) -> MutableSequence[int]:
    if share is None:
        return array("q", bytes(length * _INTEGER_BYTES))
    # Every worker asks for the same size, so it does not matter who is first.
    os.ftruncate(share.memory, length * _INTEGER_BYTES)
    memory = mmap.mmap(share.memory, length * _INTEGER_BYTES)
    return cast(MutableSequence[int], memoryview(memory).cast("q"))
