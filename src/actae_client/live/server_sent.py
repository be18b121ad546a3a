"""Server-sent events, put together from the pieces in which they arrive (WHATWG HTML, 9.2)."""

from __future__ import annotations

from collections.abc import Iterator


class ServerSent:
    """Takes bytes, and gives the data of each message that is complete.

    Only `data` counts here: an event carries its own cursor. A message that is cut off is never given.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[bytes] = []

    def take_in(self, piece: bytes) -> Iterator[bytes]:
        """The messages that this piece completes."""
        # A line ends with CR LF, CR or LF; whether a CR is followed by LF is known with the next byte.
        held = b"\r" if (self._rest + piece).endswith(b"\r") else b""
        text = (self._rest + piece).removesuffix(held).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        *lines, rest = text.split(b"\n")
        self._rest = rest + held
        for line in lines:
            if line:
                self._read(line)
            elif self._data:
                message, self._data = b"\n".join(self._data), []
                yield message

    def _read(self, line: bytes) -> None:
        field, _, value = line.partition(b":")
        if field == b"data":
            self._data.append(value.removeprefix(b" "))
