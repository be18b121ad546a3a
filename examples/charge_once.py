"""Claim, charge, complete: the calls that make a charge safe to start again.

Run it twice: the second run finds what the first one recorded, and charges nobody.

    export ACTAE_URL=http://127.0.0.1:8002 ACTAE_API_KEY=sk-dev-0000000000000000000000
    python examples/charge_once.py
"""

import asyncio
import sys
from typing import Any
from uuid import uuid4

from actae_client import ActaeClient, InProgress, Replayed
from actae_client.types import Json


async def charge_customer(order_id: str, amount_cents: int) -> dict[str, Any]:
    """Stands for the payment provider."""
    return {"charge_id": f"ch_{uuid4().hex[:6]}", "order_id": order_id, "amount_cents": amount_cents}


async def charge_once(client: ActaeClient, run: str, order_id: str, amount_cents: int) -> Json:
    """Charge for an order unless that is on record; the charge in either case."""
    claim = await client.claim_execution(
        channel_id=run,
        key_name=f"charge_customer:{order_id}",
        tool_name="charge_customer",
        params={"order_id": order_id, "amount_cents": amount_cents},
        lease_seconds=120,
    )
    if isinstance(claim, Replayed):
        print("on record already")
        return claim.result
    if isinstance(claim, InProgress):
        raise SystemExit(f"another worker charges; its lease ends at {claim.execution.lease_until}")
    try:
        charge = await charge_customer(order_id, amount_cents)
    except Exception as error:  # the provider did not charge, so the key may be claimed again
        await client.fail_execution(claim.execution.id, str(error), claim_token=claim.claim_token)
        raise
    # Outside of the try: once the charge is made, a failure to record it must never become a `fail`.
    await client.complete_execution(claim.execution.id, claim.claim_token, result=charge)
    print("charged")
    return charge


async def main() -> None:
    run = sys.argv[1] if len(sys.argv) > 1 else "run-7f2a"
    async with ActaeClient.from_env() as client:
        print(await charge_once(client, run, "4471", 4200))


if __name__ == "__main__":
    asyncio.run(main())
