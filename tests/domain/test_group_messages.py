"""Envelopes: what a caller sent is cut out of them as it was."""

import json
from uuid import uuid4

import pytest

from actae.domain.group_messages import DeliveryRow, GroupMessage, seal, show
from tests.support.asks import NOON

TRICKY = [
    b"null",
    b"1e999",
    b'"\\ud800"',
    b'{"payload": 1, "causal_context":{}}',
    b'"\\",\\"payload\\":"',
    b"[ ]",
    b'{"\\u0000":12345678901234567890123}',
]


def through(payload: bytes, context: bytes, type_: str = "ask") -> tuple[bytes, GroupMessage]:
    """The envelope, and the message that is read out of it."""
    envelope = seal(
        "run-b~7", "crew", sender="ada", recipient="bob", type_=type_, payload=payload, causal_context=context
    )
    row = DeliveryRow("run-b", 7, envelope.payload_at, None, str(uuid4()), str(uuid4()), envelope.text, NOON)
    return envelope.text, show(row)


@pytest.mark.parametrize("payload", TRICKY)
@pytest.mark.parametrize("context", TRICKY)
def test_payload_and_context_come_back_byte_for_byte(payload: bytes, context: bytes) -> None:
    """Whatever is in them."""
    _, message = through(payload, context)
    assert (bytes(message.payload), bytes(message.causal_context)) == (payload, context)


@pytest.mark.parametrize("type_", ["ask", '","payload":"', '","causal_context":{"', "größe\n"])
def test_names_are_read_from_the_front(type_: str) -> None:
    """A type that looks like the envelope's own fields is only a type."""
    _, message = through(b"1", b"null", type_)
    assert (message.type, bytes(message.payload)) == (type_, b"1")
    assert (message.message_id, message.group_id) == ("run-b~7", "crew")
    assert (message.from_member_id, message.to_member_id) == ("ada", "bob")


def test_the_envelope_has_exactly_these_fields() -> None:
    """Those that live consumers read."""
    text, _ = through(b'{"n":1}', b'{"why":[]}')
    assert json.loads(text) == {
        "message_id": "run-b~7",
        "group_id": "crew",
        "from": {"member": "ada"},
        "to": {"member": "bob"},
        "type": "ask",
        "payload": {"n": 1},
        "causal_context": {"why": []},
    }
