"""A reader of one channel over a WebSocket. It costs a few microseconds a delivery, and believes nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import cast

from benchmarks.load import web_socket
from benchmarks.load.broadcast import moment_in
from benchmarks.load.web_socket import Frame, frame, frame_at

Hear = Callable[[int], None]


class Subscriber(asyncio.Protocol):
    """Follows a channel from now on, and tells `hear` of every event by the moment that it carries.

    `is_ready` is done when the subscription is confirmed, and fails when it is not. After that, an event that
    is missing, doubled or out of order is told to `give_up`, as is any at all where there is no `hear`, and
    the end of the connection.
    """

    def __init__(
        self,
        host: str,
        api_key: str,
        channel: str,
        *,
        give_up: Callable[[str], None],
        hear: Hear | None = None,
    ) -> None:
        self.is_ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._host = host
        self._greetings = [
            f'{{"type":"auth","api_key":"{api_key}"}}'.encode("ascii"),
            f'{{"type":"subscribe","topic":"{channel}"}}'.encode("ascii"),
        ]
        self._hear = hear
        self._give_up = give_up
        self._received = b""
        self._is_open = False
        self._has_ended = False
        self._next_cursor = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._transport.write(web_socket.handshake(self._host))

    def data_received(self, data: bytes) -> None:
        received = self._received + data if self._received else data
        start = 0 if self._is_open else self._open(received)
        while self._is_open and not self._has_ended and (found := frame_at(received, start)) is not None:
            self._take(received, found)
            start = found.end
        self._received = received[start:]

    def _open(self, received: bytes) -> int:
        """Read the answer to the handshake; where the frames begin behind it."""
        head_end = received.find(b"\r\n\r\n")
        if head_end < 0:
            return 0
        if received.startswith(b"HTTP/1.1 101"):
            self._is_open = True
        else:
            self._end(received[:head_end].decode(errors="replace"))
        return head_end + 4

    def _take(self, received: bytes, found: Frame) -> None:
        opcode, begin, end = found
        if opcode == web_socket.PING:
            self._transport.write(frame(received[begin:end], web_socket.PONG))
        elif opcode != web_socket.TEXT:
            self._end(f"a frame of kind {opcode:#x}: {received[begin:end]!r}")
        elif self.is_ready.done():
            self._take_event(received, begin, end)
        else:
            self._answer(received[begin:end])

    def _answer(self, said: bytes) -> None:
        """The server has said hello, or that the key is good, or that the subscription is."""
        if said.startswith(b'{"Connection"'):
            self._transport.write(frame(self._greetings.pop(0)))
        elif b'"event":"subscribed"' in said:
            self._next_cursor = cursor_in(said) + 1
            self.is_ready.set_result(None)
        else:
            self._end(said.decode(errors="replace"))

    def _take_event(self, received: bytes, begin: int, end: int) -> None:
        hear = self._hear
        if hear is None or received.find(b'"cursor":%d,' % self._next_cursor, begin, end) < 0:
            self._end(f"instead of event {self._next_cursor}: {received[begin:end][:400]!r}")
            return
        self._next_cursor += 1
        hear(moment_in(received, begin, end))

    def connection_lost(self, exc: Exception | None) -> None:
        self._end(f"the server closed the connection ({exc})")

    def _end(self, why: str) -> None:
        if self._has_ended:
            return
        self._has_ended = True
        if self.is_ready.done():
            self._give_up(why)
        else:
            self.is_ready.set_exception(LookupError(why))
        self._transport.abort()


def cursor_in(said: bytes) -> int:
    """The first cursor in a confirmed subscription."""
    start = said.index(b'"cursor":') + len(b'"cursor":')
    end = start
    while said[end : end + 1].isdigit():
        end += 1
    return int(said[start:end])
