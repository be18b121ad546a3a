"""The agent: it bills one order. The workflow is written once; only its memory differs.

    python -m actae.demo.agent --order ID --provider URL --strategy none|checkpoint|actae

It prints `{"charge_id": …, "mail_id": …}` when it is done. The checkpoint memory needs `--checkpoint
FILE`; Actae needs ACTAE_URL and ACTAE_API_KEY in the environment.
"""

import argparse
import json
import os
import secrets
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from actae.demo.cast import Strategy
from actae.demo.memory import Checkpoint, Memory, NoRecord
from actae.demo.provider_client import ProviderClient

Effect = Callable[[dict[str, Any], str], Any]


def bill_order(
    order_id: str, memory: Memory, charge_customer: Effect, mail_receipt: Effect
) -> dict[str, str]:
    """Gather what is owed, draft the invoice, charge for it, mail the receipt."""
    sources = memory.step("sources.gathered", gather_sources)
    draft = memory.step("invoice.drafted", lambda: draft_invoice(sources))
    charge = {"order_id": order_id, "amount_cents": draft["amount_cents"], "currency": "EUR"}
    charge_id = memory.effect("charge_customer", charge, charge_customer)
    receipt = {"order_id": order_id, "body": f"{draft['text']} Paid with {charge_id}."}
    mail_id = memory.effect("mail_receipt", receipt, mail_receipt)
    return {"charge_id": charge_id, "mail_id": mail_id}


def gather_sources() -> list[dict[str, Any]]:
    """What was used and what it costs."""
    return [
        {"source": "contract", "cents_per_page": 7},
        {"source": "usage", "pages": 700},
    ]


def draft_invoice(sources: list[dict[str, Any]]) -> dict[str, Any]:
    """Word the invoice, as a model would: differently each time it is asked."""
    facts = {name: value for source in sources for name, value in source.items()}
    opening = secrets.choice(["Thank you for reading with us.", "Here is your invoice.", "Hello again!"])
    amount_cents = facts["pages"] * facts["cents_per_page"]
    text = f"{opening} {facts['pages']} pages come to {amount_cents / 100:.2f} EUR."
    return {"amount_cents": amount_cents, "text": text}


def held_once_confirmed(effect: Effect, signal_fd: int) -> Effect:
    """The same effect, but once it is confirmed its caller is told and this process waits to be killed."""

    def confirmed_and_held(params: dict[str, Any], idempotency_key: str) -> Any:
        confirmation = effect(params, idempotency_key)
        os.write(signal_fd, f"{confirmation}\n".encode())
        while True:
            signal.pause()

    return confirmed_and_held


def _memory(options: argparse.Namespace) -> Memory:
    match options.strategy:
        case Strategy.NO_RECORD:
            return NoRecord()
        case Strategy.CHECKPOINT:
            return Checkpoint(options.checkpoint)
        case _:
            # Only this memory needs the client, whose import is most of a short process's life.
            from actae.demo.ledger_memory import LedgerMemory
            from actae_client import SyncActaeClient

            return LedgerMemory(SyncActaeClient.from_env(), channel_id=f"demo:{options.order}")


def main() -> None:
    """Bill the order named on the command line."""
    parser = argparse.ArgumentParser(prog="actae.demo.agent")
    parser.add_argument("--order", required=True)
    parser.add_argument("--provider", required=True)
    parser.add_argument("--strategy", type=Strategy, choices=list(Strategy), required=True)
    parser.add_argument("--checkpoint", type=Path)
    parser.add_argument("--hold-fd", type=int, help="stop after the charge is confirmed, and say so here")
    options = parser.parse_args()

    provider = ProviderClient(options.provider)
    charge: Effect = provider.charge
    if options.hold_fd is not None:
        charge = held_once_confirmed(charge, options.hold_fd)
    done = bill_order(options.order, _memory(options), charge, lambda mail, _key: provider.mail(mail))
    sys.stdout.write(json.dumps(done) + "\n")


if __name__ == "__main__":
    main()
