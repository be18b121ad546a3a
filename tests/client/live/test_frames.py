"""Frames in and out, as data."""

import json
from typing import Any

import pytest

from actae.transport.error_replies import STATUSES
from actae_client import errors
from actae_client._calls.refusals import error_class, refusal_of
from actae_client.live import messages
from actae_client.live.frames import (
    Acknowledged,
    Authenticated,
    Broadcast,
    Complaint,
    PublicationRefused,
    Subscribed,
    SubscriptionRefused,
    Synchronised,
    read_frame,
)
from actae_client.types import Event
from tests.client.live.support.scripted_socket import event

FIELDS = event(7, {"n": 1})
UNDER_TYPE = {name: value for name, value in FIELDS.items() if name != "event_type"}
UNDER_EVENT_TYPE = {name: value for name, value in FIELDS.items() if name != "type"}
EVENT = Event.from_dict(FIELDS)
TOLD = Broadcast("run-7", EVENT, False)
STUB = event(7, {"truncated": True, "size_bytes": 9}, truncated=True)


@pytest.mark.parametrize(
    ("message", "sent"),
    [
        (messages.auth("sk-x"), {"type": "auth", "api_key": "sk-x"}),
        (messages.subscribe("run-7", None), {"type": "subscribe", "topic": "run-7"}),
        (messages.subscribe("run-7", 0), {"type": "subscribe", "topic": "run-7", "cursor": 0}),
        (messages.subscribe("run-7", 3), {"type": "subscribe", "topic": "run-7", "cursor": 3}),
        (messages.unsubscribe("run-7"), {"type": "unsubscribe", "topic": "run-7"}),
        (
            messages.broadcast("run-7", None, request_id="r", operation_id="o"),
            {"type": "broadcast", "topic": "run-7", "payload": None, "request_id": "r", "operation_id": "o"},
        ),
    ],
)
def test_what_is_said(message: str, sent: dict[str, Any]) -> None:
    """Flat frames. A cursor of 0 is one; what is not given is absent."""
    assert json.loads(message) == sent


def test_any_text_can_be_published() -> None:
    """Halves of surrogate pairs and NUL as well."""
    text = "\0 \ud800 é 漢"
    assert json.loads(messages.broadcast("t", text, request_id="r", operation_id="o"))["payload"] == text


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        ({"Connection": {"event": "connected", "payload": {}}}, None),
        ({"Connection": {"event": "authenticated", "payload": {}}}, Authenticated()),
        ({"Connection": {"event": "pong"}}, None),
        ({"Subscription": {"event": "subscribed", "topic": "t", "cursor": 3}}, Subscribed("t", 3)),
        (
            {"Subscription": {"event": "subscribed", "payload": {"topic": "t", "cursor": 0}}},
            Subscribed("t", 0),
        ),
        ({"Subscription": {"event": "subscribed", "topic": "t", "cursor": None}}, Subscribed("t", None)),
        ({"Subscription": {"event": "unsubscribed", "payload": {"topic": "t"}}}, None),
        ({"Broadcast": {"topic": "run-7", "payload": {"event": FIELDS}}}, TOLD),
        ({"Broadcast": {"topic": "run-7", "payload": {"event": UNDER_TYPE}}}, TOLD),
        ({"Broadcast": {"topic": "run-7", "payload": {"event": UNDER_EVENT_TYPE}}}, TOLD),
        ({"Ack": {"request_id": "r", **FIELDS}}, Acknowledged("r", EVENT, False)),
        ({"Ack": event(7)}, None),
        ({"CursorSync": {"topic": "t", "cursor": 9}}, Synchronised("t", 9)),
        ({"type": "cursor_sync", "topic": "t", "cursor": 9}, Synchronised("t", 9)),
        ({"type": "connection", "event": "authenticated"}, Authenticated()),
        ({"type": "subscription", "event": "subscribed", "topic": "t", "cursor": 3}, Subscribed("t", 3)),
        ({"type": "broadcast", "topic": "run-7", "payload": {"event": FIELDS}}, TOLD),
        ({**FIELDS, "type": "ack", "request_id": "r"}, Acknowledged("r", EVENT, False)),
        ({"Newer": {"anything": 1}}, None),
        ({"type": "newer"}, None),
        ({}, None),
    ],
)
def test_what_is_heard(frame: dict[str, Any], said: Any) -> None:
    """Tagged and flat, with the values at the top or in the payload; what is not known is nothing."""
    assert read_frame(json.dumps(frame)) == said


@pytest.mark.parametrize(
    ("frame", "kind"),
    [
        ({"Broadcast": {"topic": "run-7", "payload": {"event": STUB}}}, Broadcast),
        ({"Ack": {"request_id": "r", **STUB}}, Acknowledged),
    ],
)
def test_a_stub_is_known_as_one(frame: dict[str, Any], kind: type) -> None:
    """By the mark of the event, and not by what a payload may say."""
    said = read_frame(json.dumps(frame))
    assert isinstance(said, Broadcast | Acknowledged)
    assert isinstance(said, kind)
    assert said.is_stub


