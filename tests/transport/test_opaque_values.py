r"""Payloads, params, results, errors, states and metadata come back byte for byte.

What an agent's tool returned must not be refused for its text, nor come back as something else.
"""

import json

import pytest

from tests.support.server import RunningServer
from tests.support.wire import Wire

VALUES = {
    "null": b"null",
    "NUL": rb'"a\u0000b"',
    "NUL as a key": rb'{"\u0000":1}',
    "half of a surrogate pair": rb'"\ud83d"',
    "the other half": rb'["\uDE00","\udfff"]',
    "two halves in the wrong order": rb'"\ude00\ud83d"',
    "a half as a key": rb'{"\ud800":{"\udc00":null}}',
    "every half": b'"' + b"x".join(b"\\u%04x" % half for half in range(0xD800, 0xE000)) + b'"',
    "a whole pair": rb'"\ud83d\ude00"',
    "an escaped backslash before what looks like a half": rb'"\\ud83d"',
    "a half and a private character": '"\\ud83d\\ue000 \ue001"'.encode(),
    "an emoji as it is": '"😀 ünï"'.encode(),
    "line separators": '"\u2028\u2029"'.encode(),
    "every escape": rb'"\"\\\/\b\f\n\r\t\u001f\u007f"',
    "a huge integer": b"9" * 400,
    "a huge negative integer": b"-" + b"7" * 100,
    "more digits than a double": b"0.1234567890123456789012345678901234567890",
    "an exponent beyond a double": b"[1e400,-1E+400,1e-400]",
    "one, three ways": b"[1,1.0,1e0,10e-1]",
    "minus zero": b"[-0,-0.0]",
    "key order": b'{"z":1,"a":2,"m":3}',
    "a key twice": b'{"a":1,"a":2}',
    "an empty key": b'{"":0}',
    "spaces": b'{ "a" : [ 1 , 2 ] }',
    "the names of our own fields": b'{"params":{"result":{"error":1}},"execution_id":"x"}',
    "text that looks like the end of a field": rb'",\"params\":1}"',
    "empty containers": b'[{},[],""]',
    "deep nesting": b"[" * 400 + b"]" * 400,
    "five thousand items": json.dumps(list(range(5_000))).encode(),
}
VALUE = pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)


@VALUE
def test_a_payload_comes_back_as_sent(value: bytes, server: RunningServer, channel: str) -> None:
    """In the reply, in the log and in a query."""
    with Wire(server) as wire:
        at = channel.encode()
        body = b'{"channel_id":"%b","event_type":"t","payload":%b,"metadata":{"actor":"a"}}' % (at, value)
        replies = [
            wire.post("/events/record", body),
            wire.send("GET", f"/api/v1/events/replay/{channel}"),
            wire.post("/events/query", {"channel_ids": [channel]}),
        ]
    for reply in replies:
        assert reply.status == 200, reply.content
        assert b'"payload":' + value.strip() + b"," in reply.content


@VALUE
def test_params_and_result_come_back_as_sent(value: bytes, server: RunningServer, channel: str) -> None:
    """To the owner, and to who claims the key later."""
    claim = b'{"channel_id":"%b","key_name":"k","tool_name":"t","params":%b}' % (channel.encode(), value)
    with Wire(server) as wire:
        claimed = wire.post("/executions/claim", claim)
        assert claimed.status == 200, claimed.content
        execution_id, token = (
            b_field(claimed.content, b'"id":"'),
            b_field(claimed.content, b'"claim_token":"'),
        )
        result = b'{"claim_token":"%b","result":%b}' % (token, value)
        replies = [
            wire.post(f"/executions/{execution_id.decode()}/complete", result),
            wire.post("/executions/claim", claim),
            wire.send("GET", f"/api/v1/executions/{execution_id.decode()}"),
        ]
    assert b'"params":' + value + b"," in claimed.content
    for reply in replies:
        assert reply.status == 200, reply.content
        assert b'"params":' + value + b"," in reply.content
        assert b'"result":' + value + b"," in reply.content


def b_field(content: bytes, mark: bytes) -> bytes:
    """A field of a reply that a JSON library may be unable to read."""
    start = content.index(mark) + len(mark)
    return content[start : content.index(b'"', start)]


@VALUE
def test_a_state_comes_back_as_sent(value: bytes, server: RunningServer, channel: str) -> None:
    """As the latest and as a version, saved alone and with an event."""
    author = b'{"actor":"a"}'
    with Wire(server) as wire:
        saved = wire.post(f"/state/{channel}", b'{"cursor":0,"state":%b}' % value)
        moved = wire.post(
            "/events/transition",
            b'{"channel_id":"%b","type":"t","payload":1,"state":%b,"metadata":%b}'
            % (channel.encode(), value, author),
        )
        replies = [
            wire.send("GET", f"/api/v1/state/{channel}"),
            wire.send("GET", f"/api/v1/state/{channel}/version/1"),
        ]
    assert (saved.status, moved.status) == (200, 200), (saved.content, moved.content)
    for reply in replies:
        assert reply.status == 200, reply.content
        # A state of null is what a snapshot without one looks like, so it may be left out.
        assert b'"state":' + value + b"," in reply.content or value == b"null"


@pytest.mark.parametrize(
    "text",
    [value for value in VALUES.values() if value.startswith(b'"')],
    ids=[name for name, value in VALUES.items() if value.startswith(b'"')],
)
def test_an_error_comes_back_as_sent(text: bytes, server: RunningServer, channel: str) -> None:
    """Message, type and stack, whatever characters the tool put into them."""
    with Wire(server) as wire:
        claim = {"channel_id": channel, "key_name": "k", "tool_name": "t"}
        claimed = wire.post("/executions/claim", claim).body
        execution_id, token = claimed["execution"]["id"], claimed["claim_token"].encode()
        body = b'{"claim_token":"%b","message":%b,"error_type":%b,"stack":%b}' % (token, text, text, text)
        replies = [
            wire.post(f"/executions/{execution_id}/fail", body),
            wire.send("GET", f"/api/v1/executions/{execution_id}"),
            wire.send("GET", f"/api/v1/events/replay/{channel}"),
        ]
    expected = b'"error":{"message":%b,"error_type":%b,"stack":%b}' % (text, text, text)
    for reply in replies:
        assert reply.status == 200, reply.content
        assert expected in reply.content


@pytest.mark.parametrize(
    "value",
    [value for value in VALUES.values() if value.startswith(b"{")],
    ids=[name for name, value in VALUES.items() if value.startswith(b"{")],
)
def test_metadata_comes_back_as_sent(value: bytes, server: RunningServer, channel: str) -> None:
    """An event's own, and a channel's."""
    with Wire(server) as wire:
        event = b'{"channel_id":"%b","event_type":"t","payload":1,"metadata":{"actor":"a","metadata":%b}}'
        recorded = wire.post("/events/record", event % (channel.encode(), value))
        put = wire.send("PUT", f"/api/v1/channels/{channel}/metadata", b'{"experiment_metadata":%b}' % value)
        got = wire.send("GET", f"/api/v1/channels/{channel}/metadata")
    assert b'"metadata":' + value + b"," in recorded.content
    for reply in (put, got):
        assert reply.status == 200, reply.content
        assert b'"experiment_metadata":' + value + b"," in reply.content
