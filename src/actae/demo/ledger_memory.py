"""The third memory: steps are events of a channel in Actae, effects go through its ledger."""

from collections.abc import Callable
from typing import Any

from actae_client import SyncActaeClient, deterministic_operation_key
from actae_client.tools import ActaeToolExecutor, current_operation

_ACTOR = "agent"
_LEASE_SECONDS = 2  # renewed while the tool runs; short, so that nobody waits long for a dead agent's
_TAKE_OVER_SECONDS_MAX = 30.0


class LedgerMemory:
    """Asks Actae before each part of the workflow whether it was done, and says so after it."""

    def __init__(self, client: SyncActaeClient, channel_id: str) -> None:
        self._client = client
        self._channel_id = channel_id
        self._executor = ActaeToolExecutor(client, channel_id, actor=_ACTOR)

    def step(self, name: str, work: Callable[[], Any]) -> Any:
        known = self._client.replay(self._channel_id, event_type=name, limit=1)
        if known:
            return known[0].payload
        once = deterministic_operation_key("actae.demo", "step", self._channel_id, name)
        return self._client.record(self._channel_id, name, work(), actor=_ACTOR, operation_id=once).payload

    def effect(self, tool: str, params: dict[str, Any], work: Callable[[dict[str, Any], str], Any]) -> Any:
        return self._executor.execute_sync(
            f"{tool}:{params['order_id']}",
            tool,
            params,
            # The same key at each attempt of this operation, whichever process makes it.
            lambda: work(params, current_operation().idempotency_key),
            lease_seconds=_LEASE_SECONDS,
            wait_seconds=_TAKE_OVER_SECONDS_MAX,
        )
