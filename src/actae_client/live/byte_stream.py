"""HTTP replies of urllib3: whole, and piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final

import urllib3
from urllib3.exceptions import HTTPError

from actae_client.errors import ActaeConnectionError
from actae_client.transport import Reply

_PIECE_BYTES_MAX: Final = 2**16


class Urllib3Stream:
    """A reply that comes piece by piece; see `ByteStream`."""

    def __init__(self, response: urllib3.BaseHTTPResponse, lost: Callable[..., ActaeConnectionError]) -> None:
        self._response = response
        self._lost = lost
        self.status: int = response.status
        self.content_type: str = response.headers.get("content-type", "")

    def pieces(self) -> Iterator[bytes]:
        """What comes."""
        try:
            while piece := self._response.read1(_PIECE_BYTES_MAX):
                yield piece
        except (HTTPError, OSError, ValueError) as error:
            raise self._lost(error, is_outcome_known=False) from error

    def whole(self) -> Reply:
        """The reply with its body."""
        return reply_of(self._response, b"".join(self.pieces()))

    def interrupt(self) -> None:
        """Have whoever reads see the end."""
        with suppress(OSError, ValueError, RuntimeError):  # It has ended already.
            self._response.shutdown()

    def close(self) -> None:
        """Close the connection."""
        self._response.close()


def reply_of(response: urllib3.BaseHTTPResponse, body: bytes) -> Reply:
    """The reply that a response stands for."""
    headers = response.headers
    return Reply(response.status, headers.get("content-type", ""), body, headers.get("retry-after"))
