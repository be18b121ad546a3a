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
from evidence.crash.policies import Policy
from evidence.crash.references import reference_of

Work = Callable[[dict[str, Any], str], Any]


class WatchedCheckpoint(Checkpoint):
    """The checkpoint, which says when it saves."""

    def _save(self) -> None:
        latest = list(self._results)[-1]
        boundary("checkpoint.saving", latest)
        super()._save()
        boundary("checkpoint.saved", latest)


def memory_of(policy: Policy, provider: Provider) -> Memory:
    """What the agent remembers by, from one start to the next."""
    if policy is Policy.NO_RECORD:
        return NoRecord()
    if policy is Policy.CHECKPOINT:
        return WatchedCheckpoint(Path(os.environ["ACTAE_CRASHTEST_DIR"], "checkpoint.json"))
    # Only these need the client, whose import is most of a short process's life.
    from actae.demo.ledger_memory import LedgerMemory
    from actae_client import SyncActaeClient
    from evidence.crash.reconciling_memory import ReconcilingMemory

    client, channel_id = SyncActaeClient.from_env(), os.environ["ACTAE_CRASHTEST_RUN_ID"]
    if policy is Policy.LEDGER:
        return LedgerMemory(client, channel_id)
    return ReconcilingMemory(client, channel_id, provider)


def main() -> None:
    """Bill the order."""
    provider = Provider.from_env()
    memory = memory_of(Policy(os.environ["ACTAE_CRASHTEST_POLICY"]), provider)

    def calling(tool: str) -> Work:
        def call(params: dict[str, Any], idempotency_key: str) -> str:
            reference = reference_of(tool, params)
            return str(provider.apply(reference, params, idempotency_key=idempotency_key)["id"])

        return call

    print(json.dumps(bill_order("4471", memory, calling("charge_customer"), calling("mail_receipt"))))  # noqa: T201


if __name__ == "__main__":
    main()
