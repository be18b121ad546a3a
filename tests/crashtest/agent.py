"""An agent to be killed. Its policy is what a test wants it to be."""

import json
import os
import sys
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

RUN = os.environ["ACTAE_CRASHTEST_RUN_ID"]
FILES = Path(os.environ["ACTAE_CRASHTEST_DIR"])
PROVIDER_URL = os.environ["ACTAE_CRASHTEST_PROVIDER_URL"]


def careful() -> None:
    """Sends a key, and looks before it asks again where that can be done. Two effects, at the same time."""
    import asyncio

    from actae_client import Actae, current_operation
    from actae_client.testing import Provider, ProviderError

    actae, provider = Actae.from_env(), Provider.from_env()

    @actae.effect("charge:{order_id}", wait_seconds=5)
    def charge(order_id: str) -> object:
        operation = current_operation()
        reference = f"charges/{order_id}"
        if operation.attempt > 1:
            with suppress(ProviderError):  # cannot be asked
                if (done := provider.find(reference)) is not None:
                    return done
        return provider.apply(reference, idempotency_key=operation.idempotency_key)

    async def main() -> None:
        async with actae, actae.run(RUN, channel_id=RUN):
            await asyncio.gather(asyncio.to_thread(charge, f"{RUN}-a"), asyncio.to_thread(charge, f"{RUN}-b"))

    asyncio.run(main())


def by_hand(on_lapse: str = "reclaim", channel_id: str = RUN) -> None:
    """Claims and completes itself, and calls the provider with the standard library."""
    from actae_client import SyncActaeClient

    with SyncActaeClient.from_env() as client:
        claim = client.claim_execution(channel_id, "mail:1", "mail", on_lapse=on_lapse)
        if claim.claim_token is not None:
            post("mails/1", claim.execution.id)
            client.complete_execution(claim.execution.id, claim.claim_token, result=None)


def billing() -> None:
    """Uses one channel for all of its runs, as it does in real life."""
    by_hand(channel_id="billing")


def post(reference: str, idempotency_key: str) -> object:
    request = urllib.request.Request(
        f"{PROVIDER_URL}/{reference}", b"{}", {"Idempotency-Key": idempotency_key}, method="POST"
    )
    with urllib.request.urlopen(request, timeout=30) as reply:
        return json.load(reply)


def ambiguous() -> None:
    """Would rather not know than do it twice, and asks nobody."""
    by_hand(on_lapse="ambiguous")


def at_most_once() -> None:
    """Writes down that it is done, then does it."""
    from actae_client.testing import boundary

    done = FILES / "done"
    if not done.exists():
        done.touch()
        boundary("file.written", "done")
        post("mails/1", RUN)


def restless() -> None:
    """Takes another way each time."""
    from actae_client.testing import boundary

    boundary("seen", uuid4().hex)


def silent() -> None:
    """Does nothing that anybody could notice."""


def never_ends() -> None:
    """Fails, each time."""
    sys.exit("I cannot go on.")


POLICIES: dict[str, Callable[[], None]] = {
    function.__name__: function
    for function in (careful, by_hand, billing, ambiguous, at_most_once, restless, silent, never_ends)
}

if __name__ == "__main__":
    POLICIES[os.environ["ACTAE_CRASHTEST_POLICY"]]()
