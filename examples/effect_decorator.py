"""The short and safe way: functions marked as effects, inside of a run.

A provider charges, and the worker dies before it can write that down: here an exception stands for
its death. The run is entered again, and the provider is asked with the same idempotency key. Start the
program again, and nobody is asked at all.

    export ACTAE_URL=http://127.0.0.1:8002 ACTAE_API_KEY=sk-dev-0000000000000000000000
    python examples/effect_decorator.py
"""

import asyncio
import sys
from typing import Any

from actae_client import Actae, current_operation

actae = Actae.from_env()
charges: dict[str, str] = {}  # the provider's own record: one charge per idempotency key


@actae.effect("charge:{order_id}")
async def charge_customer(order_id: str, amount_cents: int) -> dict[str, Any]:
    """Charge for an order: once per order and run, whoever calls it however often."""
    operation = current_operation()
    charge_id = charges.setdefault(operation.idempotency_key, f"ch_{len(charges) + 1}")
    if operation.attempt == 1:
        raise ConnectionError("the line went dead after the charge")
    return {"charge_id": charge_id, "order_id": order_id, "amount_cents": amount_cents}


@actae.effect("mail:{order_id}")
async def mail_receipt(order_id: str, charge_id: str) -> str:
    """Mail a receipt: its result is recorded, too, and replayed."""
    return f"receipt for {charge_id} sent"


async def bill(run: str, order_id: str) -> str:
    """One run: whatever happened in it before is replayed."""
    async with actae.run(run, channel_id=run):
        charge = await charge_customer(order_id, amount_cents=4200)
        return await mail_receipt(order_id, charge["charge_id"])


async def main() -> None:
    run = sys.argv[1] if len(sys.argv) > 1 else "run-5c19"
    async with actae:
        try:
            print(await bill(run, "4471"))
        except ConnectionError as error:
            print(f"first attempt: {error}")
            print(f"second attempt: {await bill(run, '4471')}")
        print(f"charges at the provider: {len(charges)}")


if __name__ == "__main__":
    asyncio.run(main())
