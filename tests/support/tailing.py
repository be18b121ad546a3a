"""The live tail without a database and without a network: a log that answers when it is told to, and readers
that take as much as they are told to.
"""

import asyncio
from datetime import UTC, datetime

from actae.domain.errors import UnavailableError
from actae.domain.events import to_event
from actae.domain.view import EventRow
from actae.observations import Observation
from actae.operations.tail import ReaderGone, Run, Tail, Told
from actae.operations.tail.told import tell

NOW = datetime(2026, 1, 1, tzinfo=UTC)
PAGE = 3
EVENT_BYTES = 20_000  # three share a write


def event_row(channel_id: str, cursor: int, size: int = EVENT_BYTES) -> EventRow:
    """One event."""
    payload = b'"%s"' % (b"x" * (size - 2))
    event_id = f"00000000-0000-7000-8000-{cursor:012x}"
    return EventRow(channel_id, cursor, event_id, "note", "test", None, None, payload, None, None, None, b"")


class ScriptedLog:
    """What is committed. A read waits for `answer` while the log is slow, and fails when it is told to.

    It sees what was there when it began, or when it is answered: a database may do either.
    """

    def __init__(self) -> None:
        self.rows: dict[str, list[EventRow]] = {}
        self.is_slow = False
        self.sees_early = False
        self.reads = 0
        self._failures = 0
        self._waiting: list[asyncio.Future[None]] = []

    def append(self, channel_id: str, count: int = 1, size: int = EVENT_BYTES) -> list[EventRow]:
        """Commit events; nobody is told."""
        log = self.rows.setdefault(channel_id, [])
        new = [event_row(channel_id, len(log) + each, size) for each in range(1, count + 1)]
        log += new
        return new

    def head(self, channel_id: str) -> int:
        """The newest cursor."""
        return len(self.rows.get(channel_id, ()))

    def answer(self) -> None:
        """Answer the read that has waited longest."""
        if self._waiting:
            self._waiting.pop(0).set_result(None)

    def answer_all(self) -> None:
        """Be quick from now on."""
        self.is_slow = False
        while self._waiting:
            self.answer()

    def fail_once(self) -> None:
        """Fail the next read that is answered."""
        self._failures = 1

    async def read_head(self, channel_id: str) -> int:
        """As the database."""
        early = self.head(channel_id)
        await self._read()
        return early if self.sees_early else self.head(channel_id)

    async def read_after(self, channel_id: str, cursor: int) -> list[Told]:
        """As the database, a few at a time."""
        early = tuple(self.rows.get(channel_id) or ())
        await self._read()
        rows = early if self.sees_early else self.rows.get(channel_id, ())
        return [tell(to_event(row, NOW)) for row in rows[cursor : cursor + PAGE]]

    async def _read(self) -> None:
        self.reads += 1
        if self.is_slow:
            answered = asyncio.get_running_loop().create_future()
            self._waiting.append(answered)
            try:
                await answered
            finally:
                if answered in self._waiting:
                    self._waiting.remove(answered)
        if self._failures:
            self._failures -= 1
            raise UnavailableError("The database is away.")


class ScriptedSink:
    """A reader: the cursors that it got. It is full after so many writes, until it breathes."""

    def __init__(self, room: int = 1_000_000) -> None:
        self.seen: list[int] = []
        self.has_gone = False
        self._room = room
        self._drained = asyncio.Event()
        self._settle()

    def is_ready(self) -> bool:
        """Whether it takes events now."""
        return self._room > 0 and not self.has_gone

    def write(self, run: Run) -> None:
        """Take them."""
        assert self.is_ready(), "written to a reader that takes nothing"
        self._room -= 1
        self.seen += [each.event.cursor for each in run.told]
        self._settle()

    async def drained(self) -> None:
        """Return when it takes events."""
        await self._drained.wait()
        if self.has_gone:
            raise ReaderGone

    def fail(self, _error: Exception) -> None:
        """Go."""
        self.has_gone = True
        self._settle()

    def breathe(self, room: int) -> None:
        """Take so many writes from now on."""
        self._room = room
        self._settle()

    def _settle(self) -> None:
        if self._room > 0 or self.has_gone:
            self._drained.set()
        else:
            self._drained.clear()


class Scene:
    """A tail on a scripted log. `trouble` holds what it has observed."""

    def __init__(self, *, memory_bytes: int = 1_000_000) -> None:
        self.log = ScriptedLog()
        self.trouble: list[Observation] = []
        self.tail = Tail(self.log, self.trouble.append, memory_bytes=memory_bytes)

    def commit(self, channel_id: str, count: int = 1, size: int = EVENT_BYTES) -> int:
        """This process commits events, and tells of them; the newest cursor."""
        rows = self.log.append(channel_id, count, size)
        self.tail.told(rows, NOW)
        return rows[-1].cursor

    def commit_elsewhere(self, channel_id: str, count: int = 1) -> int:
        """Another process commits events, and nobody is told; the newest cursor."""
        return self.log.append(channel_id, count)[-1].cursor

    def hint(self, channel_id: str) -> None:
        """A hint or the poll says how far the channel reaches."""
        self.tail.heard({channel_id: self.log.head(channel_id)})


async def settle(turns: int = 20) -> None:
    """Let everything happen that waits for nothing."""
    for _ in range(turns):
        await asyncio.sleep(0)
