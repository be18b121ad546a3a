"""One keep-alive connection that plays a script: send a request, wait for its answer, send the next."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from typing import cast

# Yields requests, is sent the body of each answer, and returns when it has had enough. It may also yield a
# future, to go on when that is done.
Script = Generator["bytes | asyncio.Future[None]", bytes, None]


class Caller(asyncio.Protocol):
    """Reads just enough HTTP to find the status and the end of a reply that has a Content-Length.

    Anything but a 2xx ends the script and is told to `refuse`.
    """

    def __init__(self, script: Script, refuse: Callable[[str], None]) -> None:
        self._script = script
        self._refuse = refuse
        self._received = b""
        self.is_done = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def begin(self) -> None:
        """Send the first request; apart from connecting, so that all callers start together."""
        self._play(None)

    def data_received(self, data: bytes) -> None:
        received = self._received + data if self._received else data
        head_end = received.find(b"\r\n\r\n")
        if head_end < 0:
            self._received = received
            return
        length = content_length(received, head_end)
        if length is None:
            self._give_up(f"a reply without Content-Length: {received[:head_end]!r}")
            return
        body_start, body_end = head_end + 4, head_end + 4 + length
        if len(received) < body_end:
            self._received = received
            return
        self._received = b""
        if received.startswith(b"HTTP/1.1 2"):
            self._play(received[body_start:body_end])
        else:
            self._give_up(received[:body_end].decode(errors="replace"))

    def _play(self, answer: bytes | None) -> None:
        try:
            wanted = next(self._script) if answer is None else self._script.send(answer)
        except StopIteration:
            self._end()
        except LookupError as missing:
            self._give_up(str(missing))
        else:
            if isinstance(wanted, bytes):
                self._transport.write(wanted)
            else:
                wanted.add_done_callback(lambda _: self._play(None))

    def _give_up(self, why: str) -> None:
        self._refuse(why)
        self._end()

    def _end(self) -> None:
        if not self.is_done.done():
            self.is_done.set_result(None)
        self._transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.is_done.done():
            self._give_up(f"the server closed the connection ({exc})")


def content_length(received: bytes, head_end: int) -> int | None:
    """The Content-Length in the head of a reply, or None where it says its length in another way."""
    start = received.find(b"content-length: ", 0, head_end)
    if start < 0:
        start = received[:head_end].lower().find(b"content-length: ")
    if start < 0:
        return None
    return int(received[start + 16 : received.index(b"\r\n", start)])
