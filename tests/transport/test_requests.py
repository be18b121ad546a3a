"""The ways that a request may be written: chunks, empty bodies, methods, escaped paths."""

import json
import socket
from collections.abc import Callable

import pytest

from tests.support.server import RunningServer
from tests.support.waiting import until
from tests.support.wire import Wire


def note(channel: str) -> bytes:
    """An event to record."""
    fields = {"channel_id": channel, "event_type": "note", "payload": "x" * 1000, "metadata": {"actor": "a"}}
    return json.dumps(fields).encode()


@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_a_body_may_come_in_chunks_of_any_size(size: int, server: RunningServer, channel: str) -> None:
    """Its length need not be announced."""
    body = note(channel)
    with Wire(server) as wire:
        pieces = iter([body[start : start + size] for start in range(0, len(body), size)])
        assert wire.send("POST", "/api/v1/events/record", pieces).body["event"]["cursor"] == 1
        assert wire.post("/events/record", body).body["event"]["cursor"] == 2


@pytest.mark.parametrize("content_type", ["application/octet-stream", "text/plain", None])
def test_a_post_without_a_body_is_fine_where_none_is_needed(
    content_type: str | None, server: RunningServer, channel: str
) -> None:
    """Clients send such posts with whatever content type."""
    with Wire(server) as wire:
        wire.post("/events/record", note(channel))
        closed = wire.send("POST", f"/api/v1/channels/{channel}/close", b"", {"content-type": content_type})
        assert (closed.status, closed.body["status"]) == (200, "closed")


@pytest.mark.parametrize(
    "came",
    [
        b"Content-Length: 20\r\n\r\n",
        b'Content-Length: 20\r\n\r\n{"operation',
        b"Transfer-Encoding: chunked\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n",
    ],
)
def test_a_body_that_did_not_come_is_not_an_empty_one(
    came: bytes, start_server: Callable[..., RunningServer], channel: str
) -> None:
    """Without a body the channel would be closed; who was cut off may have wanted something else."""
    server = start_server()
    with Wire(server) as wire:
        wire.post("/events/record", note(channel))
    host, port = server.url.removeprefix("http://").split(":")
    line = f"POST /api/v1/channels/{channel}/close HTTP/1.1\r\n"
    head = f"{line}Host: {host}\r\nX-API-Key: {server.api_key}\r\n"
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(head.encode() + came)
    until(lambda: 'actae_responses_total{status="400"} 1' in metrics(server))
    with Wire(server) as wire:
        assert wire.post("/events/record", note(channel)).status == 200


def metrics(server: RunningServer) -> str:
    """What the server has counted."""
    with Wire(server) as wire:
        return wire.send("GET", "/metrics").content.decode()


@pytest.mark.parametrize("body", [b"", b"{}", b'{"claim_token":null}'])
def test_a_settling_call_without_a_token_is_refused_by_the_ledger(
    body: bytes, server: RunningServer, channel: str
) -> None:
    """Not for its form: a body that is left out says that there is no token."""
    with Wire(server) as wire:
        claim = {"channel_id": channel, "key_name": "k", "tool_name": "t"}
        execution_id = wire.post("/executions/claim", claim).body["execution"]["id"]
        for verb in ("heartbeat", "complete", "cancel"):
            refused = wire.send("POST", f"/api/v1/executions/{execution_id}/{verb}", body)
            assert (refused.status, refused.body["status"]) == (409, "execution_not_owned")


def test_the_content_type_of_a_body_does_not_matter(server: RunningServer, channel: str) -> None:
    """It is JSON in any case."""
    with Wire(server) as wire:
        for content_type in ("application/json; charset=utf-8", "text/plain", None):
            reply = wire.send("POST", "/api/v1/events/record", note(channel), {"content-type": content_type})
            assert reply.status == 200


def test_unknown_fields_are_ignored(server: RunningServer, channel: str) -> None:
    """A newer client may send more."""
    body = json.loads(note(channel)) | {"invented": {"later": True}}
    with Wire(server) as wire:
        assert wire.post("/events/record", body).status == 200


