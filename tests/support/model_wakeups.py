"""A small model of wake-ups, written from the protocol and not from the server.

Its time goes in hours. A wake-up is wanted at half past, so that the seconds which a run really takes do not
matter.
"""

from datetime import datetime, timedelta
from typing import Any

from tests.support.model import Channel, Expected, refusal
from tests.support.names import AtLeast, Name

HOUR = timedelta(hours=1)


class Timers:
    """The wake-ups of one channel."""

    def __init__(self, channel: Channel, base: datetime) -> None:
        self.made: list[dict[str, Any]] = []
        self._channel = channel
        self._base = base
        self._hours = 0
        self._operations: dict[str, tuple[Any, dict[str, Any]]] = {}

    def wanted_at(self, hours_ahead: int, number: int) -> datetime:
        """At half past; no two at the same moment, or nobody could say which comes first."""
        return self._base + (self._hours + hours_ahead) * HOUR + HOUR / 2 + timedelta(seconds=number)

    def schedule(self, run_at: datetime, payload: Any, operation_id: str | None) -> Expected:
        """POST /scheduler/wakeups: a repetition gets the first one as it stands."""
        content = (run_at, payload)
        if operation_id in self._operations:
            first, wakeup = self._operations[operation_id]
            return Expected(200, dict(wakeup)) if first == content else refusal(409, "idempotency_conflict")
        if refused := self._channel.refusal():
            return refused
        number = len(self.made)
        wakeup = {
            "id": Name("wakeup", (self._channel.id, number)),
            "channel_id": self._channel.id,
            "run_at": f"{run_at:%Y-%m-%dT%H:%M:%SZ}",
            "status": "pending",
            "payload": payload,
            "created_at": Name("moment", ("scheduled", self._channel.id, number)),
            "executed_at": None,
            "attempts": 0,
            "error": None,
        }
        self.made.append(wakeup)
        if operation_id is not None:
            self._operations[operation_id] = (content, wakeup)
        return Expected(200, dict(wakeup))

    def cancel(self, wakeup: dict[str, Any]) -> Expected:
        """DELETE /scheduler/wakeups/{id}"""
        if wakeup not in self.made:
            return refusal(404, "wakeup_not_found")
        if wakeup["status"] != "pending":
            return refusal(409, "wakeup_not_pending", wakeup_status=wakeup["status"])
        wakeup["status"] = "cancelled"
        told = {"id": wakeup["id"], "channel_id": wakeup["channel_id"], "status": "cancelled"}
        return Expected(200, told)

    def get(self, wakeup: dict[str, Any]) -> Expected:
        """GET /scheduler/wakeups/{id}"""
        return Expected(200, wakeup) if wakeup in self.made else refusal(404, "wakeup_not_found")

    def listed(self, status: str | None, limit: int) -> Expected:
        """GET /scheduler/wakeups: the earliest first."""
        found = [each for each in self._by_time() if status in (None, each["status"])]
        return Expected(200, AtLeast(wakeups=found[:limit], has_more=len(found) > limit))

    def pass_hours(self, hours: int) -> None:
        """Time goes on."""
        self._hours += hours

    def due(self) -> list[dict[str, Any]]:
        """What has not fired and should have by now."""
        now = f"{self._base + self._hours * HOUR:%Y-%m-%dT%H:%M:%SZ}"
        return [each for each in self.made if each["status"] == "pending" and each["run_at"] <= now]

    def fire(self, due: list[dict[str, Any]]) -> None:
        """These become events, in this order, or fail where none can be appended."""
        for wakeup in due:
            wakeup["attempts"] = 1
            if self._channel.lifecycle == "closed":
                wakeup["status"] = "failed"
                wakeup["error"] = f"channel_closed: Channel {self._channel.id!r} is closed."
                continue
            said = {"wakeup_id": wakeup["id"], "run_at": wakeup["run_at"], "payload": wakeup["payload"]}
            event = self._channel.append(
                "scheduler.wakeup", said, "system", metadata={"wakeup_id": wakeup["id"]}
            )
            wakeup.update(status="done", executed_at=event["timestamp"])

    def delete(self) -> None:
        """They go with their channel."""
        self.made.clear()
        self._operations.clear()

    def _by_time(self) -> list[dict[str, Any]]:
        return sorted(self.made, key=lambda each: each["run_at"])
