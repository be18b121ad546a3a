"""An OpenAI-compatible endpoint that says what a test wants it to say."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[dict[str, Any]], tuple[int, Any]]


class Endpoint(ThreadingHTTPServer):
    """Keeps the requests that it was sent, and their keys."""

    daemon_threads = True

    def __init__(self, answer: Answer) -> None:
        super().__init__(("127.0.0.1", 0), _Request)
        self.answer = answer
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Request(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        assert self.path == "/v1/chat/completions"
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.requests.append(body)
        self.server.keys.append(self.headers["authorization"])
        status, answer = self.server.answer(body)
        payload = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *_: Any) -> None:
        """Silent."""


@contextmanager
def endpoint(answer: Answer) -> Iterator[Endpoint]:
    """Answers until the end of the block."""
    with Endpoint(answer) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def completion(text: str, prompt_tokens: int, completion_tokens: int, **more: Any) -> dict[str, Any]:
    """An answer as such endpoints give it."""
    usage = {"prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens, **more}
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return {"object": "chat.completion", "choices": [choice], "usage": usage}
