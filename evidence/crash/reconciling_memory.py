"""The ledger, and a look at the provider before anything is asked for a second time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from actae.demo.ledger_memory import LedgerMemory
from actae_client import ActaeToolExecutor, SyncActaeClient, current_operation
from actae_client.reconcile import Applied, NotApplied, UncertainOperation, Unknown, Verdict
from actae_client.testing import Provider
from evidence.crash.references import reference_of


class ReconcilingMemory(LedgerMemory):
    """Steps as before. An effect whose outcome nobody knows is not called again on a guess."""

    def __init__(self, client: SyncActaeClient, channel_id: str, provider: Provider) -> None:
        super().__init__(client, channel_id)
        self._effects = ActaeToolExecutor(client, channel_id, actor="agent")
        self._provider = provider

    def effect(self, tool: str, params: dict[str, Any], work: Callable[[dict[str, Any], str], Any]) -> Any:
        return self._effects.execute_sync(
            f"{tool}:{params['order_id']}",
            tool,
            params,
            lambda: work(params, current_operation().idempotency_key),
            on_lapse="ambiguous",
            reconcile=self._ask_the_provider,
        )

    def _ask_the_provider(self, operation: UncertainOperation) -> Verdict:
        """By reference where it can be asked. Where it honours keys, the call itself is the question."""
        match self._provider.kind:
            case "queryable":
                assert isinstance(operation.params, dict), "an effect's parameters are named"
                found = self._provider.find(reference_of(operation.tool_name, operation.params))
                return NotApplied() if found is None else Applied(found["id"])
            case "honours_key":
                return NotApplied()
        return Unknown("this provider cannot be asked")
