"""What a framework's adapter says about a run."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from actae_client._types.json import Json

FRAMEWORK_EVENT_SCHEMA = "actae.framework-event/v1"


@dataclass(frozen=True, kw_only=True)
class FrameworkEvent:
    """One fact about a run. `occurred_at` is RFC 3339 by this machine's clock.

    It is None in an event that carries an operation id: repeated, such an event has to have the
    same content.
    """

    kind: str
    framework: str
    run_id: str
    payload: Json
    parent_run_id: str | None = None
    agent_id: str | None = None
    occurred_at: str | None = None

    def to_payload(self) -> dict[str, Json]:
        """The payload that is recorded."""
        described: dict[str, Json] = {
            "schema": FRAMEWORK_EVENT_SCHEMA,
            "kind": self.kind,
            "framework": self.framework,
            "run_id": self.run_id,
            "parent_run_id": self.parent_run_id,
            "agent_id": self.agent_id,
            "data": self.payload,
        }
        if self.occurred_at is not None:
            described["occurred_at"] = self.occurred_at
        return described


def now() -> str:
    """This moment, by this machine's clock."""
    return datetime.now(UTC).isoformat()
