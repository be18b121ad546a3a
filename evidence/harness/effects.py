"""What the agent does in the world, through the ledger of its run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from actae_client import ActaeToolExecutor, ForkToolBlockedError, current_operation
from evidence.harness.bench import Bench
from evidence.scenarios.scenario import Effect

Fate = Literal["done", "replayed", "blocked"]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of one effect in one run."""

    tool: str
    key: str
    fate: Fate
    """`done` by this very call, `replayed` from the ledger, or `blocked` by a policy of the fork."""
    result: Any

    def to_json(self) -> dict[str, Any]:
        """As a step records it."""
        return {"tool": self.tool, "key": self.key, "fate": self.fate, "result": self.result}


def perform(bench: Bench, channel_id: str, effect: Effect, texts: Mapping[str, str]) -> Outcome:
    """Have the effect under its key, or learn what became of it before."""
    body = {} if effect.body_of is None else {"body": texts[effect.body_of]}
    params: dict[str, Any] = {**effect.fields, **body}
    was_called = False

    def call() -> dict[str, str]:
        nonlocal was_called
        was_called = True
        if effect.route == "charges":
            return {"charge_id": bench.provider.charge(params, current_operation().idempotency_key)}
        return {"mail_id": bench.provider.mail(params)}

    executor = ActaeToolExecutor(bench.client, channel_id, actor="evidence-agent")
    try:
        result = executor.execute_sync(effect.key, effect.tool, params, call)
    except ForkToolBlockedError:
        return Outcome(tool=effect.tool, key=effect.key, fate="blocked", result=None)
    fate: Fate = "done" if was_called else "replayed"
    return Outcome(tool=effect.tool, key=effect.key, fate=fate, result=result)
