"""What differs between the two clients: waiting, what runs beside, and what carries a request.

urllib3 carries it here.
"""

from __future__ import annotations

import os
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
from actae_client.live.byte_stream import Urllib3Stream, reply_of
from actae_client.transport import Reply, Request
from actae_client.transport import SyncTransport as Transport

__all__ = ["Ticker", "Transport", "Urllib3Transport", "at_most", "sleep"]

_CONNECT_SECONDS_MAX = 10.0
_CONNECTIONS_KEPT = 256
_STOP_SECONDS_MAX = 10.0

_NOT_SENT = (NewConnectionError, NameResolutionError, ConnectTimeoutError, SSLError)


class Urllib3Transport:
    """Sends requests with urllib3. One transport serves all threads."""

    def __init__(self, endpoint: str, *, timeout_seconds: float, ssl_context: ssl.SSLContext | None) -> None:
        self._endpoint = endpoint
        self._prefix = urlsplit(endpoint).path
        self._timeout_seconds = timeout_seconds
        self._timeout = self._timeout_with(0.0)
        self._options = {} if ssl_context is None else {"ssl_context": ssl_context}
        self._open()

    def _open(self) -> None:
        self._process_id = os.getpid()
        self._pool = urllib3.connection_from_url(
            self._endpoint, maxsize=_CONNECTIONS_KEPT, timeout=self._timeout, **self._options
        )

    def _timeout_with(self, waits_seconds: float) -> urllib3.Timeout:
        return urllib3.Timeout(
            connect=min(self._timeout_seconds, _CONNECT_SECONDS_MAX),
            total=self._timeout_seconds + waits_seconds,
        )

    def send(self, request: Request) -> Reply:
        """Send one request; see `SyncTransport`."""
        waits = request.waits_seconds
        timeout = self._timeout_with(waits) if waits else self._timeout
        response = self._ask(request, preload_content=True, timeout=timeout)
        return reply_of(response, response.data)

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


@contextmanager
def at_most(_seconds: float) -> Iterator[None]:
    """A blocking call cannot be given up from outside; the client's own time-outs bound it."""
    yield


class Ticker:
    """Calls a function again and again in a thread, until it answers False or the ticker is stopped."""

    def __init__(self, seconds: float, beat: Callable[[], bool]) -> None:
        self._seconds = seconds
        self._beat = beat
        self._is_over = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin; the first call comes after the first interval."""
        self._is_over.clear()
        self._thread = threading.Thread(target=self._run, name="actae-ticker", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End, and wait for a call that is under way, but not for ever."""
        self._is_over.set()
        if self._thread is not None:
            self._thread.join(_STOP_SECONDS_MAX)

    def _run(self) -> None:
        while not self._is_over.wait(self._seconds):
            if not self._beat():
                return
