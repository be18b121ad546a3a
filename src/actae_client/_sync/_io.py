"""What differs between the two clients: sleeping, and what carries a request. urllib3 does it here."""

from __future__ import annotations

import os
import ssl
from collections.abc import Callable, Iterator
from contextlib import suppress
from time import sleep
from typing import Any
from urllib.parse import urlsplit

import urllib3
from urllib3.exceptions import (
    ConnectTimeoutError,
    HTTPError,
    NameResolutionError,
    NewConnectionError,
    SSLError,
)

from actae_client.errors import ActaeConnectionError
from actae_client.transport import Reply, Request
from actae_client.transport import SyncTransport as Transport

__all__ = ["Transport", "Urllib3Transport", "sleep"]

_CONNECT_SECONDS_MAX = 10.0
_CONNECTIONS_KEPT = 256
_PIECE_BYTES_MAX = 2**16

_NOT_SENT = (NewConnectionError, NameResolutionError, ConnectTimeoutError, SSLError)


class Urllib3Transport:
    """Sends requests with urllib3. One transport serves all threads."""

    def __init__(self, endpoint: str, *, timeout_seconds: float, ssl_context: ssl.SSLContext | None) -> None:
        self._endpoint = endpoint
        self._prefix = urlsplit(endpoint).path
        self._timeout = urllib3.Timeout(
            connect=min(timeout_seconds, _CONNECT_SECONDS_MAX), total=timeout_seconds
        )
        self._options = {} if ssl_context is None else {"ssl_context": ssl_context}
        self._open()

    def _open(self) -> None:
        self._process_id = os.getpid()
        self._pool = urllib3.connection_from_url(
            self._endpoint, maxsize=_CONNECTIONS_KEPT, timeout=self._timeout, **self._options
        )

    def send(self, request: Request) -> Reply:
        """Send one request; see `SyncTransport`."""
        response = self._ask(request, preload_content=True)
        return _reply(response, response.data)

    def open_stream(self, request: Request, *, silence_seconds_max: float) -> Urllib3Stream:
        """Send one request, and take what comes; see `StreamingTransport`."""
        timeout = urllib3.Timeout(connect=self._timeout.connect_timeout, read=silence_seconds_max)
        return Urllib3Stream(self._ask(request, preload_content=False, timeout=timeout), self._lost)

    def _ask(self, request: Request, **options: Any) -> urllib3.BaseHTTPResponse:
        if self._process_id != os.getpid():
            # After a fork, the old connections are still the parent's.
            self._open()
        try:
            return self._pool.urlopen(
                request.method,
                self._prefix + request.target,
                body=request.body,
                headers=dict(request.headers),
                retries=False,
                redirect=False,
                **options,
            )
        except _NOT_SENT as error:
            raise self._lost(error, is_outcome_known=True) from error
        except (HTTPError, OSError) as error:
            raise self._lost(error, is_outcome_known=False) from error

    def close(self) -> None:
        """Close the connections that are not in use; the others close when they are given back.

        A later request opens new ones.
        """
        pool = self._pool
        self._open()
        pool.close()

    def _lost(self, error: BaseException, *, is_outcome_known: bool) -> ActaeConnectionError:
        lost = ActaeConnectionError(
            f"no answer from {self._endpoint}: {error}", is_outcome_known=is_outcome_known
        )
        if isinstance(error, SSLError):
            lost.retryable = False
        return lost


class Urllib3Stream:
    """A reply that comes piece by piece; see `ByteStream`."""

    def __init__(
        self, response: urllib3.BaseHTTPResponse, lost: Callable[..., ActaeConnectionError]
    ) -> None:
        self._response = response
        self._lost = lost
        self.status = response.status
        self.content_type = response.headers.get("content-type", "")

    def pieces(self) -> Iterator[bytes]:
        """What comes."""
        try:
            while piece := self._response.read1(_PIECE_BYTES_MAX):
                yield piece
        except (HTTPError, OSError, ValueError) as error:
            raise self._lost(error, is_outcome_known=False) from error

    def whole(self) -> Reply:
        """The reply with its body."""
        return _reply(self._response, b"".join(self.pieces()))

    def interrupt(self) -> None:
        """Have whoever reads see the end."""
        with suppress(OSError, ValueError, RuntimeError):  # It has ended already.
            self._response.shutdown()

    def close(self) -> None:
        """Close the connection."""
        self._response.close()


def _reply(response: urllib3.BaseHTTPResponse, body: bytes) -> Reply:
    headers = response.headers
    return Reply(response.status, headers.get("content-type", ""), body, headers.get("retry-after"))
