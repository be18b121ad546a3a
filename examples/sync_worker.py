"""A worker without asyncio, fed by a queue that delivers some jobs twice.

The blocking client takes the same calls. `execute_sync` claims, runs the function in a thread, keeps the
lease meanwhile, and records what it returned; a job that comes again gets the recorded result.

    export ACTAE_URL=http://127.0.0.1:8002 ACTAE_API_KEY=sk-dev-0000000000000000000000
    python examples/sync_worker.py
"""

import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

from actae_client import ActaeToolExecutor, SyncActaeClient, current_operation

sent: list[str] = []  # what the mail service has really sent


def jobs() -> Iterator[dict[str, Any]]:
    """At-least-once delivery, as queues do it."""
    for order_id in ("4471", "4472", "4471"):
        yield {"order_id": order_id, "to": f"customer-of-{order_id}@example.com"}


def send_mail(to: str) -> dict[str, Any]:
    """Stands for the mail service."""
    sent.append(to)
    return {"message_id": f"<{current_operation().idempotency_key}@example.com>"}


def work_off(executor: ActaeToolExecutor) -> None:
    """Each job once, however often it is delivered."""
    for job in jobs():
        result = executor.execute_sync(
            f"mail_invoice:{job['order_id']}",
            "mail_invoice",
            job,
            partial(send_mail, job["to"]),
            wait_seconds=30,
        )
        print(f"{job['order_id']} {result['message_id']}")


def main() -> None:
    run = sys.argv[1] if len(sys.argv) > 1 else "run-90d3"
    with SyncActaeClient.from_env() as client:
        work_off(ActaeToolExecutor(client, run, actor="mail-worker"))
        for execution in reversed(client.list_executions(run)):
            print(f"{execution.key_name} {execution.status}, attempt {execution.attempts}")
    print(f"{len(sent)} mails sent")


if __name__ == "__main__":
    main()
