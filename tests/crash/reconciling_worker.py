"""An agent that never charges on a guess. A process, and killed as one.

    ACTAE_URL=… ACTAE_API_KEY=… python reconciling_worker.py CHANNEL PROVIDER_URL queryable|blind

A queryable provider is asked whether the order was charged for; a blind one cannot be.
"""

import sys
from typing import Any

import urllib3

from actae_client import RetryPolicy, SyncActaeClient
from actae_client.reconcile import Probe, UncertainOperation, lookup
from actae_client.tools import ActaeToolExecutor


def charge(provider_url: str, order: dict[str, Any]) -> str:
    """Take the money; a provider that knows no keys takes it each time."""
    answer = urllib3.request("POST", f"{provider_url}/charges", json=order, retries=False)
    assert answer.status == 200, answer.data
    charge_id: str = answer.json()["charge_id"]
    return charge_id


def looking_at(provider_url: str) -> Probe:
    """Looks for the order in the provider's own record."""

    def find(operation: UncertainOperation) -> str | None:
        order_id = operation.params["order_id"]
        answer = urllib3.request("GET", f"{provider_url}/charges?order_id={order_id}", retries=False)
        charges: list[str] = answer.json()["charges"]
        return charges[0] if charges else None

    return lookup(find)


def charge_once(client: SyncActaeClient, channel_id: str, provider_url: str, kind: str) -> str:
    """Charge, whatever happened to the predecessors; returns the charge's id."""
    order = {"order_id": channel_id, "amount_cents": 4900, "currency": "EUR"}
    charge_id: str = ActaeToolExecutor(client, channel_id).execute_sync(
        "charge",
        "charge_customer",
        order,
        lambda: charge(provider_url, order),
        on_lapse="ambiguous",
        ambiguous_on=(urllib3.exceptions.HTTPError,),
        reconcile=looking_at(provider_url) if kind == "queryable" else None,
    )
    return charge_id


def main() -> None:
    """Charge for one order."""
    charge_once(SyncActaeClient.from_env(retry=RetryPolicy(base_seconds=0.01)), *sys.argv[1:])


if __name__ == "__main__":
    main()
