"""One reader's place in a channel, and the waiting for what comes next."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeAlias

from actae_client._types.events import Event
from actae_client.errors import ActaeConnectionError, ActaeError
from actae_client.live.backoff import FAILURES_MAX, may_pass, pause
from actae_client.live.sequence import Sequence

PAGE_EVENTS = 200

ReadEvents: TypeAlias = Callable[[str, int, int], Awaitable[list[Event]]]
"""Reads from a channel, after a cursor, at most so many events."""


class Feed:
    """The events of a channel from a cursor on, or from when the feed begins.

    However far its reader lags behind, it holds a bounded number of bytes: what does not fit is read
    from the log when its turn comes.
    """

    def __init__(self, channel_id: str, cursor: int | None, read_events: ReadEvents) -> None:
        self.channel_id = channel_id
        self._cursor = cursor
        self._read_events = read_events
        self._sequence: Sequence | None = None
        self._ended = asyncio.Event()
        self._error: ActaeError | None = None
        self._changed = asyncio.Event()

    @property
    def cursor(self) -> int | None:
        """The cursor of the last event that was taken; before the first, where the feed begins."""
        return self._cursor if self._sequence is None else self._sequence.position

    @property
    def has_ended(self) -> bool:
        """Whether nothing comes any more."""
        return self._ended.is_set()

    def begin(self, at: int, head: int) -> None:
        """The subscription is confirmed: what comes after `at` comes live. A second time changes little."""
        if self._sequence is None:
            self._sequence = Sequence(at if self._cursor is None else self._cursor, head=max(at, head))
        self.hear_of(head)

    def offer(self, event: Event, size: int) -> None:
        """See `Sequence`; the following ones too."""
        if self._sequence is not None:
            self._sequence.offer(event, size)
            self._changed.set()

    def offer_own(self, event: Event, size: int) -> None:
        if self._sequence is not None:
            self._sequence.offer_own(event, size)
            self._changed.set()

    def leave_out(self, cursor: int) -> None:
        if self._sequence is not None:
            self._sequence.leave_out(cursor)
            self._changed.set()

    def hear_of(self, cursor: int) -> None:
        if self._sequence is not None:
            self._sequence.hear_of(cursor)
            self._changed.set()

    def end(self, error: ActaeError | None = None) -> None:
        """Nothing comes any more: the reader gets what is here, then the error if there is one."""
        if not self._ended.is_set():
            self._error = error
            self._ended.set()
            self._changed.set()

    async def take(self) -> Event | None:
        """The next event, None after the last one. Raises the error that the feed ended with."""
        failures = 0
        while True:
            self._changed.clear()
            sequence = self._sequence
            if sequence is not None and (event := sequence.take()) is not None:
                return event
            if self._ended.is_set():
                if self._error is not None:
                    raise self._error
                return None
            if sequence is None or not sequence.is_behind:
                await self._changed.wait()
                continue
            try:
                await self._read_on(sequence)
                failures = 0
            except ActaeError as error:
                failures += 1
                if failures >= FAILURES_MAX or not may_pass(error):
                    raise
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._ended.wait(), pause(failures - 1))

    async def _read_on(self, sequence: Sequence) -> None:
        page = await self._read_events(self.channel_id, sequence.position, PAGE_EVENTS)
        if not page and sequence.is_behind:
            raise ActaeConnectionError(
                f"channel {self.channel_id} reaches to event {sequence.head}, but the server "
                f"shows nothing after {sequence.position}"
            )
        sequence.fill(page)
