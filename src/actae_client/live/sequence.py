"""The events of one channel, put in order as they come."""

from __future__ import annotations

from collections.abc import Sequence as List
from typing import Final

from actae_client._types.events import Event

EVENTS_MAX: Final = 1000
BYTES_MAX: Final = 4 * 2**20


class Sequence:
    """Gives each event of a channel once and in order, and says when the next has to be read.

    A channel numbers its events without a gap, so nothing is missed unnoticed. What comes live is
    kept for its turn as far as there is room. Whatever does not come so, because there was no room, the
    connection was cut or the event is too large for a frame, is read by its cursor (`is_behind`).
    """

    def __init__(self, position: int, *, head: int = 0) -> None:
        self.position: int = position
        """The cursor of the last event that was taken, or left out."""
        self.head: int = max(position, head)
        """The highest cursor that is known to exist."""
        self._from_now_on = self.head
        self._ahead: dict[int, Event | None] = {}  # None is an event that is left out
        self._sizes: dict[int, int] = {}
        self._bytes = 0

    @property
    def is_behind(self) -> bool:
        """Whether the next event exists and is not here."""
        return self.position < self.head and self.position + 1 not in self._ahead

    def offer(self, event: Event, size: int) -> None:
        """An event has come live, in a frame of so many bytes."""
        self.hear_of(event.cursor)
        self._keep(event.cursor, event, size)

    def offer_own(self, event: Event, size: int) -> None:
        """One that was published here is acknowledged. What came before it may still be on its way."""
        if not self._keep(event.cursor, event, size):
            self.hear_of(event.cursor)

    def leave_out(self, cursor: int) -> None:
        """The event at this cursor is not wanted, unless it is older than this sequence."""
        if cursor > self._from_now_on:
            self._keep(cursor, None, 0)

    def hear_of(self, cursor: int) -> None:
        """The channel reaches to this cursor."""
        self.head = max(self.head, cursor)

    def fill(self, page: List[Event]) -> None:
        """What was read after `position`, in order: the first of it is the next event."""
        if page:
            self.position = max(self.position, page[0].cursor - 1)
        for event in page:
            self.hear_of(event.cursor)
            if event.cursor > self.position:
                self._ahead.setdefault(event.cursor, event)

    def take(self) -> Event | None:
        """The next event, None while it is not here."""
        while (cursor := self.position + 1) in self._ahead:
            self.position = cursor
            self._bytes -= self._sizes.pop(cursor, 0)
            event = self._ahead.pop(cursor)
            if event is not None:
                return event
        return None

    def _keep(self, cursor: int, event: Event | None, size: int) -> bool:
        if cursor <= self.position or cursor in self._ahead:
            return True
        if len(self._ahead) >= EVENTS_MAX or self._bytes + size > BYTES_MAX:
            return False
        self._ahead[cursor] = event
        self._sizes[cursor] = size
        self._bytes += size
        return True
