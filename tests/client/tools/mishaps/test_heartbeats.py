"""A lease is kept for as long as the tool runs, and given up only when it is really lost."""

from __future__ import annotations

import asyncio
import gc
import threading
import time

import pytest

from actae_client._lease import default_heartbeat_interval
from actae_client.errors import ExecutionNotOwnedError
from actae_client.tools import ActaeToolExecutor, EffectNotRecordedError, LeaseLostError
from tests.client.tools.mishaps.support.scripted_ledger import Mishap, ScriptedLedger
from tests.support.waiting import until, until_async


@pytest.mark.parametrize(
    ("lease", "interval"), [(1, 1 / 3), (0.3, 0.25), (60, 20), (89, 89 / 3), (90, 30), (86_400, 30)]
)
def test_the_usual_interval_is_a_third_of_the_lease(lease: float, interval: float) -> None:
    """At least a quarter of a second, at most half a minute."""
    assert default_heartbeat_interval(lease) == interval


async def test_a_tool_longer_than_its_lease_keeps_it(
    executor: ActaeToolExecutor, ledger: ScriptedLedger
) -> None:
    """Slow is not dead: nobody takes over while heartbeats arrive."""

    async def tool() -> str:
        await until_async(lambda: ledger.count("heartbeat") >= 5)
        return "paid"

    assert await executor.execute("k", "charge", {}, tool, lease_seconds=1) == "paid"
    assert ledger.row("k").attempts == 1


async def test_a_tool_that_blocks_the_event_loop_keeps_its_lease(
    executor: ActaeToolExecutor, ledger: ScriptedLedger
) -> None:
    """Heartbeats do not depend on the caller's event loop."""

    async def tool() -> str:
        until(lambda: ledger.count("heartbeat") >= 4)
        return "paid"

    assert await executor.execute("k", "charge", {}, tool, heartbeat_interval=0.1) == "paid"


def test_a_blocking_caller_keeps_its_lease(executor: ActaeToolExecutor, ledger: ScriptedLedger) -> None:
    """Without any event loop of the caller, heartbeats come from the background."""

    def tool() -> str:
        until(lambda: ledger.count("heartbeat") >= 4)
        return "paid"

    assert executor.execute_sync("k", "charge", {}, tool, heartbeat_interval=0.1) == "paid"


async def test_failed_heartbeats_do_not_interrupt_a_call_whose_lease_still_lasts(
    executor: ActaeToolExecutor, ledger: ScriptedLedger
) -> None:
    """A server that is away for a moment cancels nobody."""
    ledger.next_time("heartbeat", *[Mishap.UNAVAILABLE] * 3, *[Mishap.CUT] * 3, Mishap.REPLY_LOST)

    async def tool() -> str:
        await until_async(lambda: ledger.count("heartbeat") >= 9)
        return "paid"

    answer = await executor.execute("k", "t", {}, tool, lease_seconds=30, heartbeat_interval=0.1)
    assert answer == "paid"
    assert set(ledger.verbs()) == {"claim", "heartbeat", "complete"}


async def test_a_hanging_heartbeat_is_sent_again(executor: ActaeToolExecutor, ledger: ScriptedLedger) -> None:
    """One connection that never answers does not cost the lease."""
    ledger.next_time("heartbeat", Mishap.HANGS)

    async def tool() -> str:
        await until_async(lambda: ledger.count("heartbeat") >= 3)
        return "paid"

    assert await executor.execute("k", "t", {}, tool, lease_seconds=6, heartbeat_interval=0.1) == "paid"


async def test_an_async_call_is_interrupted_when_its_lease_runs_out(
    executor: ActaeToolExecutor, ledger: ScriptedLedger
) -> None:
    """When no heartbeat arrived until shortly before the end, the call is cancelled and told so."""
    ledger.from_now_on("heartbeat", Mishap.UNAVAILABLE)
    told = asyncio.Event()
    started = time.monotonic()
    with pytest.raises(LeaseLostError) as caught:
        await executor.execute(
            "k", "t", {}, lambda: asyncio.sleep(60), lease_seconds=2, cancellation_event=told
        )
    assert time.monotonic() - started >= 2 * 5 / 6
    assert caught.value.__cause__ is not None
    assert ledger.count("heartbeat") > 3
    assert told.is_set()
    assert ledger.row("k").error["error_type"] == "LeaseLostError"


async def test_an_interrupted_call_can_be_held_instead(
    executor: ActaeToolExecutor, ledger: ScriptedLedger
) -> None:
    """With `on_cancel="hold"` nothing hands the key out before its lease has lapsed."""
    ledger.from_now_on("heartbeat", Mishap.UNAVAILABLE)
    with pytest.raises(LeaseLostError):
        await executor.execute("k", "t", {}, lambda: asyncio.sleep(60), lease_seconds=1, on_cancel="hold")
    assert ledger.row("k").status == "running"
    assert not {"fail", "cancel"} & set(ledger.verbs())


async def test_an_async_call_is_interrupted_when_somebody_else_took_over(
    executor: ActaeToolExecutor, ledger: ScriptedLedger
) -> None:
    """The server's word that the operation has another owner ends the call at once."""

    async def tool() -> None:
        ledger.take_over("k")
        await asyncio.sleep(60)

    with pytest.raises(LeaseLostError) as caught:
        await executor.execute("k", "t", {}, tool, lease_seconds=60, heartbeat_interval=0.05)
    assert isinstance(caught.value.__cause__, ExecutionNotOwnedError)
    assert set(ledger.verbs()) == {"claim", "heartbeat"}


