"""What the server says over the WebSocket, as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from actae_client._calls.decoding import decode
from actae_client._calls.refusals import refusal_of
from actae_client._types.events import Event
from actae_client.errors import ActaeError


@dataclass(frozen=True, slots=True)
class Authenticated:
    """The key is good."""


@dataclass(frozen=True, slots=True)
class Subscribed:
    """A topic's events come from now on, after this cursor; None where the server does not say which."""

    topic: str
    cursor: int | None


@dataclass(frozen=True, slots=True)
class SubscriptionRefused:
    """A topic's events do not come, or come no longer."""

    topic: str
    error: ActaeError


@dataclass(frozen=True, slots=True)
class Broadcast:
    """An event of a topic. A stub has all but payload and metadata, which were too large to send."""

    topic: str
    event: Event
    is_stub: bool


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """What was published is this event."""

    request_id: str
    event: Event
    is_stub: bool


@dataclass(frozen=True, slots=True)
class PublicationRefused:
    """What was published is not stored."""

    request_id: str
    error: ActaeError


@dataclass(frozen=True, slots=True)
class Synchronised:
    """All events up to this cursor have been sent."""

    topic: str
    cursor: int


@dataclass(frozen=True, slots=True)
class Complaint:
    """Something went wrong that no call waits for; before authentication, why there is none."""

    error: ActaeError


Frame: TypeAlias = (
    Authenticated
    | Subscribed
    | SubscriptionRefused
    | Broadcast
    | Acknowledged
    | PublicationRefused
    | Synchronised
    | Complaint
)


def read_frame(text: str) -> Frame | None:
    """What a frame says, None where that is of no consequence.

    Raises ValueError, TypeError, LookupError or RecursionError for what is no frame of Actae.
    """
    frame = decode(text)
    for tag, read in _READERS.items():
        if isinstance(fields := frame.get(tag), dict):
            return read(fields)
    read_flat = _FLAT_READERS.get(frame.get("type"))
    return None if read_flat is None else read_flat(frame)


def is_stub(event: Mapping[str, Any]) -> bool:
    """Whether an event on a stream lacks what was too large for it."""
    return event.get("truncated") is True


def event_of(fields: Mapping[str, Any]) -> Event:
    """An event as streams write it: its type stands under either of two names.

    Raises TypeError where its place is none.
    """
    event = Event.from_broadcast({**fields, "type": fields.get("event_type") or fields.get("type")})
    _number(event.cursor)
    _name(event.channel_id)
    return event


def _name(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.100} is not a name")
    return value


def _number(value: Any) -> int:
    if not isinstance(value, int):
        raise TypeError(f"{value!r:.100} is not a cursor")
    return value


def _connection(fields: Mapping[str, Any]) -> Frame | None:
    return Authenticated() if fields["event"] == "authenticated" else None


def _subscription(fields: Mapping[str, Any]) -> Frame | None:
    # Servers differ in where they put the values: at the top, in the payload, or both.
    said: Mapping[str, Any] = {**(fields.get("payload") or {}), **fields}
    if fields["event"] == "subscribed":
        cursor = said.get("cursor")
        return Subscribed(_name(said["topic"]), None if cursor is None else _number(cursor))
    if fields["event"] != "error":
        return None
    error = refusal_of(said)
    return SubscriptionRefused(_name(said["topic"]), error) if said.get("topic") else Complaint(error)


def _broadcast(fields: Mapping[str, Any]) -> Frame:
    event = fields["payload"]["event"]
    return Broadcast(_name(fields["topic"]), event_of(event), is_stub(event))


def _ack(fields: Mapping[str, Any]) -> Frame | None:
    if not fields.get("request_id"):
        return None
    return Acknowledged(_name(fields["request_id"]), event_of(fields), is_stub(fields))


def _nack(fields: Mapping[str, Any]) -> Frame:
    error = refusal_of(fields)
    request_id = fields.get("request_id")
    return PublicationRefused(_name(request_id), error) if request_id else Complaint(error)


def _cursor_sync(fields: Mapping[str, Any]) -> Frame:
    return Synchronised(_name(fields["topic"]), _number(fields["cursor"]))


def _error(fields: Mapping[str, Any]) -> Frame | None:
    # One that names a request repeats its Nack, for clients that know no such frame.
    return None if fields.get("request_id") else Complaint(refusal_of(fields))


# In the order in which clients of this protocol look for them.
_READERS: Mapping[str, Callable[[Mapping[str, Any]], Frame | None]] = {
    "Connection": _connection,
    "Broadcast": _broadcast,
    "Subscription": _subscription,
    "Ack": _ack,
    "CursorSync": _cursor_sync,
    "Error": _error,
    "Nack": _nack,
}

_FLAT_READERS: Mapping[Any, Callable[[Mapping[str, Any]], Frame | None]] = {
    "connection": _connection,
    "broadcast": _broadcast,
    "subscription": _subscription,
    "ack": _ack,
    "cursor_sync": _cursor_sync,
    "error": _error,
    "nack": _nack,
}
