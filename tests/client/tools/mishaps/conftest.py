"""A ledger that can be made to fail, and clients of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from actae_client.client import ActaeClient, SyncActaeClient
from actae_client.retry import RetryPolicy
from actae_client.tools import ActaeToolExecutor
from tests.client.tools.mishaps.support.scripted_ledger import ScriptedLedger


@pytest.fixture
def ledger() -> Iterator[ScriptedLedger]:
    """A ledger of this test's own."""
    ledger = ScriptedLedger()
    ledger.start()
    yield ledger
    ledger.close()


@pytest.fixture
async def client(ledger: ScriptedLedger) -> AsyncIterator[ActaeClient]:
    """A client of the ledger, which itself repeats calls but rarely: the executor has to."""
    once = RetryPolicy(attempts=2, base_seconds=0.01)
    async with ActaeClient(
        api_key="sk-test", endpoint=ledger.url, retry=once, completion_retry=once
    ) as client:
        yield client


@pytest.fixture
def blocking_client(ledger: ScriptedLedger) -> Iterator[SyncActaeClient]:
    """A client of the ledger that blocks."""
    with SyncActaeClient(api_key="sk-test", endpoint=ledger.url) as client:
        yield client


@pytest.fixture
def executor(client: ActaeClient) -> ActaeToolExecutor:
    """An executor on the channel `run-1`."""
    return ActaeToolExecutor(client, "run-1")
