"""An effect that is never repeated on a guess: the bank is asked what became of the first try.

The bank moves the money, and its answer gets lost. It knows no idempotency keys, so nobody calls it a
second time before it has said what it did. Start the program again, and it is not even asked.

    export ACTAE_URL=http://127.0.0.1:8002 ACTAE_API_KEY=sk-dev-0000000000000000000000
    python examples/ask_the_bank.py
"""

import asyncio
import sys
from typing import Any

from actae_client import Actae
from actae_client.reconcile import UncertainOperation, lookup

actae = Actae.from_env()
transfers: list[dict[str, Any]] = []  # the bank's own record


async def find_transfer(operation: UncertainOperation) -> dict[str, Any] | None:
    """Ask the bank by the reference on the transfer; None if it has made none."""
    print(f"asking for {operation.params['reference']}")
    made = [each for each in transfers if each["reference"] == operation.params["reference"]]
    return made[0] if made else None


@actae.effect(
    "transfer:{reference}",
    on_lapse="ambiguous",  # a death in the middle is not taken for a failure,
    ambiguous_on=(TimeoutError,),  # and neither is silence
    reconcile=lookup(find_transfer),
)
async def transfer(reference: str, cents: int) -> dict[str, Any]:
    """Move money: at most once per reference and run."""
    transfers.append({"reference": reference, "cents": cents})
    raise TimeoutError("the bank has not answered")


async def main() -> None:
    run = sys.argv[1] if len(sys.argv) > 1 else "run-88c1"
    async with actae, actae.run(run, channel_id=run):
        try:
            print(await transfer("INV-88", cents=4200))
        except TimeoutError as silence:
            print(silence)
            print(await transfer("INV-88", cents=4200))
    print(f"transfers at the bank: {len(transfers)}")


if __name__ == "__main__":
    asyncio.run(main())
