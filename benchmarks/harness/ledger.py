"""Single calls to a server, outside of any load."""

from __future__ import annotations

import http.client
import itertools
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from benchmarks.harness.answers import BenchmarkError
from benchmarks.harness.server import Server
from benchmarks.load.workload import PARAMS, RESULT, TOOL_NAME, channel_name


def written_events(server: Server, channel_prefix: str, channel_count: int) -> int:
    """How many events the channels hold. Cursors are gapless, so the last ones add up to that."""
    channels = [channel_name(channel_prefix, number) for number in range(channel_count)]
    with connected(server) as connection:
        paths = [f"/api/v1/events/cursor/{channel}" for channel in channels]
        return sum(call(connection, server, "GET", path).get("latest_cursor") or 0 for path in paths)


def made_forks(server: Server, channel_prefix: str, channel_count: int) -> int:
    """How many channels were forked from these directly."""
    channels = [channel_name(channel_prefix, number) for number in range(channel_count)]
    with connected(server) as connection:
        paths = [f"/api/v1/channels/{channel}/fork-tree" for channel in channels]
        return sum(len(call(connection, server, "GET", path)["children"]) for path in paths)


def fork_in_a_line(server: Server, channels: Sequence[str]) -> None:
    """Make every channel but the first, which exists, a fork of the one before it."""
    with connected(server) as connection:
        for source, child in itertools.pairwise(channels):
            asked = {"source_channel_id": source, "new_channel_id": child, "operation_id": child}
            call(connection, server, "POST", "/api/v1/channels/fork", asked | {"at_cursor": 0})


def complete(server: Server, channel: str, key: str) -> None:
    """Claim a fresh key with the params that the load sends, and complete it."""
    asked = {"channel_id": channel, "key_name": key, "tool_name": TOOL_NAME, "params": json.loads(PARAMS)}
    with connected(server) as connection:
        claimed = call(connection, server, "POST", "/api/v1/executions/claim", asked)
        done = {"claim_token": claimed["claim_token"], "result": json.loads(RESULT)}
        call(connection, server, "POST", f"/api/v1/executions/{claimed['execution']['id']}/complete", done)


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
) -> dict[str, Any]:
    """Raises BenchmarkError when the answer is not a 200."""
    headers = {"x-api-key": server.api_key, "content-type": "application/json"}
    connection.request(method, path, headers=headers, body=None if body is None else json.dumps(body))
    reply = connection.getresponse()
    said = reply.read()
    if reply.status != 200:
        raise BenchmarkError(f"{method} {path} was answered {reply.status}: {said[:400]!r}")
    answer: dict[str, Any] = json.loads(said)
    return answer
