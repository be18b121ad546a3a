"""Bad input: refused with its status and code, naming the field, changing nothing, keeping the connection."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import pytest

from actae.domain.access import EVERYTHING
from actae.operations.api_keys import create_key, revoke_key
from actae.store.database import Database
from tests.support.bad_requests import CASES, CHANNEL, Case
from tests.support.server import RunningServer
from tests.support.waiting import until
from tests.support.wire import RawReply, Wire

T = TypeVar("T")

CLAIM = b'{"channel_id":"CHANNEL","key_name":"k","tool_name":"t"'
BODIES = {
    "nothing": b"",
    "NaN": CLAIM + b',"params":{"n":NaN}}',
    "infinity": CLAIM + b',"params":-Infinity}',
    "bad UTF-8 in params": CLAIM + b',"params":"\xff"}',
    "a surrogate in UTF-8": CLAIM + b',"params":"\xed\xa0\x80"}',
    "bad UTF-8 in the actor": CLAIM + b',"actor":"\xc3"}',
    "bad UTF-8 in an unknown field": CLAIM + b',"later":"\xc3"}',
    "a byte order mark": b"\xef\xbb\xbf" + CLAIM + b"}",
    "half an object": CLAIM,
    "two objects": CLAIM + b"}{}",
    "a trailing comma": CLAIM + b",}",
    "single quotes": CLAIM.replace(b'"', b"'") + b"}",
    "a bare control character": CLAIM + b',"params":"\n"}',
    "a cut escape": CLAIM + b',"params":"\\ud8"}',
    "an unknown escape": CLAIM + b',"params":"\\x41"}',
    "a leading zero": CLAIM + b',"params":01}',
    "a lone minus": CLAIM + b',"params":-}',
    "10,000 levels of lists": CLAIM + b',"params":' + b"[" * 10_000 + b"]" * 10_000 + b"}",
    "10,000 levels of objects": CLAIM + b',"params":' + b'{"a":' * 10_000 + b"1" + b"}" * 10_001,
    "a million levels, unclosed": b"[" * 1_000_000,
    "form fields": b"channel_id=CHANNEL&key_name=k&tool_name=t",
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_bad_value_is_refused_by_name(case: Case, server: RunningServer, channel: str) -> None:
    """Status and code as documented, the path of the bad value, and nothing else happens."""
    body = None
    if case.body is not None:
        fields = case.body
        if isinstance(fields, dict):
            fields = {name: value for name, value in fields.items() if value is not ...}
        body = json.dumps(fields).replace(CHANNEL, channel).encode()
    with Wire(server) as wire:
        refused = wire.send(case.method, "/api/v1" + case.path.replace(CHANNEL, channel), body)
        assert (refused.status, refused.body["status"]) == (case.status, case.code), refused.content
        assert refused.body.get("field") == case.field, refused.content
        assert_refusal(refused.body, refused.headers)
        assert_untouched(wire, channel)


@pytest.mark.parametrize("name", BODIES)
def test_a_body_that_is_not_json_is_refused(name: str, server: RunningServer, channel: str) -> None:
    """With `invalid_json`, whatever stands in it."""
    with Wire(server) as wire:
        refused = wire.post("/executions/claim", BODIES[name].replace(b"CHANNEL", channel.encode()))
        assert (refused.status, refused.body["status"]) == (400, "invalid_json"), refused.content
        assert_refusal(refused.body, refused.headers)
        assert_untouched(wire, channel)


@pytest.mark.parametrize("chunks", [1, 17], ids=["at once", "in chunks"])
def test_a_body_that_is_too_large_is_refused(chunks: int, server: RunningServer, channel: str) -> None:
    """Also when its size is not announced; and the rest of it is not taken for the next request."""
    payload = json.dumps(
        {"channel_id": channel, "event_type": "note", "payload": "x" * (17 * 2**20)}
    ).encode()
    size = len(payload) // chunks + 1
    pieces = [payload[start : start + size] for start in range(0, len(payload), size)]
    with Wire(server) as wire:
        refused = wire.send("POST", "/api/v1/events/record", payload if chunks == 1 else iter(pieces))
        assert (refused.status, refused.body["status"]) == (413, "payload_too_large")
        assert refused.body["limit"] == 16 * 2**20
        assert_refusal(refused.body, refused.headers)
        assert_untouched(wire, channel)


@pytest.mark.parametrize(
    "headers",
    [
        {"x-api-key": None},
        {"x-api-key": ""},
        {"x-api-key": "sk-unknown"},
        {"x-api-key": "sk-" + "0" * 32},
        {"x-api-key": "käse"},
        {"x-api-key": "x" * 8000},
        {"authorization": "Bearer a.b.c"},
        {"authorization": "Bearer "},
    ],
    ids=["none", "empty", "unknown", "well formed", "not ASCII", "long", "token", "empty token"],
)
def test_a_credential_that_is_not_known_is_refused(
    headers: dict[str, str | None], server: RunningServer, channel: str
) -> None:
    """With 401, before the body is looked at; and the connection serves the next caller."""
    with Wire(server) as wire:
        refused = wire.send("POST", "/api/v1/executions/claim", b"{", headers)
        assert (refused.status, refused.body["status"]) == (401, "unauthorized")
        assert "www-authenticate" in refused.headers
        assert_refusal(refused.body, refused.headers)
        assert_untouched(wire, channel)


def test_a_revoked_key_is_refused(server: RunningServer, channel: str) -> None:
    """Within a second, on a connection that it was good on."""
    key, secret = asyncio.run(with_database(server, lambda db: create_key(db, "short-lived", EVERYTHING)))
    body = json.dumps({"channel_id": channel, "limit": 0}).encode()
    with Wire(server) as wire:

        def send() -> RawReply:
            return wire.send("POST", "/api/v1/events/query", body, {"x-api-key": secret})

        assert send().status == 200
        asyncio.run(with_database(server, lambda db: revoke_key(db, key.key_id)))
        until(lambda: send().status != 200)
        refused = send()
        assert (refused.status, refused.body["status"]) == (401, "unauthorized")
        assert secret.encode() not in refused.content
        assert_refusal(refused.body, refused.headers)
        assert_untouched(wire, channel)


async def with_database(server: RunningServer, act: Callable[[Database], Awaitable[T]]) -> T:
    """Do something beside the server."""
    db = await Database.connect(server.database_url, connections_max=1, read_timeout_seconds=10)
    try:
        return await act(db)
    finally:
        await db.close()


def assert_refusal(body: dict[str, Any], headers: Any) -> None:
    """The one shape."""
    assert headers["content-type"] == "application/json"
    assert isinstance(body["error"], str)
    assert body["error"]
    assert body["retryable"] is False
    assert body["request_id"] == headers["x-request-id"]


def assert_untouched(wire: Wire, channel: str) -> None:
    """The next requests on the connection work, and find that nothing was written."""
    cursor = wire.send("GET", f"/api/v1/events/cursor/{channel}")
    assert (cursor.status, cursor.body) == (200, {"latest_cursor": None})
    executions = wire.send("GET", f"/api/v1/executions?channel_id={channel}")
    assert (executions.status, executions.body["executions"]) == (200, [])
    state = wire.send("GET", f"/api/v1/state/{channel}")
    assert (state.status, state.body) == (200, {"cursor": None})
