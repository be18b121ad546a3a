"""What is remembered of channels for readers who are a little behind, within one bound for all of them."""

from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

from actae.operations.tail.told import Run, joined

_NEWEST_RUNS_MAX: Final = 256
_READ_RUNS_MAX: Final = 16


class Memory:
    """Bounds what all channels together remember. The one that grew longest ago forgets first."""

    def __init__(self, bytes_max: int) -> None:
        self._bytes_max = bytes_max
        self._users: OrderedDict[Recollection, None] = OrderedDict()
        self.held = 0

    def grow(self, user: "Recollection", size: int) -> None:
        """Somebody remembers more; somebody may have to forget."""
        self.held += size
        self._users[user] = None
        self._users.move_to_end(user)
        while self.held > self._bytes_max:
            idlest = next(iter(self._users))
            self.held -= idlest.forget_oldest()
            if not idlest:
                del self._users[idlest]

    def shrink(self, user: "Recollection", size: int) -> None:
        """Somebody remembers less."""
        self.held -= size
        if not user:
            self._users.pop(user, None)


class Recollection:
    """One channel: the newest events without a gap, and what was read from its log a moment ago.

    Readers who catch up move in herds, as after a server's death. Whoever comes first reads for all.
    """

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        # Lists, though the oldest goes first: most channels remember nothing, and a deque has room for 64.
        self._newest: list[Run] = []
        self._read: list[Run] = []

    def __bool__(self) -> bool:
        return bool(self._newest or self._read)

    def add_newest(self, run: Run) -> None:
        """What follows the newest events."""
        self._add(self._newest, run, _NEWEST_RUNS_MAX)

    def add_read(self, runs: Sequence[Run]) -> None:
        """What was read from the log, wherever it lies."""
        for run in runs:
            self._add(self._read, run, _READ_RUNS_MAX)

    def find_after(self, cursor: int) -> Run | None:
        """The next events above a cursor, if they are remembered."""
        newest = self._newest
        if newest and newest[0].first <= cursor + 1 <= newest[-1].last:
            near = reversed(newest)  # Most readers are only a little behind.
        else:
            near = reversed(self._read)
        for run in near:
            if run.first <= cursor + 1 <= run.last:
                return run.after(cursor)
        return None

    def join_after(self, cursor: int) -> Run | None:
        """The newest events from above a cursor on, in one run if one write carries them."""
        runs = [run for run in self._newest if run.last > cursor]
        if not runs or runs[0].first > cursor + 1:
            return None
        return joined(runs).after(cursor)

    def forget_oldest(self) -> int:
        """Forget a little; what that gives back."""
        return (self._read or self._newest).pop(0).footprint

    def forget(self) -> None:
        """Nobody follows the channel any more."""
        size = sum(run.footprint for runs in (self._read, self._newest) for run in runs)
        self._read.clear()
        self._newest.clear()
        self._memory.shrink(self, size)

    def _add(self, runs: list[Run], run: Run, most: int) -> None:
        runs.append(run)
        self._memory.grow(self, run.footprint)
        while len(runs) > most:
            self._memory.shrink(self, runs.pop(0).footprint)
