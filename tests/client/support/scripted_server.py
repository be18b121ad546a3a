"""A real HTTP server that answers as a test tells it to, the bad ways included."""

from __future__ import annotations

import json
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Heard:
    """One request as it came in."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as a value."""
        return json.loads(self.body)


@dataclass(frozen=True)
class Answer:
    """A reply. What is neither bytes nor str is sent as JSON."""

    status: int
    body: Any
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)

    def to_bytes(self) -> bytes:
        """The body as it travels."""
        if isinstance(self.body, bytes):
            return self.body
        return (self.body if isinstance(self.body, str) else json.dumps(self.body)).encode()


class Hangup:
    """The request is read, and the connection closed without a reply."""


class CutShort:
    """A reply begins, and the connection is closed in the middle of its body."""


class Silence:
    """The request is read, and nothing is said until the test is over."""


Step = Answer | Hangup | CutShort | Silence


class ScriptedServer:
    """Plays its steps one by one; the last is repeated. `heard` is what it was asked."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.heard: list[Heard] = []
        self.is_over = threading.Event()
        self._steps: list[Step] = [Answer(200, {})]
        self._lock = threading.Lock()
        self._http = _Http(("127.0.0.1", 0), _handler_for(self))
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        if tls is not None:
            self._http.socket = tls.wrap_socket(self._http.socket, server_side=True)
            self.url = self.url.replace("http", "https")

    def will(self, *steps: Step) -> None:
        """Set what follows."""
        self._steps = list(steps)

    def answers(self, body: Any, status: int = 200) -> None:
        """Answer every request in the same way."""
        self.will(Answer(status, body))

    @property
    def last(self) -> Heard:
        """The newest request."""
        return self.heard[-1]

    def hear(self, heard: Heard) -> Step:
        """Note a request, and say what is to happen to it."""
        with self._lock:
            self.heard.append(heard)
            return self._steps.pop(0) if len(self._steps) > 1 else self._steps[0]

    @contextmanager
    def running(self) -> Iterator[ScriptedServer]:
        """Serve meanwhile."""
        thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield self
        finally:
            self.is_over.set()
            self._http.shutdown()
            thread.join()
            self._http.server_close()


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: tests break connections on purpose."""


def _handler_for(server: ScriptedServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def handle_any(self) -> None:
            length = int(self.headers.get("content-length", 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            step = server.hear(Heard(self.command, self.path, headers, self.rfile.read(length)))
            match step:
                case Answer():
                    self._reply(step, step.to_bytes())
                case CutShort():
                    self._reply(Answer(200, b"x" * 100), b'{"eve')
                    self._hang_up()
                case Hangup():
                    self._hang_up()
                case Silence():
                    server.is_over.wait()
                    self._hang_up()

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any  # noqa: N815 - the names that http.server calls

        def _reply(self, answer: Answer, sent: bytes) -> None:
            self.send_response(answer.status)
            if answer.content_type:
                self.send_header("content-type", answer.content_type)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(answer.to_bytes())))
            self.end_headers()
            self.wfile.write(sent)

        def _hang_up(self) -> None:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)

        def log_message(self, *_args: Any) -> None:
            """Say nothing."""

    return Handler
