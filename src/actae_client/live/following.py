"""The events of a channel, for `for`: over server-sent events, for code that blocks."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self

from actae_client._calls.decoding import decode
from actae_client._types.events import Event
from actae_client.errors import ActaeConnectionError, ActaeError
from actae_client.live.backoff import FAILURES_MAX, may_pass, pause
from actae_client.live.frames import event_of, is_stub
from actae_client.live.sequence import Sequence
from actae_client.live.server_sent import ServerSent
from actae_client.transport import ByteStream

logger: logging.Logger = logging.getLogger("actae_client")

PAGE_EVENTS: Final = 200


@dataclass(frozen=True, slots=True)
class Source:
    """Where the events of channels come from."""

    read_head: Callable[[str], int | None]
    """The cursor of a channel's newest event, None for none."""
    read_events: Callable[[str, int, int], list[Event]]
    """Events from a channel's log: after a cursor, at most so many."""
    open: Callable[[str, int], ByteStream]
    """A channel's events after a cursor, as server-sent events."""


class SyncStream:
    """Each event of a channel once and in order, through whatever happens to the connection.

    It begins when it is entered with `with`, or asked for its first event. It ends when it is closed, or
    the client is disconnected, also by another thread; a stream that is left behind closes itself. It
    raises what the server refuses it with, and ActaeConnectionError when the connection is lost for good.
    One thread reads it. What it does not take stays with the server.
    """

    _bytes: ByteStream | None = None  # What an interrupt leaves of `__init__` has it too.

    def __init__(self, source: Source, channel_id: str, cursor: int | None) -> None:
        self._source = source
        self._channel_id = channel_id
        self._sequence = None if cursor is None else Sequence(cursor)
        self._pieces: Iterator[bytes] = iter(())
        self._messages = ServerSent()
        self._failures = 0
        self._closed = threading.Event()
        self._reading = threading.Lock()

    @property
    def cursor(self) -> int | None:
        """Where another stream would go on after this one. None before it has begun."""
        return None if self._sequence is None else self._sequence.position

    def __enter__(self) -> Self:
        with self._reading:
            while self._bytes is None and not self._closed.is_set():
                self._insist(self._open)
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Event:
        with self._reading:
            while not self._closed.is_set():
                if self._sequence is not None and (event := self._sequence.take()) is not None:
                    return event
                self._insist(self._read_on)
            self._hang_up()
        raise StopIteration

    def close(self) -> None:
        """End it; any thread may. Whoever waits for the next event is told that there is none."""
        self._closed.set()
        if (open_bytes := self._bytes) is not None:
            open_bytes.interrupt()
        if self._reading.acquire(blocking=False):
            try:
                self._hang_up()
            finally:
                self._reading.release()

    def __del__(self) -> None:
        self._hang_up()

    def _insist(self, step: Callable[[], None]) -> None:
        """Take one step. Where it fails and that may pass, hang up and wait for a moment."""
        try:
            step()
        except ActaeError as error:
            self._hang_up()
            if self._closed.is_set():
                return
            self._failures += 1
            if self._failures >= FAILURES_MAX or not may_pass(error):
                raise
            logger.warning("channel %s: %s; going on after %s", self._channel_id, error, self.cursor)
            self._closed.wait(pause(self._failures - 1))

    def _open(self) -> None:
        if self._sequence is None:
            self._sequence = Sequence(self._source.read_head(self._channel_id) or 0)
        self._bytes = self._source.open(self._channel_id, self._sequence.position)
        self._pieces = self._bytes.pieces()
        self._messages = ServerSent()
        if not self._sequence.is_behind:
            self._failures = 0
        if self._closed.is_set():  # It was closed before there was something to interrupt.
            self._hang_up()

    def _read_on(self) -> None:
        if self._bytes is None or self._sequence is None:
            self._open()
        elif self._sequence.is_behind:
            self._read_page(self._sequence)
        else:
            self._hear(self._sequence)

    def _hear(self, sequence: Sequence) -> None:
        piece = next(self._pieces, b"")
        if not piece:
            raise ActaeConnectionError("the stream has ended")
        for data in self._messages.take_in(piece):
            fields = decode(data)
            event = event_of(fields)
            if is_stub(fields):
                sequence.hear_of(event.cursor)
            else:
                sequence.offer(event, len(data))

    def _read_page(self, sequence: Sequence) -> None:
        page = self._source.read_events(self._channel_id, sequence.position, PAGE_EVENTS)
        if not page:
            raise ActaeConnectionError(f"event {sequence.position + 1} exists and cannot be read")
        sequence.fill(page)
        self._failures = 0

    def _hang_up(self) -> None:
        open_bytes, self._bytes, self._pieces = self._bytes, None, iter(())
        if open_bytes is not None:
            open_bytes.close()
