"""Single calls to a server, outside of any load."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from benchmarks.harness.answers import BenchmarkError
from benchmarks.harness.server import Server
from benchmarks.load.workload import TOOL_NAME, channel_name


def written_events(server: Server, channel_prefix: str, channel_count: int) -> int:
    """How many events the channels hold. Cursors are gapless, so the last ones add up to that."""
    channels = [channel_name(channel_prefix, number) for number in range(channel_count)]
    with connected(server) as connection:
        paths = [f"/api/v1/events/cursor/{channel}" for channel in channels]
        return sum(call(connection, server, "GET", path).get("latest_cursor") or 0 for path in paths)


def claim(server: Server, channel: str, key: str) -> None:
    """Claim a fresh key; returns when that is answered."""
    asked = {"channel_id": channel, "key_name": key, "tool_name": TOOL_NAME}
    with connected(server) as connection:
        call(connection, server, "POST", "/api/v1/executions/claim", asked)


@contextmanager
def connected(server: Server) -> Iterator[http.client.HTTPConnection]:
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=30)
    try:
        yield connection
    finally:
        connection.close()


def call(
    connection: http.client.HTTPConnection, server: Server, method: str, path: str, body: object = None
) -> dict[str, int | None]:
    """Raises BenchmarkError when the answer is not a 200."""
    headers = {"x-api-key": server.api_key, "content-type": "application/json"}
    connection.request(method, path, headers=headers, body=None if body is None else json.dumps(body))
    reply = connection.getresponse()
    said = reply.read()
    if reply.status != 200:
        raise BenchmarkError(f"{method} {path} was answered {reply.status}: {said[:400]!r}")
    answer: dict[str, int | None] = json.loads(said)
    return answer
