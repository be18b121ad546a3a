"""What carries a request to the server. The clients take another one for tests and proxies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request. `target` is the percent-encoded path with its query.

    The server was asked to wait for up to `waits_seconds`: so much longer may the answer take.
    """

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes | None
    waits_seconds: float = 0.0

    def __repr__(self) -> str:
        # Headers and body may be secret, and a repr is soon in a log.
        return f"<Request {self.method} {self.target.partition('?')[0]}>"


@dataclass(frozen=True, slots=True)
class Reply:
    """One HTTP reply with its whole body. `retry_after` is that header, None where absent."""

    status: int
    content_type: str
    body: bytes
    retry_after: str | None = None


class AsyncTransport(Protocol):
    """Sends requests from coroutines."""

    async def send(self, request: Request) -> Reply:
        """Bring the request to the server and its reply back, whatever its status.

        Raises ActaeConnectionError when there is no reply, with `is_outcome_known=True` only
        if the request cannot have arrived.
        """
        ...

    async def close(self) -> None:
        """Close all connections."""
        ...


class SyncTransport(Protocol):
    """Sends requests and blocks meanwhile."""

    def send(self, request: Request) -> Reply:
        """Bring the request to the server and its reply back, whatever its status.

        Raises ActaeConnectionError when there is no reply, with `is_outcome_known=True` only
        if the request cannot have arrived.
        """
        ...

    def close(self) -> None:
        """Close all connections."""
        ...


class ByteStream(Protocol):
    """One HTTP reply whose body comes piece by piece, for as long as both sides want."""

    @property
    def status(self) -> int:
        """The status."""
        ...

    @property
    def content_type(self) -> str:
        """That header."""
        ...

    def pieces(self) -> Iterator[bytes]:
        """What comes, as soon as it does. Raises ActaeConnectionError when it is cut off, or long silent."""
        ...

    def whole(self) -> Reply:
        """The reply with its whole body, for one that is no stream."""
        ...

    def interrupt(self) -> None:
        """Have `pieces` end soon. The only method for other threads than the one that reads."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


class StreamingTransport(SyncTransport, Protocol):
    """What `SyncActaeClient.stream` needs of its transport."""

    def open_stream(self, request: Request, *, silence_seconds_max: float) -> ByteStream:
        """Send the request, and give the reply as soon as its head is there.

        Raises ActaeConnectionError when there is no reply. A stream from which nothing has come for so
        long is lost.
        """
        ...
