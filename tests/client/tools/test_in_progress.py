"""A key that somebody else holds."""

from __future__ import annotations

import asyncio
import threading

import pytest

from actae_client.client import ActaeClient
from actae_client.tools import ActaeToolExecutor, ToolExecutionInProgressError
from tests.client.tools.support.tools import Charge
from tests.support.waiting import until_async


async def test_a_key_held_by_another_owner_is_not_run(
    executor: ActaeToolExecutor, client: ActaeClient
) -> None:
    """The error says which operation is in the way, and how long it may be."""
    held = await client.claim_execution(executor.channel_id, "k", "charge", {})
    charge = Charge()
    with pytest.raises(ToolExecutionInProgressError) as caught:
        await executor.execute("k", "charge", {}, charge)
    assert caught.value.execution_id == held.execution.id
    assert caught.value.key_name == "k"
    assert caught.value.lease_until is not None
    assert charge.runs == 0


async def test_a_caller_may_wait_for_the_other_owner(
    executor: ActaeToolExecutor, client: ActaeClient
) -> None:
    """With `wait_seconds` the result of the other owner is returned when it comes."""
    held = await client.claim_execution(executor.channel_id, "k", "charge", {})
    charge = Charge()
    waiting = asyncio.create_task(executor.execute("k", "charge", {}, charge, wait_seconds=30))
    await asyncio.sleep(0)
    await client.complete_execution(held.execution.id, held.claim_token, "paid by the other")
    assert await waiting == "paid by the other"
    assert charge.runs == 0


async def test_a_caller_who_waits_takes_over_when_the_lease_lapses(
    executor: ActaeToolExecutor, client: ActaeClient
) -> None:
    """A dead owner holds up nobody for longer than its lease."""
    await client.claim_execution(executor.channel_id, "k", "charge", {}, lease_seconds=1)
    charge = Charge()
    assert await executor.execute("k", "charge", {}, charge, wait_seconds=30) == "paid"
    assert charge.runs == 1


async def test_waiting_can_be_cancelled(executor: ActaeToolExecutor, client: ActaeClient) -> None:
    """A cancelled wait runs nothing and leaves the other owner alone."""
    held = await client.claim_execution(executor.channel_id, "k", "charge", {})
    charge = Charge()
    waiting = asyncio.create_task(executor.execute("k", "charge", {}, charge, wait_seconds=60))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert charge.runs == 0
    done = await client.complete_execution(held.execution.id, held.claim_token)
    assert done.status == "completed"


async def test_a_running_tool_is_in_progress_for_others(
    executor: ActaeToolExecutor, client: ActaeClient
) -> None:
    """While a tool runs its key is held."""
    may_end, runs = threading.Event(), threading.Event()

    def tool() -> None:
        runs.set()
        may_end.wait(20)

    running = asyncio.create_task(executor.execute("k", "t", {}, tool))
    await until_async(runs.is_set)
    claim = await client.claim_execution(executor.channel_id, "k", "t", {})
    may_end.set()
    await running
    assert claim.status == "in_progress"
