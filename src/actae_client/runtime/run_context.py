"""What a run can do on its channel."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from actae_client._types.events import Event
from actae_client._types.execution_groups import ExecutionGroup
from actae_client._types.json import Json
from actae_client._types.wakeups import Wakeup
from actae_client.runtime.framework_event import FrameworkEvent, now
from actae_client.tools.asking import ask
from actae_client.tools.executor import ActaeToolExecutor


@dataclass(frozen=True)
class ActaeRunContext:
    """One run of a framework, and the channel that it is recorded on.

    `actae` is the client, of either kind. `actor` signs what is recorded; without it events are
    signed by the framework, and tools by `<framework>-tool`.
    """

    actae: Any
    channel_id: str
    framework: str
    run_id: str
    parent_run_id: str | None = None
    actor: str | None = None

    @property
    def tools(self) -> ActaeToolExecutor:
        """Runs tools on this run's channel."""
        return ActaeToolExecutor(self.actae, self.channel_id, self.actor or f"{self.framework}-tool")

    async def record(self, kind: str, payload: Json, *, operation_id: str | None = None) -> Event:
        """Record the event `framework.<kind>`; repeated with the same operation id, it is one event."""
        event = FrameworkEvent(
            kind=kind,
            framework=self.framework,
            run_id=self.run_id,
            payload=payload,
            parent_run_id=self.parent_run_id,
            occurred_at=now() if operation_id is None else None,
        )
        recorded: Event = await ask(
            self.actae,
            "record",
            self.channel_id,
            f"framework.{kind}",
            event.to_payload(),
            actor=self.actor or self.framework,
            operation_id=operation_id,
        )
        return recorded

    async def schedule_wakeup(
        self,
        run_at: datetime | str,
        *,
        payload: dict[str, Json] | None = None,
        operation_id: str | None = None,
    ) -> Wakeup:
        """Have a `scheduler.wakeup` event appended to this run's channel at `run_at`, or soon after it."""
        # Clients of others take no operation id.
        named = {} if operation_id is None else {"operation_id": operation_id}
        scheduled: Wakeup = await ask(
            self.actae, "schedule_wakeup", self.channel_id, run_at, payload=payload, **named
        )
        return scheduled

    async def create_execution_group(
        self, group_id: str, *, metadata: dict[str, Json] | None = None
    ) -> ExecutionGroup:
        """Start an execution group, or get the one that there is with the same metadata."""
        made: ExecutionGroup = await ask(self.actae, "create_execution_group", group_id, metadata=metadata)
        return made
