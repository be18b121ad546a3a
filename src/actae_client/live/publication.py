"""What is published, written down before anything is sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import uuid4

from actae_client._calls import events
from actae_client._calls.call import Call, identity
from actae_client._calls.channel_ids import validate_channel_id
from actae_client._types.events import Event
from actae_client._types.json import Json
from actae_client.live.messages import broadcast

BROADCAST: Final = "broadcast"
"""The type of events that are published."""

PUBLISHER: Final = "publisher"
"""The actor of what is published over HTTP, where the server does not choose one."""

FRAME_BYTES_MAX: Final = 1_000_000
"""Servers take frames of just under 1 MiB. What is larger goes over HTTP, under the same identity."""


@dataclass(frozen=True, slots=True)
class Publication:
    """One event to publish. However often it is sent, it is stored once."""

    topic: str
    operation_id: str
    request_id: str
    frame: str

    def __repr__(self) -> str:
        return f"<Publication {self.operation_id} on {self.topic}>"


def publication(topic: str, payload: Json, operation_id: str | None) -> Publication:
    """Raises ValueError or TypeError for a bad topic, and for a payload that is not JSON."""
    validate_channel_id(topic)
    request_id, operation_id = str(uuid4()), identity(operation_id)
    frame = broadcast(topic, payload, request_id=request_id, operation_id=operation_id)
    return Publication(topic, operation_id, request_id, frame)


def recorded(written: Publication, payload: Json) -> Call[Event]:
    """The same over HTTP."""
    return events.record(
        written.topic,
        BROADCAST,
        payload,
        actor=PUBLISHER,
        agent_id=None,
        user_id=None,
        metadata=None,
        operation_id=written.operation_id,
        step_number=None,
        dependencies=None,
    )
