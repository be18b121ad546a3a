"""A channel as server-sent events (WHATWG HTML, 9.2), for browsers, curl and clients that block."""

import asyncio
from contextlib import suppress
from typing import Final

from actae.operations.tail import Follower, ReaderGone, Run, Tail, Told
from actae.transport.endpoint import Live, Receive, Send
from actae.transport.live.frames import encode, to_live
from actae.transport.live.readers import Readers

CONTENT_TYPE: Final = b"text/event-stream; charset=utf-8"

_KEEP_ALIVE_SECONDS: Final = 15.0
_HELD_BYTES: Final = 64 * 2**10
_KEEP_ALIVE: Final = b": keep-alive\n\n"
_HELLO: Final = b"retry: 1000\n: connected\n\n"

_HEADERS: Final = [
    (b"content-type", CONTENT_TYPE),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),  # nginx would hold events back
]


def stream_message(told: Told) -> bytes:
    """One event: its cursor as the id that a client comes back with, and itself as data."""
    data = encode(to_live(told)).replace(b"\r", b"\n").replace(b"\n", b"\ndata: ")
    return b"id: %d\ndata: %s\n\n" % (told.event.cursor, data)


class Mailbox:
    """What is on its way to one stream: as much as one write carries, never more."""

    def __init__(self, stall_seconds: float) -> None:
        self.something = asyncio.Event()
        self._held: list[bytes] = []
        self._size = 0
        self._stall_seconds = stall_seconds
        self._emptied = asyncio.Event()
        self._has_ended = False

    def is_ready(self) -> bool:
        """Whether it takes events now."""
        return self._size < _HELD_BYTES and not self._has_ended

    def write(self, run: Run) -> None:
        """Hold them until the stream sends them."""
        pieces = run.encoded(stream_message)
        self._held.append(pieces)
        self._size += len(pieces)
        self._emptied.clear()
        self.something.set()

    async def drained(self) -> None:
        """Return when it is ready; a reader that takes nothing for long is dropped.

        Raises:
            ReaderGone
        """
        if self._size >= _HELD_BYTES:
            try:
                async with asyncio.timeout(self._stall_seconds):
                    await self._emptied.wait()
            except TimeoutError:
                self.end()
        if self._has_ended:
            raise ReaderGone

    def fail(self, _error: Exception) -> None:
        """End the stream; the reader comes back with its cursor."""
        self.end()

    def end(self) -> None:
        """Nothing comes any more."""
        self._has_ended = True
        self.something.set()
        self._emptied.set()

    @property
    def has_ended(self) -> bool:
        """Whether nothing comes any more."""
        return self._has_ended

    def take(self) -> bytes:
        """Everything that is held."""
        held, self._held, self._size = self._held, [], 0
        self.something.clear()
        self._emptied.set()
        return b"".join(held)


class EventStream(Live):
    """One response that goes on until the client or the server leaves."""

    def __init__(
        self,
        tail: Tail,
        channel_id: str,
        follower: Follower,
        mailbox: Mailbox,
        readers: Readers,
        stopping: asyncio.Event,
    ) -> None:
        self._tail = tail
        self._channel_id = channel_id
        self._follower = follower
        self._mailbox = mailbox
        self._readers = readers
        self._stopping = stopping

    async def serve(self, receive: Receive, send: Send) -> None:
        """Send the events."""
        leaving = [
            asyncio.create_task(self._end_when_gone(receive), name="actae stream client"),
            asyncio.create_task(self._end_when_stopping(), name="actae stream server"),
        ]
        try:
            with self._readers.one_more("event_streams"):
                await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
                await send({"type": "http.response.body", "body": _HELLO, "more_body": True})
                self._follower.start()
                await self._send_all(send)
        finally:
            for task in leaving:
                task.cancel()
            await self._tail.leave(self._follower, self._channel_id)

    async def _send_all(self, send: Send) -> None:
        mailbox = self._mailbox
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(_KEEP_ALIVE_SECONDS):
                    await mailbox.something.wait()
            if mailbox.has_ended:
                break
            piece = mailbox.take() or _KEEP_ALIVE
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    async def _end_when_gone(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._mailbox.end()

    async def _end_when_stopping(self) -> None:
        await self._stopping.wait()
        self._mailbox.end()
