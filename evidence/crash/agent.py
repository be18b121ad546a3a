"""The demo's agent under crash test: it bills one order, and the policy says what it remembers by.

python -m evidence.crash.agent
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from actae.demo.agent import bill_order
from actae.demo.memory import Checkpoint, Memory, NoRecord
from actae_client.testing import Provider, boundary

Work = Callable[[dict[str, Any], str], Any]


class WatchedCheckpoint(Checkpoint):
    """The checkpoint, which says when it saves."""

    def _save(self) -> None:
        latest = list(self._results)[-1]
        boundary("checkpoint.saving", latest)
        super()._save()
        boundary("checkpoint.saved", latest)


def memory_of(policy: str, run_id: str, folder: Path) -> Memory:
    """What the agent remembers by."""
    if policy == "no record":
        return NoRecord()
    if policy == "checkpoint":
        return WatchedCheckpoint(folder / "checkpoint.json")
    # Only these need the client, whose import is most of a short process's life.
    from actae.demo.ledger_memory import LedgerMemory
    from actae_client import SyncActaeClient

    assert policy == "ledger", policy
    return LedgerMemory(SyncActaeClient.from_env(), channel_id=run_id)


def main() -> None:
    """Bill the order of this run."""
    run_id = os.environ["ACTAE_CRASHTEST_RUN_ID"]
    memory = memory_of(os.environ["ACTAE_CRASHTEST_POLICY"], run_id, Path(os.environ["ACTAE_CRASHTEST_DIR"]))
    provider = Provider.from_env()

    def calling(kind: str) -> Work:
        def call(params: dict[str, Any], idempotency_key: str) -> str:
            answer = provider.apply(f"{kind}/{params['order_id']}", params, idempotency_key=idempotency_key)
            return str(answer["id"])

        return call

    print(json.dumps(bill_order("4471", memory, calling("charges"), calling("mails"))))  # noqa: T201


if __name__ == "__main__":
    main()
