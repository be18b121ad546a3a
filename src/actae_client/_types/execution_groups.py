"""Execution groups: their members, leases and messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from actae_client._types.events import Event
from actae_client._types.json import Json


@dataclass(frozen=True, slots=True)
class ExecutionGroup:
    """Agents that run on their own and write to each other."""

    group_id: str
    status: str
    metadata: dict[str, Json]
    created_at: str
    updated_at: str

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ExecutionGroup:
        """Read a group as the server writes it, in its wrapper or without."""
        data = data.get("group", data)
        return cls(
            group_id=data["group_id"],
            status=data.get("status", "active"),
            metadata=data.get("metadata") or {},
            created_at=data.get("created_at", ""),
            updated_at=data.get("updated_at", ""),
        )


@dataclass(frozen=True, slots=True)
class ExecutionGroupMember:
    """A name bound to a channel, and who works for it.

    `generation` grows with each new owner; 0 is never claimed. `lease_until` is None when nobody holds it.
    """

    group_id: str
    member_id: str
    channel_id: str
    role: str | None
    metadata: dict[str, Json]
    owner_id: str | None
    generation: int
    lease_until: str | None

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ExecutionGroupMember:
        """Read a member as the server writes it, in its wrapper or without."""
        data = data.get("member", data)
        return cls(
            group_id=data["group_id"],
            member_id=data["member_id"],
            channel_id=data["channel_id"],
            role=data.get("role"),
            metadata=data.get("metadata") or {},
            owner_id=data.get("owner_id"),
            generation=data.get("generation", 0),
            lease_until=data.get("lease_until"),
        )


@dataclass(frozen=True, slots=True)
class MemberLease:
    """The right to work for a member. Owner and generation prove it; older generations are refused."""

    group_id: str
    member_id: str
    owner_id: str
    generation: int
    lease_until: str

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> MemberLease:
        """Read a lease as the server writes it, in its wrapper or without."""
        data = data.get("lease", data)
        return cls(
            data["group_id"], data["member_id"], data["owner_id"], data["generation"], data["lease_until"]
        )


@dataclass(frozen=True, slots=True)
class GroupMessage:
    """A message from one member to another.

    `status` is `delivered` or `acknowledged`. The events are `message.sent` on the sender's channel and
    `message.received` on the recipient's.
    """

    message_id: str
    group_id: str
    from_member_id: str
    to_member_id: str
    message_type: str
    payload: Json
    causal_context: dict[str, Json] | None
    source_event_id: str
    delivery_event_id: str
    status: str
    acknowledged_at: str | None
    created_at: str | None = None

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> GroupMessage:
        """Read a message as the server writes it, in its wrapper or without."""
        data = data.get("message", data)
        get = data.get
        return cls(
            message_id=data["message_id"],
            group_id=data["group_id"],
            from_member_id=data["from_member_id"],
            to_member_id=data["to_member_id"],
            message_type=data["type"],
            payload=get("payload"),
            causal_context=get("causal_context"),
            source_event_id=data["source_event_id"],
            delivery_event_id=data["delivery_event_id"],
            status=get("status", "delivered"),
            acknowledged_at=get("acknowledged_at"),
            created_at=get("created_at"),
        )

    @classmethod
    def from_websocket_event(cls, event: Event) -> GroupMessage:
        """Read a message out of its delivery, an event of type `message.received`.

        Raises ValueError for an event that is none.
        """
        try:
            envelope = event.payload
            return cls(
                message_id=envelope["message_id"],
                group_id=envelope["group_id"],
                from_member_id=envelope["from"]["member"],
                to_member_id=envelope["to"]["member"],
                message_type=envelope["type"],
                payload=envelope["payload"],
                causal_context=envelope.get("causal_context"),
                source_event_id=event.depends_on or "",
                delivery_event_id=event.id,
                status="delivered",
                acknowledged_at=None,
                created_at=event.timestamp,
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"event {event.id} is not the delivery of a message") from error