def test_head_says_what_get_would_without_the_body(server: RunningServer) -> None:
    """Watchers use it."""
    with Wire(server) as wire:
        head = wire.send("HEAD", "/healthz")
        assert (head.status, head.content) == (200, b"")
        assert head.headers["content-type"] == "application/json"
        assert wire.send("GET", "/healthz").status == 200


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("OPTIONS", "/api/v1/events/record", "POST"),
        ("GET", "/api/v1/events/record", "POST"),
        ("PATCH", "/api/v1/executions/claim", "POST"),
        ("TRACE", "/api/v1/channels", "GET, HEAD"),
        ("PROPFIND", "/healthz", "GET, HEAD"),
        ("DELETE", "/api/v1/state/some-channel", "GET, HEAD, POST"),
        ("PUT", "/api/v1/executions/x~y", "DELETE, GET, HEAD"),
    ],
)
def test_a_method_that_a_route_does_not_take_is_refused(
    method: str, path: str, allowed: str, server: RunningServer
) -> None:
    """With those that it does take."""
    with Wire(server) as wire:
        refused = wire.send(method, path)
        assert (refused.status, refused.body["status"]) == (405, "method_not_allowed")
        assert refused.headers["allow"] == allowed
        assert wire.send("GET", "/healthz").status == 200


@pytest.mark.parametrize(
    "path", ["/api", "/api/v1", "/api/v1/", "/api/v2/channels", "/api/v1/channels/", "/healthz/", "/%00"]
)
def test_a_path_that_is_no_route_is_not_found(path: str, server: RunningServer) -> None:
    """Nothing is redirected: a redirect would make a GET of a POST."""
    with Wire(server) as wire:
        for method in ("GET", "POST"):
            refused = wire.send(method, path)
            assert (refused.status, refused.body["status"]) == (404, "not_found")


def test_an_id_may_be_percent_encoded(server: RunningServer, channel: str) -> None:
    """`~` and `:` need no escape, and may have one."""
    at = f"{channel}:a"
    with Wire(server) as wire:
        wire.post("/events/record", note(at))
        assert wire.send("GET", f"/api/v1/events/cursor/{channel}%3Aa").body == {"latest_cursor": 1}
        claimed = wire.post("/executions/claim", {"channel_id": at, "key_name": "k", "tool_name": "t"}).body
        escaped = claimed["execution"]["id"].replace("~", "%7E").replace(":", "%3a")
        completed = wire.post(
            f"/executions/{escaped}/complete", {"claim_token": claimed["claim_token"], "result": 1}
        )
        assert completed.body["status"] == "completed"
        assert wire.send("GET", f"/api/v1/executions/{escaped}").status == 200


def test_fixed_segments_win_over_parameters(server: RunningServer) -> None:
    """A channel may be called `causal-graph`; replaying it is a replay."""
    with Wire(server) as wire:
        assert wire.send("GET", "/api/v1/events/replay/causal-graph").body == {"events": []}
        assert "latest_cursor" in wire.send("GET", "/api/v1/events/cursor/causal-graph").body
        assert "head_cursor" in wire.send("GET", "/api/v1/events/verify/causal-graph").body


@pytest.mark.parametrize("cursor", [2, 10**6, 2**63 - 1, 2**63, 10**40])
def test_a_cursor_beyond_the_head_reads_nothing(cursor: int, server: RunningServer, channel: str) -> None:
    """It is no error: whoever follows a log asks for what is not there yet."""
    with Wire(server) as wire:
        wire.post("/events/record", note(channel))
        assert wire.send("GET", f"/api/v1/events/replay/{channel}?cursor={cursor}").body == {"events": []}
        found = wire.post("/events/query", {"channel_ids": [channel], "cursor_start": cursor})
        assert found.body == {"events": [], "count": 0, "has_more": False}


def test_a_snapshot_may_stand_beyond_the_head(server: RunningServer, channel: str) -> None:
    """The caller says which cursor it belongs to."""
    with Wire(server) as wire:
        saved = wire.post(f"/state/{channel}", {"cursor": 99, "state": {}})
        assert (saved.status, saved.body["version"], saved.body["cursor"]) == (200, 1, 99)


@pytest.mark.parametrize("limit", ["0", "-1", "-99999999999999999999", "10000000000000000000000"])
def test_a_limit_is_clamped(limit: str, server: RunningServer, channel: str) -> None:
    """Nothing for zero and below, and never more than there is."""
    with Wire(server) as wire:
        wire.post("/events/record", note(channel))
        reply = wire.send("GET", f"/api/v1/events/replay/{channel}?limit={limit}")
        assert reply.status == 200
        assert len(reply.body["events"]) == (0 if limit.startswith(("0", "-")) else 1)
