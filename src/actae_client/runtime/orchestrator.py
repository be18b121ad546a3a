"""Runs under a task queue or a workflow engine."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import TYPE_CHECKING, Any

from actae_client.deterministic import channel_for_run, deterministic_operation_key
from actae_client.runtime.carrier import ActaeCarrier
from actae_client.runtime.scope import ActaeScope
from actae_client.tools.keys import fits_operation_key

if TYPE_CHECKING:
    from actae_client.runtime.facade import Actae

_DETERMINISTIC = frozenset({"temporal", "durable-functions", "azure-durable-functions"})
_EFFECT_SCOPE = "actae.orchestrator.effect"


class ActaeOrchestrator:
    """Carriers for the workflow's side of a task queue, runs for the worker's side."""

    def __init__(self, owner: Actae, name: str, *, deterministic: bool | None = None) -> None:
        if not isinstance(name, str) or not name:
            raise ValueError("an orchestrator needs a name")
        self._owner = owner
        self.name = name
        self.is_deterministic: bool = (
            name.lower() in _DETERMINISTIC if deterministic is None else deterministic
        )

    def carrier(self, workflow_id: str) -> ActaeCarrier:
        """The identity of a workflow's run. Pure: safe in workflow code that is replayed."""
        channel_id = channel_for_run(workflow_id, self.name)
        return ActaeCarrier(channel_id, workflow_id, self.name, workflow_id=workflow_id)

    def workflow(
        self, workflow_id: str, *, attempt: int | None = None, **options: Any
    ) -> AbstractAsyncContextManager[ActaeScope]:
        """Open the run of a workflow; the options are those of `Actae.run`.

        Raises RuntimeError for deterministic engines.
        """
        return self._owner.run(workflow_id, **self._of_workflow(workflow_id, attempt, options))

    def workflow_sync(
        self, workflow_id: str, *, attempt: int | None = None, **options: Any
    ) -> AbstractContextManager[ActaeScope]:
        """`workflow`, blocking."""
        return self._owner.run_sync(workflow_id, **self._of_workflow(workflow_id, attempt, options))

    def activity(
        self,
        activity_id: str,
        *,
        parent: ActaeCarrier | Mapping[str, Any],
        attempt: int | None = None,
        **options: Any,
    ) -> AbstractAsyncContextManager[ActaeScope]:
        """Open, in the worker, the run of one activity of the parent's workflow.

        The options are those of `Actae.run`. As for any run, the channel follows from the id and the
        framework, `<name>.activity`: activities of one id share it, whichever workflow they belong to, and
        `effect_key` keeps their effects apart. Pass `channel_id=parent.channel_id` to have them on the
        workflow's own channel; all workers of a workflow must do the same.
        """
        return self._owner.run(activity_id, **self._of_activity(activity_id, parent, attempt, options))

    def activity_sync(
        self,
        activity_id: str,
        *,
        parent: ActaeCarrier | Mapping[str, Any],
        attempt: int | None = None,
        **options: Any,
    ) -> AbstractContextManager[ActaeScope]:
        """`activity`, blocking."""
        return self._owner.run_sync(activity_id, **self._of_activity(activity_id, parent, attempt, options))

    def effect_key(self, logical_task_id: str, effect: str, business_id: str) -> str:
        """The key of an effect: the same at each attempt of a task, another for another business object.

        Raises ValueError when the parts are empty, or together too long for the shared derivation (256
        bytes), which would give different effects one key.
        """
        if not (logical_task_id and effect and business_id):
            raise ValueError("an effect key needs a task, an effect and a business id")
        if not fits_operation_key(_EFFECT_SCOPE, effect, logical_task_id, business_id):
            raise ValueError("the parts of an effect key are too long together; pass a digest of the longest")
        return deterministic_operation_key(_EFFECT_SCOPE, effect, logical_task_id, business_id)

    def _of_workflow(self, workflow_id: str, attempt: int | None, options: dict[str, Any]) -> dict[str, Any]:
        if self.is_deterministic:
            raise RuntimeError(
                f"{self.name} replays its workflow code, which therefore must not do I/O. Make a carrier "
                "there, and open an activity in the worker."
            )
        return {
            "framework": self.name,
            "workflow_id": workflow_id,
            "native_run_id": workflow_id,
            "attempt": attempt,
            **options,
        }

    def _of_activity(
        self,
        activity_id: str,
        parent: ActaeCarrier | Mapping[str, Any],
        attempt: int | None,
        options: dict[str, Any],
    ) -> dict[str, Any]:
        carrier = parent if isinstance(parent, ActaeCarrier) else ActaeCarrier.from_dict(parent)
        return {
            "framework": f"{self.name}.activity",
            "parent_run_id": carrier.run_id,
            "workflow_id": carrier.workflow_id or carrier.run_id,
            "native_run_id": activity_id,
            "attempt": attempt,
            **options,
        }
