"""The model's execution group: who holds a member, and its mail. Written from the protocol as well."""

from dataclasses import dataclass, field
from itertools import count
from typing import Any

from tests.support.model import Channel, Expected, refusal
from tests.support.names import Name

_numbers = count(1)


@dataclass
class Seat:
    """A member, its lease and its mail."""

    channel: Channel
    owner: str | None = None
    generation: int = 0
    lease_until: int | None = None  # None once it is released
    renewals: int = 0
    mail: list[dict[str, Any]] = field(default_factory=list)

    def is_held_by(self, owner: str, generation: int) -> bool:
        """Whether these are the latest owner and generation, released or not."""
        return (owner, generation) == (self.owner, self.generation)


class CrewModel:
    """One group. `now` counts whole seconds; the real clock is moved along with it."""

    def __init__(self, group_id: str, **channels: Channel) -> None:
        self.id = group_id
        self.now = 0
        self.seats = {name: Seat(channel) for name, channel in channels.items()}
        self._sendings: dict[str, tuple[Any, dict[str, Any]]] = {}

    def claim(self, name: str, owner: str, lease_seconds: int) -> Expected:
        """POST …/claim: a new owner is a new generation."""
        seat = self.seats[name]
        if seat.channel.lifecycle == "deleted":
            return refusal(409, "channel_deleted")
        is_live = seat.lease_until is not None and self.now < seat.lease_until
        if is_live and seat.owner != owner:
            return refusal(409, "member_lease_held")
        if not is_live:
            seat.generation += 1
        seat.owner = owner
        return self._renew(name, lease_seconds)

    def heartbeat(self, name: str, owner: str, generation: int, lease_seconds: int) -> Expected:
        """POST …/heartbeat: a lapsed lease that nobody took revives."""
        seat = self.seats[name]
        if not seat.is_held_by(owner, generation) or seat.lease_until is None:
            return self._lost(seat)
        return self._renew(name, lease_seconds)

    def release(self, name: str, owner: str, generation: int) -> Expected:
        """POST …/release: as often as one likes."""
        seat = self.seats[name]
        if not seat.is_held_by(owner, generation):
            return self._lost(seat)
        seat.lease_until = None
        return Expected(200, {"status": "released", "group_id": self.id, "member_id": name})

    def members(self) -> Expected:
        """GET …/members"""
        return Expected(200, {"members": [self._shown(name) for name in self.seats]})

    def send(
        self, sender: str, recipient: str, payload: Any, context: Any, operation_id: str | None
    ) -> Expected:
        """POST …/messages: repetition first, then what the channels are."""
        content = (sender, recipient, payload, context)
        source, target = self.seats[sender].channel, self.seats[recipient].channel
        if operation_id in self._sendings:
            first, message = self._sendings[operation_id]
            if first != content:
                return refusal(409, "idempotency_conflict")
            if target.lifecycle == "deleted":
                return refusal(409, "channel_deleted")
            return Expected(200, {"message": message})
        if refused := source.refusal() or target.refusal():
            return refused
        message = self._deliver(sender, recipient, payload, context)
        if operation_id is not None:
            self._sendings[operation_id] = (content, message)
        return Expected(200, {"message": message})

    def read(self, name: str) -> Expected:
        """GET …/messages"""
        return Expected(200, {"messages": list(self.seats[name].mail), "has_more": False})

    def acknowledge(self, message: dict[str, Any], owner: str, generation: int) -> Expected:
        """POST …/ack: by whoever holds the recipient, the first time counts."""
        seat = self.seats[message["to_member_id"]]
        if seat.channel.lifecycle == "deleted":
            return refusal(409, "channel_deleted")
        if not seat.is_held_by(owner, generation) or seat.lease_until is None:
            return self._lost(seat)
        message["status"] = "acknowledged"
        message["acknowledged_at"] = Name("moment", ("acknowledged", message["message_id"]))
        return Expected(200, {"message": message})

    def forget(self, channel: Channel) -> None:
        """A channel was deleted, and its mail with it."""
        for seat in self.seats.values():
            if seat.channel is channel:
                seat.mail.clear()

    def _deliver(self, sender: str, recipient: str, payload: Any, context: Any) -> dict[str, Any]:
        source, target = self.seats[sender].channel, self.seats[recipient].channel
        id_ = f"{target.id}~{len(target.log) + (2 if source is target else 1)}"
        envelope = {
            "message_id": id_,
            "group_id": self.id,
            "from": {"member": sender},
            "to": {"member": recipient},
            "type": "note",
            "payload": payload,
            "causal_context": context,
        }
        sent = source.append("message.sent", envelope, sender)
        received = target.append("message.received", envelope, sender, depends_on=sent["id"])
        message = {
            "message_id": id_,
            "group_id": self.id,
            "from_member_id": sender,
            "to_member_id": recipient,
            "type": "note",
            "payload": payload,
            "causal_context": context,
            "source_event_id": sent["id"],
            "delivery_event_id": received["id"],
            "status": "delivered",
            "acknowledged_at": None,
            "created_at": received["timestamp"],
        }
        self.seats[recipient].mail.append(message)
        return message

    def _renew(self, name: str, lease_seconds: int) -> Expected:
        seat = self.seats[name]
        seat.lease_until = self.now + lease_seconds
        seat.renewals = next(_numbers)
        lease = {
            "group_id": self.id,
            "member_id": name,
            "owner_id": seat.owner,
            "generation": seat.generation,
            "lease_until": self._lease_name(name),
        }
        return Expected(200, {"lease": lease})

    def _lost(self, seat: Seat) -> Expected:
        return refusal(409, "member_lease_lost", current_generation=seat.generation)

    def _lease_name(self, name: str) -> Name:
        return Name("moment", ("lease", self.id, name, self.seats[name].renewals))

    def _shown(self, name: str) -> dict[str, Any]:
        seat = self.seats[name]
        return {
            "group_id": self.id,
            "member_id": name,
            "channel_id": seat.channel.id,
            "role": None,
            "metadata": {},
            "owner_id": None if seat.lease_until is None else seat.owner,
            "generation": seat.generation,
            "lease_until": None if seat.lease_until is None else self._lease_name(name),
        }
