"""A run that is open."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Unpack

from actae_client._types.events import Event
from actae_client._types.json import Json
from actae_client.runtime.carrier import ActaeCarrier
from actae_client.runtime.run_context import ActaeRunContext
from actae_client.runtime.run_options import RunOptions, RunPlan
from actae_client.tools.background import background
from actae_client.tools.call import EffectOptions
from actae_client.tools.executor import ActaeToolExecutor
from actae_client.tools.running import Invoke
from actae_client.undo.report import UndoReport
from actae_client.undo.undoing import UndoOptions

if TYPE_CHECKING:
    from actae_client.runtime.facade import Actae


@dataclass(frozen=True, eq=False)
class ActaeScope:
    """An open run of one `Actae`: what it is called, and what it can do."""

    owner: Actae
    context: ActaeRunContext
    workflow_id: str | None
    attempt: int | None
    native_run_id: str | None
    invocation_id: str
    metadata: dict[str, Json] = field(default_factory=dict)

    @classmethod
    def of(cls, owner: Actae, plan: RunPlan) -> ActaeScope:
        """The scope of a run that is being entered now, inside of the ambient one."""
        around = owner.current(required=False)
        return cls(
            owner=owner,
            context=ActaeRunContext(
                owner.client,
                plan.channel_id,
                plan.framework,
                plan.run_id,
                plan.parent_run_id or (around.run_id if around else None),
                plan.actor,
            ),
            workflow_id=plan.workflow_id,
            attempt=plan.attempt,
            native_run_id=plan.native_run_id,
            invocation_id=plan.invocation_id,
            metadata=plan.metadata,
        )

    @property
    def channel_id(self) -> str:
        """The channel that the run is recorded on."""
        return self.context.channel_id

    @property
    def run_id(self) -> str:
        """The run."""
        return self.context.run_id

    @property
    def parent_run_id(self) -> str | None:
        """The run that this one belongs to."""
        return self.context.parent_run_id

    @property
    def framework(self) -> str:
        """What runs it."""
        return self.context.framework

    @property
    def tools(self) -> ActaeToolExecutor:
        """Runs tools on this run's channel."""
        return self.context.tools

    def carrier(self) -> ActaeCarrier:
        """The identity of the run, to be sent along with its work."""
        return ActaeCarrier(self.channel_id, self.run_id, self.framework, self.workflow_id)

    async def record(self, kind: str, payload: Json, *, operation_id: str | None = None) -> Event:
        """Record the event `framework.<kind>`; repeated with the same operation id, it is one event."""
        return await self.context.record(kind, payload, operation_id=operation_id)

    def record_sync(self, kind: str, payload: Json, *, operation_id: str | None = None) -> Event:
        """`record`, blocking."""
        return background().run(self.record(kind, payload, operation_id=operation_id))

    async def effect(
        self, key: str, tool_name: str, params: Json, invoke: Invoke, **options: Unpack[EffectOptions]
    ) -> Json:
        """Run a tool through the ledger; see `ActaeToolExecutor.execute`."""
        return await self.tools.execute(key, tool_name, params, invoke, **options)

    def effect_sync(
        self, key: str, tool_name: str, params: Json, invoke: Invoke, **options: Unpack[EffectOptions]
    ) -> Json:
        """`effect`, blocking; see `ActaeToolExecutor.execute_sync`."""
        return self.tools.execute_sync(key, tool_name, params, invoke, **options)

    async def undo(self, **options: Unpack[UndoOptions]) -> UndoReport:
        """Undo what was completed on this run's channel after `to_cursor`; see `Actae.undo`."""
        return await self.owner.undo(channel_id=self.channel_id, **options)

    def undo_sync(self, **options: Unpack[UndoOptions]) -> UndoReport:
        """`undo`, blocking."""
        return self.owner.undo_sync(channel_id=self.channel_id, **options)

    def child(self, run_id: str, **options: Unpack[RunOptions]) -> AbstractAsyncContextManager[ActaeScope]:
        """Open a run whose parent this one is; it has the same framework unless told otherwise."""
        return self.owner.run(run_id, **self._inherited(options))

    def child_sync(self, run_id: str, **options: Unpack[RunOptions]) -> AbstractContextManager[ActaeScope]:
        """`child`, blocking."""
        return self.owner.run_sync(run_id, **self._inherited(options))

    def _inherited(self, options: RunOptions) -> RunOptions:
        return {"framework": self.framework, "parent_run_id": self.run_id, **options}
