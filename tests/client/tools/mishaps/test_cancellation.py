"""Cancelling the caller of an effect."""

from __future__ import annotations

import asyncio
import threading

import pytest

from actae_client.client import ActaeClient, SyncActaeClient
from actae_client.tools import ActaeToolExecutor, EffectNotRecordedError
from tests.client.tools.mishaps.support.scripted_ledger import Mishap, ScriptedLedger
from tests.support.waiting import until, until_async


async def test_an_async_call_is_cut_off_and_its_key_given_back(
    executor: ActaeToolExecutor, ledger: ScriptedLedger
) -> None:
    """By default the next claim runs the tool again."""
    runs, told = asyncio.Event(), asyncio.Event()

    async def tool() -> None:
        runs.set()
        await asyncio.sleep(60)

    running = asyncio.create_task(executor.execute("k", "t", {}, tool, cancellation_event=told))
    await runs.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert told.is_set()
    assert ledger.row("k").status == "cancelled"


async def test_a_call_with_an_unknown_outcome_can_be_held(
    executor: ActaeToolExecutor, ledger: ScriptedLedger
) -> None:
    """With `on_cancel="hold"` the key stays taken until its lease lapses."""
    runs = asyncio.Event()

    async def tool() -> None:
        runs.set()
        await asyncio.sleep(60)

    running = asyncio.create_task(executor.execute("k", "t", {}, tool, on_cancel="hold"))
    await runs.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert ledger.row("k").status == "running"
    assert ledger.verbs() == ["claim"]


async def test_cancelling_does_not_release_a_tool_that_runs_in_a_thread(
    executor: ActaeToolExecutor, ledger: ScriptedLedger, client: ActaeClient
) -> None:
    """The lease is kept, the effect recorded, and only then is the cancellation raised."""
    runs, may_end, told = threading.Event(), threading.Event(), asyncio.Event()

    def tool() -> str:
        runs.set()
        may_end.wait(20)
        return "paid"

    running = asyncio.create_task(
        executor.execute("k", "t", {}, tool, heartbeat_interval=0.1, cancellation_event=told)
    )
    await until_async(runs.is_set)
    running.cancel()
    await told.wait()
    beaten = ledger.count("heartbeat")
    await until_async(lambda: ledger.count("heartbeat") > beaten + 3)
    running.cancel()
    claim = await client.claim_execution("run-1", "k", "t", {})
    assert claim.status == "in_progress"
    assert not running.done()
    may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert ledger.row("k").result == "paid"
    assert not {"fail", "cancel"} & set(ledger.verbs())


async def test_a_thread_that_stops_by_itself_is_recorded_as_failed(
    executor: ActaeToolExecutor, ledger: ScriptedLedger
) -> None:
    """What the tool raised is the cause of the cancellation that the caller sees."""
    runs, told = threading.Event(), asyncio.Event()

    def tool() -> None:
        runs.set()
        until(told.is_set)
        raise InterruptedError("stopped before the charge")

    running = asyncio.create_task(executor.execute("k", "t", {}, tool, cancellation_event=told))
    await until_async(runs.is_set)
    running.cancel()
    with pytest.raises(asyncio.CancelledError) as caught:
        await running
    assert isinstance(caught.value.__cause__, InterruptedError)
    assert ledger.row("k").error["message"] == "stopped before the charge"


async def test_a_call_cancelled_while_it_is_claimed_runs_nothing(
    executor: ActaeToolExecutor, ledger: ScriptedLedger
) -> None:
    """A claim that comes back too late is given back, even under "hold": the tool never ran."""
    runs: list[int] = []
    go = ledger.hold("claim")
    running = asyncio.create_task(executor.execute("k", "t", {}, lambda: runs.append(1), on_cancel="hold"))
    await until_async(lambda: ledger.count("claim") == 1)
    running.cancel()
    await asyncio.sleep(0)
    go.set()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert runs == []
    assert ledger.row("k").status == "cancelled"


async def test_a_failed_release_does_not_mask_the_cancellation(
    executor: ActaeToolExecutor, ledger: ScriptedLedger
) -> None:
    """Giving the key back is best effort: the lease lapses anyway."""
    ledger.from_now_on("cancel", Mishap.UNAVAILABLE)
    runs = asyncio.Event()

    async def tool() -> None:
        runs.set()
        await asyncio.sleep(60)

    running = asyncio.create_task(executor.execute("k", "t", {}, tool))
    await runs.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert ledger.count("cancel") > 0


async def test_a_failed_report_does_not_mask_the_error_of_the_tool(
    executor: ActaeToolExecutor, ledger: ScriptedLedger
) -> None:
    """The caller gets what the tool raised."""
    ledger.from_now_on("fail", Mishap.UNAVAILABLE)

    def tool() -> None:
        raise ValueError("card refused")

    with pytest.raises(ValueError, match="card refused"):
        await executor.execute("k", "t", {}, tool)


def test_an_event_loop_that_ends_waits_for_the_effects_on_it(
    executor: ActaeToolExecutor, ledger: ScriptedLedger
) -> None:
    """`asyncio.run` cancels whatever is left; effects whose tool returns are recorded before it ends."""
    left = []

    async def slow_to_stop() -> str:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            until(lambda: ledger.count("heartbeat") > 3)
        return "paid on the loop"

    def in_a_thread() -> str:
        until(lambda: ledger.count("heartbeat") > 3)
        return "paid in the thread"

    async def main() -> None:
        for name, tool in (("a", slow_to_stop), ("b", in_a_thread)):
            left.append(asyncio.create_task(executor.execute(name, "t", {}, tool, heartbeat_interval=0.05)))
        await until_async(lambda: ledger.count("claim") == 2 and ledger.count("heartbeat") > 0)

    asyncio.run(main())
    assert [task.cancelled() for task in left] == [True, True]
    assert ledger.row("a").result == "paid on the loop"
    assert ledger.row("b").result == "paid in the thread"


def test_an_event_loop_that_stopped_holds_no_lease(
    blocking_client: SyncActaeClient, ledger: ScriptedLedger
) -> None:
    """A call that can make no progress, and may never do so again, does not hold its key for ever."""
    executor = ActaeToolExecutor(blocking_client, "run-1")
    may_end = threading.Event()

    async def tool() -> str:
        await until_async(may_end.is_set)
        return "paid"

    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        call = loop.create_task(executor.execute("k", "t", {}, tool, lease_seconds=1))
        runner.run(until_async(lambda: ledger.count("heartbeat") > 0))
        until(lambda: blocking_client.claim_execution("run-1", "k", "t", {}).status == "reclaimed")
        may_end.set()
        with pytest.raises(EffectNotRecordedError):
            loop.run_until_complete(call)


async def test_a_task_group_that_fails_lets_its_effects_finish(
    executor: ActaeToolExecutor, ledger: ScriptedLedger
) -> None:
    """One failing task cancels its siblings; what they did is on record."""
    runs = threading.Event()
    told = asyncio.Event()

    def tool() -> str:
        runs.set()
        until(told.is_set)
        return "paid"

    async def fails() -> None:
        await until_async(runs.is_set)
        raise RuntimeError("something else broke")

    async def together() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(executor.execute("k", "t", {}, tool, cancellation_event=told))
            group.create_task(fails())

    with pytest.raises(ExceptionGroup):
        await together()
    assert ledger.row("k").result == "paid"