@pytest.mark.parametrize(
    "frame",
    [
        {"CursorSync": {"topic": "t", "cursor": "z"}},
        {"CursorSync": {"topic": "t", "cursor": None}},
        {"CursorSync": {"topic": ["t"], "cursor": 1}},
        {"Subscription": {"event": "subscribed", "topic": "t", "cursor": "z"}},
        {"Subscription": {"event": "subscribed", "topic": ["t"], "cursor": 1}},
        {"Subscription": {"event": "error", "topic": ["t"], "error": "no"}},
        {"Broadcast": {"topic": ["t"], "payload": {"event": FIELDS}}},
        {"Broadcast": {"topic": "t", "payload": {"event": {**FIELDS, "cursor": "z"}}}},
        {"Ack": {"request_id": ["r"], **FIELDS}},
        {"Ack": {"request_id": "r", **FIELDS, "channel_id": ["t"]}},
        {"Nack": {"request_id": ["r"], "message": "no"}},
    ],
)
def test_a_value_of_the_wrong_kind_is_told(frame: dict[str, Any]) -> None:
    """Here, where the frame can be left out, and not where it would end the reading."""
    with pytest.raises(TypeError, match=r"is not a (name|cursor)"):
        read_frame(json.dumps(frame))


@pytest.mark.parametrize(
    "text", ["", "no", "[]", "7", '{"Broadcast": {}}', '{"Ack": {"request_id": "r"}}', "[" * 100_000]
)
def test_what_is_no_frame_is_told(text: str) -> None:
    """By one of these errors, so that a reader can go on with the next frame."""
    with pytest.raises((ValueError, TypeError, LookupError, AttributeError, RecursionError)):
        read_frame(text)


@pytest.mark.parametrize(
    ("frame", "kind", "error"),
    [
        ({"Error": {"message": "no", "status": "unauthorized"}}, Complaint, errors.AuthError),
        ({"Error": {"message": "no"}}, Complaint, errors.ServerError),
        ({"Nack": {"message": "no"}}, Complaint, errors.APIError),
        (
            {"Nack": {"request_id": "r", "status": "idempotency_conflict", "message": "no"}},
            PublicationRefused,
            errors.IdempotencyConflictError,
        ),
        (
            {"Nack": {"request_id": "r", "status": "channel_closed", "message": "no"}},
            PublicationRefused,
            errors.ChannelClosedError,
        ),
        (
            {"Nack": {"request_id": "r", "status": "overloaded", "message": "no"}},
            PublicationRefused,
            errors.OverloadedError,
        ),
        (
            {
                "Subscription": {
                    "event": "error",
                    "payload": {"topic": "t", "error": "no", "status": "forbidden"},
                }
            },
            SubscriptionRefused,
            errors.PermissionDeniedError,
        ),
        ({"Subscription": {"event": "error", "payload": {"error": "no"}}}, Complaint, errors.APIError),
    ],
)
def test_refusals_are_errors(frame: dict[str, Any], kind: type, error: type) -> None:
    """The class of their code, with the server's sentence."""
    said = read_frame(json.dumps(frame))
    assert isinstance(said, Complaint | PublicationRefused | SubscriptionRefused)
    assert isinstance(said, kind)
    assert isinstance(said.error, error)
    assert str(said.error) == "no"


def test_an_error_that_repeats_a_refusal_says_nothing_new() -> None:
    """Whoever knows the Nack was told by that."""
    assert read_frame('{"Error": {"request_id": "r", "status": "channel_closed", "message": "no"}}') is None


@pytest.mark.parametrize("fields", [{}, {"retry_after_seconds": 5}], ids=["silent", "told"])
@pytest.mark.parametrize("code", ["channel_closed", "rate_limited"])
def test_a_refusal_has_the_details_that_it_brings(code: str, fields: dict[str, Any]) -> None:
    """And no others: not what the frame says of itself, not a time that nobody named."""
    said = {"status": code, "message": "no", "hint": "h", "retryable": False, "field": "topic", **fields}
    of_frame = {"request_id": "r", "topic": "t", "event": "error", "payload": {}}
    refusal = refusal_of({**said, **of_frame})
    assert (refusal.details, refusal.hint, refusal.retryable) == ({"field": "topic", **fields}, "h", False)
    assert refusal.request_id is None
    if isinstance(refusal, errors.RateLimitError):
        assert refusal.retry_after_seconds == fields.get("retry_after_seconds", 1)


@pytest.mark.parametrize("code", sorted({kind.code for kind in STATUSES}))
def test_a_refusal_is_the_same_over_both_ways(code: str) -> None:
    """What has no HTTP status on the WebSocket gets one that it has over HTTP, and so the same class."""
    refusal = refusal_of({"status": code, "message": "no"})
    statuses = {status for kind, status in STATUSES.items() if kind.code == code}
    assert refusal.status_code in statuses | ({409} if code == "not_a_fork" else set())
    assert type(refusal) in {error_class(code, status) for status in statuses}
    assert refusal.code == code
