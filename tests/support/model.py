"""A small model of a channel, written from the protocol and not from the server: what each call must answer.

Events, snapshots, steps and the channel's end are here; `model_ledger.py` has the executions.
"""

from typing import Any, NamedTuple

from tests.support.names import ANYTHING, AtLeast, Name


class Expected(NamedTuple):
    """Status and body, in the terms of `names.py`."""

    status: int
    body: Any


def refusal(status: int, code: str, **details: Any) -> Expected:
    """An error, with the values that must stand in it."""
    return Expected(status, AtLeast(status=code, error=ANYTHING, request_id=ANYTHING, **details))


class Channel:
    """One channel. It exists from its first write on."""

    def __init__(self, channel_id: str) -> None:
        self.id = channel_id
        self.lifecycle = "unknown"  # then open, closed, deleted
        self.log: list[dict[str, Any]] = []
        self._snapshots: dict[int, tuple[int, Any]] = {}
        self._versions_given = 0
        self._steps: dict[int, dict[str, Any]] = {}
        self._event_operations: dict[str, tuple[Any, Expected]] = {}
        self._state_operations: dict[str, tuple[Any, Expected]] = {}

    def refusal(self) -> Expected | None:
        """Why it takes no writes."""
        if self.lifecycle in ("closed", "deleted"):
            return refusal(409, f"channel_{self.lifecycle}")
        return None

    def append(self, event_type: str, payload: Any, actor: str, **fields: Any) -> dict[str, Any]:
        """Add an event to the log."""
        self.lifecycle = "open" if self.lifecycle == "unknown" else self.lifecycle
        cursor = len(self.log) + 1
        event = {
            "id": Name("event", (self.id, cursor)),
            "channel_id": self.id,
            "type": event_type,
            "payload": payload,
            "actor": actor,
            "cursor": cursor,
            "channel_cursor": cursor,
            "timestamp": Name("moment", ("recorded", self.id, cursor)),
            "agent_id": None,
            "user_id": None,
            "metadata": None,
            "depends_on": None,
            **fields,
        }
        self.log.append(event)
        return event

    def record(self, event_type: str, payload: Any, operation_id: str | None, step: int | None) -> Expected:
        """POST /events/record"""
        content = ("record", event_type, payload)
        earlier = _earlier(self._event_operations, operation_id, content)
        if refused := earlier or self.refusal():
            return refused
        event = self.append(event_type, payload, "modeller")
        if step is not None:
            self._steps[step] = event
        return _remember(self._event_operations, operation_id, content, Expected(200, {"event": event}))

    def transition(
        self, payload: Any, state: Any, operation_id: str | None, version: int | None, cursor: int | None
    ) -> Expected:
        """POST /events/transition"""
        content = ("transition", payload, state)
        earlier = _earlier(self._event_operations, operation_id, content)
        if refused := earlier or self.refusal() or self._guard(version, cursor):
            return refused
        event = self.append("moved", payload, "modeller")
        body = {"event": event, "state_version": self._snapshot(event["cursor"], state)}
        return _remember(self._event_operations, operation_id, content, Expected(200, body))

    def save(
        self, at: int, state: Any, operation_id: str | None, version: int | None, cursor: int | None
    ) -> Expected:
        """POST /state/{channel_id}"""
        earlier = _earlier(self._state_operations, operation_id, (at, state))
        if refused := earlier or self.refusal() or self._guard(version, cursor):
            return refused
        self.lifecycle = "open"
        number = self._snapshot(at, state)
        body = {"version": number, "channel_id": self.id, "cursor": at, "timestamp": ANYTHING}
        return _remember(self._state_operations, operation_id, (at, state), Expected(200, body))

    def delete_version(self, version: int) -> Expected:
        """DELETE /state/{channel_id}/version/{version}: a missing one is fine, and no number comes twice."""
        self._snapshots.pop(version, None)
        return Expected(200, {"status": "deleted", "version": version})

    def load(self, version: int | None = None) -> Expected:
        """GET /state/{channel_id} and /state/{channel_id}/version/{version}"""
        number = self.latest()[0] if version is None else version
        if number not in self._snapshots:
            return Expected(200, AtLeast(cursor=None))
        cursor, state = self._snapshots[number]
        return Expected(200, AtLeast(cursor=cursor, state=state, version=number))

    def versions(self) -> Expected:
        """GET /state/{channel_id}/versions: newest first."""
        listed = [
            {"version": version, "cursor": self._snapshots[version][0], "timestamp": ANYTHING}
            for version in sorted(self._snapshots, reverse=True)
        ]
        return Expected(200, {"versions": listed, "has_more": False})

    def replay(self, after: int, limit: int, event_type: str | None) -> Expected:
        """GET /events/replay/{channel_id}: the filter comes before the limit."""
        found = [event for event in self.log[after:] if event_type in (None, event["type"])]
        return Expected(200, {"events": found[:limit]})

    def latest_cursor(self) -> Expected:
        """GET /events/cursor/{channel_id}"""
        return Expected(200, {"latest_cursor": len(self.log) or None})

    def latest_step(self) -> Expected:
        """GET /channels/{channel_id}/steps"""
        if self.lifecycle == "unknown":
            return refusal(404, "channel_not_found")
        return Expected(200, {"channel_id": self.id, "last_step_number": max(self._steps, default=0)})

    def step(self, number: int) -> Expected:
        """GET /channels/{channel_id}/steps/{number}: the most recent event of a number counts."""
        if number not in self._steps:
            return refusal(404, "step_not_found")
        event = self._steps[number]
        found = {
            "channel_id": self.id,
            "step_number": number,
            "cursor": event["cursor"],
            "event_id": event["id"],
        }
        return Expected(200, found)

    def close(self) -> Expected:
        """POST /channels/{channel_id}/close"""
        if self.lifecycle == "unknown":
            return refusal(404, "channel_not_found")
        if self.lifecycle == "deleted":
            return refusal(409, "channel_deleted")
        self.lifecycle = "closed"
        closed_at = Name("moment", ("closed", self.id))
        return Expected(200, {"status": "closed", "channel_id": self.id, "closed_at": closed_at})

    def delete(self) -> Expected:
        """DELETE /channels/{channel_id}: what it held is gone, its id stays taken."""
        if self.lifecycle == "unknown":
            return refusal(404, "channel_not_found")
        for content in (
            self.log,
            self._snapshots,
            self._steps,
            self._event_operations,
            self._state_operations,
        ):
            content.clear()
        self.lifecycle = "deleted"
        return Expected(200, {"status": "deleted", "deleted": [self.id]})

    def latest(self) -> tuple[int, int]:
        """Version and cursor of the latest snapshot that still exists; zeros for none."""
        version = max(self._snapshots, default=0)
        return version, self._snapshots[version][0] if version else 0

    def _guard(self, version: int | None, cursor: int | None) -> Expected | None:
        latest, at = self.latest()
        if version in (None, latest) and cursor in (None, at):
            return None
        return refusal(409, "version_conflict", current_version=latest, current_cursor=at)

    def _snapshot(self, cursor: int, state: Any) -> int:
        self._versions_given += 1
        self._snapshots[self._versions_given] = (cursor, state)
        return self._versions_given


def _earlier(
    operations: dict[str, tuple[Any, Expected]], operation_id: str | None, content: Any
) -> Expected | None:
    """The first answer again, or that the id is taken; None for a new id and for none at all."""
    if operation_id is None or operation_id not in operations:
        return None
    first_content, first_answer = operations[operation_id]
    return first_answer if content == first_content else refusal(409, "idempotency_conflict")


def _remember(
    operations: dict[str, tuple[Any, Expected]], operation_id: str | None, content: Any, answer: Expected
) -> Expected:
    if operation_id is not None:
        operations[operation_id] = (content, answer)
    return answer
