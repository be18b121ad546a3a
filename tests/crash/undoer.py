"""An agent that undoes its charges, through the ledger. A process, and killed as one.

    ACTAE_URL=… ACTAE_API_KEY=… python undoer.py CHANNEL PROVIDER_URL

It prints, as JSON, the keys of what is undone and the reasons of what is not.
"""

import json
import sys
from typing import Any

import urllib3

from actae_client import Actae, RetryPolicy, SyncActaeClient, current_operation


def main() -> None:
    """Undo everything, whatever became of this process's predecessors."""
    channel_id, provider_url = sys.argv[1:]
    actae = Actae(SyncActaeClient.from_env(retry=RetryPolicy(base_seconds=0.01)))

    @actae.compensation("charge")
    def refund(params: Any, result: Any) -> str:
        """A charge of its own, as far as this provider is concerned."""
        order = {"order_id": f"refund-{result}", "amount_cents": params["cents"], "currency": "EUR"}
        headers = {"idempotency-key": current_operation().idempotency_key}
        answer = urllib3.request(
            "POST", f"{provider_url}/charges", json=order, headers=headers, retries=False
        )
        assert answer.status == 200, answer.data
        refund_id: str = answer.json()["charge_id"]
        return refund_id

    report = actae.undo_sync(channel_id=channel_id, to_cursor=0)
    undone = [each.key_name for each in report.undone]
    stays = [[each.key_name, each.reason] for each in report.not_undone]
    sys.stdout.write(json.dumps({"undone": undone, "stays": stays}))


if __name__ == "__main__":
    main()
