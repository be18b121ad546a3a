"""An agent with one effect: it charges for one order, through the ledger. A process, and killed as one.

    ACTAE_URL=… ACTAE_API_KEY=… python worker.py CHANNEL PROVIDER_URL

It prints the charge's id once the effect is recorded. When another owner holds the key it ends with code 75.
"""

import sys

import urllib3

from actae_client import RetryPolicy, SyncActaeClient
from actae_client.tools import ActaeToolExecutor, ToolExecutionInProgressError, current_operation

IN_PROGRESS = 75  # try again later, as sysexits.h calls it


def charge(provider_url: str, order: dict[str, object]) -> str:
    """Take the money. The key is the same at each attempt; whether it is honoured is up to the provider."""
    headers = {"idempotency-key": current_operation().idempotency_key}
    answer = urllib3.request("POST", f"{provider_url}/charges", json=order, headers=headers, retries=False)
    assert answer.status == 200, answer.data
    charge_id: str = answer.json()["charge_id"]
    return charge_id


def main() -> None:
    """Charge once, whatever happened to this process's predecessors."""
    channel_id, provider_url = sys.argv[1:]
    order = {"order_id": channel_id, "amount_cents": 4900, "currency": "EUR"}
    client = SyncActaeClient.from_env(retry=RetryPolicy(base_seconds=0.01))
    try:
        charge_id = ActaeToolExecutor(client, channel_id).execute_sync(
            "charge", "charge_customer", order, lambda: charge(provider_url, order)
        )
    except ToolExecutionInProgressError:
        sys.exit(IN_PROGRESS)
    sys.stdout.write(f"{charge_id}\n")


if __name__ == "__main__":
    main()
