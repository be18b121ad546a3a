"""Just enough of RFC 6455 for a client that trusts its server."""

from __future__ import annotations

from typing import Final, NamedTuple

TEXT: Final = 0x81  # the first byte of a whole text message
PING: Final = 0x89
PONG: Final = 0x8A
CLOSE: Final = 0x88

_MASKED: Final = 0x80
_NO_MASK: Final = bytes(4)  # a client must mask; under a mask of zeros everything stays as it is


class Frame(NamedTuple):
    """Where a frame's payload lies in what was received."""

    opcode: int
    begin: int
    end: int


def handshake(host: str) -> bytes:
    """The request that makes a WebSocket of a connection."""
    return (
        f"GET /ws HTTP/1.1\r\nhost: {host}\r\nupgrade: websocket\r\nconnection: upgrade\r\n"
        "sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    ).encode("ascii")


def frame(payload: bytes, opcode: int = TEXT) -> bytes:
    """A client's frame, of at most 64 KiB."""
    size = len(payload)
    if size < 126:
        head = bytes((opcode, _MASKED | size))
    else:
        head = bytes((opcode, _MASKED | 126)) + size.to_bytes(2, "big")
    return head + _NO_MASK + payload


def frame_at(received: bytes, start: int) -> Frame | None:
    """The server's frame that begins there; None if some of it is still on its way."""
    available = len(received) - start
    if available < 2:
        return None
    size, begin = received[start + 1], start + 2
    if size >= 126:
        begin += 2 if size == 126 else 8
        if available < begin - start:
            return None
        size = int.from_bytes(received[start + 2 : begin], "big")
    end = begin + size
    return None if end > len(received) else Frame(received[start], begin, end)