async def test_an_interrupted_call_that_returns_all_the_same_is_recorded(
    executor: ActaeToolExecutor, ledger: ScriptedLedger
) -> None:
    """The lease lapsed by our clock, nobody took it, and the tool had its effect: it is completed."""
    ledger.from_now_on("heartbeat", Mishap.UNAVAILABLE)

    async def tool() -> str:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            return "paid"
        return "never"

    assert await executor.execute("k", "t", {}, tool, lease_seconds=1) == "paid"
    assert ledger.row("k").status == "completed"


async def test_a_thread_is_held_until_it_ends_although_its_lease_lapsed(
    executor: ActaeToolExecutor, ledger: ScriptedLedger
) -> None:
    """A thread cannot be stopped: its effect lands, and is recorded when nobody took the key."""
    ledger.from_now_on("heartbeat", Mishap.UNAVAILABLE)
    told = asyncio.Event()

    def tool() -> str:
        until(told.is_set)
        beaten = ledger.count("heartbeat")
        until(lambda: ledger.count("heartbeat") > beaten + 2)
        return "paid"

    assert await executor.execute("k", "t", {}, tool, lease_seconds=1, cancellation_event=told) == "paid"
    assert ledger.row("k").status == "completed"
    assert not {"fail", "cancel"} & set(ledger.verbs())


async def test_a_thread_that_was_fenced_out_reports_its_result(
    executor: ActaeToolExecutor, ledger: ScriptedLedger
) -> None:
    """When somebody took the key over, the result of the thread comes in the exception."""
    told = asyncio.Event()

    def tool() -> str:
        ledger.take_over("k")
        until(told.is_set)
        return "paid twice, perhaps"

    with pytest.raises(EffectNotRecordedError) as caught:
        await executor.execute("k", "t", {}, tool, heartbeat_interval=0.05, cancellation_event=told)
    assert caught.value.result == "paid twice, perhaps"


async def test_a_lapsed_lease_that_nobody_took_is_revived(
    executor: ActaeToolExecutor, ledger: ScriptedLedger
) -> None:
    """After an outage longer than the lease, the heartbeats of a thread protect the key again."""
    ledger.from_now_on("heartbeat", Mishap.UNAVAILABLE)
    told, may_end = asyncio.Event(), threading.Event()

    def tool() -> str:
        may_end.wait(20)
        return "paid"

    running = asyncio.create_task(
        executor.execute("k", "t", {}, tool, lease_seconds=1, cancellation_event=told)
    )
    await told.wait()
    ledger.from_now_on("heartbeat", None)
    await until_async(lambda: ledger.row("k").lease_until > time.monotonic() + 0.5)
    may_end.set()
    assert await running == "paid"


async def test_the_error_of_a_fenced_out_tool_is_not_masked(
    executor: ActaeToolExecutor, ledger: ScriptedLedger
) -> None:
    """The tool's own error arrives, with a note about the take-over."""
    told = asyncio.Event()

    def tool() -> None:
        ledger.take_over("k")
        until(told.is_set)
        raise ValueError("card refused")

    with pytest.raises(ValueError, match="card refused") as caught:
        await executor.execute("k", "t", {}, tool, heartbeat_interval=0.05, cancellation_event=told)
    assert "took over" in caught.value.__notes__[0]
    assert ledger.count("fail") == 0


async def test_a_claim_that_took_as_long_as_its_lease_is_renewed_before_the_tool_runs(
    executor: ActaeToolExecutor, ledger: ScriptedLedger
) -> None:
    """Nobody runs a tool on a lease that has lapsed on the way."""
    seen: list[str] = []
    go = ledger.hold("claim")
    running = asyncio.create_task(
        executor.execute("k", "t", {}, lambda: seen.extend(ledger.verbs()), lease_seconds=1)
    )
    await until_async(lambda: ledger.count("claim") == 1)
    arrived_at = time.monotonic()
    await until_async(lambda: time.monotonic() > arrived_at + 1)
    go.set()
    await running
    assert seen == ["claim", "heartbeat"]


async def test_heartbeats_are_not_garbage(executor: ActaeToolExecutor, ledger: ScriptedLedger) -> None:
    """Tasks that nobody else holds on to survive a collection."""

    async def tool() -> str:
        for _ in range(3):
            gc.collect()
            beaten = ledger.count("heartbeat")
            await until_async(lambda before=beaten: ledger.count("heartbeat") > before)
        return "paid"

    assert await executor.execute("k", "t", {}, tool, heartbeat_interval=0.05) == "paid"


async def test_heartbeats_end_with_their_call(executor: ActaeToolExecutor, ledger: ScriptedLedger) -> None:
    """Of a finished call, at most the heartbeat arrives that was on its way."""

    async def tool() -> str:
        beaten = ledger.count("heartbeat")
        await until_async(lambda: ledger.count("heartbeat") > beaten + 5)
        return ledger.row("a").token

    first = await executor.execute("a", "t", {}, tool, heartbeat_interval=0.05)
    sent = len(ledger.calls)
    await executor.execute("b", "t", {}, tool, heartbeat_interval=0.05)
    late = [verb for verb, body in ledger.calls[sent:] if body.get("claim_token") == first]
    assert len(late) <= 1
