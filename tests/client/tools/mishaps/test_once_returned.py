"""Once the tool has returned, only `complete` is sent, until it is recorded or all is known to be lost."""

from __future__ import annotations

import asyncio
import logging
import threading

import pytest

from actae_client.tools import ActaeToolExecutor, EffectNotRecordedError
from tests.client.tools.mishaps.support.scripted_ledger import Mishap, ScriptedLedger
from tests.support.waiting import until_async


def only_completed(ledger: ScriptedLedger) -> bool:
    """Whether nothing was sent that would hand the key out again."""
    return not {"fail", "cancel"} & set(ledger.verbs())


async def test_a_lost_reply_to_complete_is_asked_for_again(
    executor: ActaeToolExecutor, ledger: ScriptedLedger
) -> None:
    """The charge is recorded once, returned, and never handed out again."""
    ledger.next_time("complete", *[Mishap.REPLY_LOST] * 5)
    assert await executor.execute("k", "charge", {}, lambda: "paid") == "paid"
    assert ledger.count("complete") == 6
    assert ledger.row("k").status == "completed"
    assert only_completed(ledger)


@pytest.mark.parametrize("mishap", [Mishap.UNAVAILABLE, Mishap.CUT])
async def test_a_server_that_is_away_for_a_while_still_gets_the_result(
    executor: ActaeToolExecutor, ledger: ScriptedLedger, mishap: Mishap
) -> None:
    """A restart of the server between effect and record costs time, not the record."""
    ledger.next_time("complete", *[mishap] * 7)
    assert await executor.execute("k", "charge", {}, lambda: "paid") == "paid"
    assert ledger.row("k").result == "paid"
    assert only_completed(ledger)


async def test_heartbeats_go_on_while_the_result_is_being_recorded(
    executor: ActaeToolExecutor, ledger: ScriptedLedger
) -> None:
    """The key is not handed out to others while `complete` is still being tried."""
    ledger.from_now_on("complete", Mishap.UNAVAILABLE)
    running = asyncio.create_task(executor.execute("k", "charge", {}, lambda: "paid", heartbeat_interval=0.1))
    await until_async(lambda: ledger.count("complete") > 0)
    beaten = ledger.count("heartbeat")
    await until_async(lambda: ledger.count("heartbeat") > beaten + 3)
    ledger.from_now_on("complete", None)
    assert await running == "paid"
    assert ledger.row("k").attempts == 1


async def test_cancelling_while_the_result_is_recorded_does_not_lose_it(
    executor: ActaeToolExecutor, ledger: ScriptedLedger
) -> None:
    """The record is finished first, however often the caller cancels; then the cancellation is raised."""
    ledger.from_now_on("complete", Mishap.UNAVAILABLE)
    running = asyncio.create_task(executor.execute("k", "charge", {}, lambda: "paid"))
    await until_async(lambda: ledger.count("complete") > 0)
    for _ in range(3):
        running.cancel()
        await asyncio.sleep(0)
    assert not running.done()
    ledger.from_now_on("complete", None)
    with pytest.raises(asyncio.CancelledError):
        await running
    assert ledger.row("k").status == "completed"
    assert only_completed(ledger)


async def test_a_timeout_around_the_call_reports_as_a_timeout_after_the_record(
    executor: ActaeToolExecutor, ledger: ScriptedLedger
) -> None:
    """`asyncio.timeout` works as anywhere else, except that the record comes first."""
    may_return = asyncio.Event()
    asyncio.get_running_loop().call_later(0.2, may_return.set)

    async def tool() -> str:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            await may_return.wait()
        return "paid after all"

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await executor.execute("k", "charge", {}, tool)
    assert ledger.row("k").result == "paid after all"
    assert only_completed(ledger)


async def test_a_fenced_out_result_is_not_thrown_away(
    executor: ActaeToolExecutor, ledger: ScriptedLedger, caplog: pytest.LogCaptureFixture
) -> None:
    """The only witness of what happened is the exception, and the log says so without the token."""
    token = ""

    def tool() -> dict[str, int]:
        nonlocal token
        token = ledger.row("k").token
        ledger.take_over("k")
        return {"charge": 17}

    with caplog.at_level(logging.ERROR), pytest.raises(EffectNotRecordedError) as caught:
        await executor.execute("k", "charge", {}, tool)
    error = caught.value
    assert error.result == {"charge": 17}
    assert error.key_name == "k"
    assert error.execution_id == ledger.row("k").id
    assert "another owner" in str(error)
    assert "happened but is not recorded" in caplog.text
    assert token not in f"{error}{error.claim_token}{error!r}{caplog.text}"
    assert only_completed(ledger)


async def test_an_unreachable_server_is_given_up_on_loudly(
    executor: ActaeToolExecutor, ledger: ScriptedLedger
) -> None:
    """After `completion_timeout` the caller gets the result in an exception; the key is left alone."""
    ledger.from_now_on("complete", Mishap.UNAVAILABLE)
    with pytest.raises(EffectNotRecordedError, match="in time") as caught:
        await executor.execute("k", "charge", {}, lambda: "paid", completion_timeout=0.5)
    assert caught.value.result == "paid"
    assert caught.value.__cause__ is not None
    assert ledger.row("k").status == "running"
    assert only_completed(ledger)


async def test_what_could_not_be_recorded_is_louder_than_a_cancellation(
    executor: ActaeToolExecutor, ledger: ScriptedLedger
) -> None:
    """A cancelled caller still learns of the effect that nobody has a record of."""
    ledger.from_now_on("complete", Mishap.UNAVAILABLE)
    running = asyncio.create_task(executor.execute("k", "charge", {}, lambda: "paid", completion_timeout=1))
    await until_async(lambda: ledger.count("complete") > 0)
    running.cancel()
    with pytest.raises(EffectNotRecordedError):
        await running


async def test_a_result_that_is_too_large_is_recorded_by_its_digest(
    executor: ActaeToolExecutor, ledger: ScriptedLedger
) -> None:
    """The effect is never repeated, and first run and replay return the same."""
    ledger.next_time("complete", Mishap.TOO_LARGE)
    first = await executor.execute("k", "charge", {}, lambda: "x" * 5000)
    second = await executor.execute("k", "charge", {}, lambda: "x" * 5000)
    assert first == second
    assert first["$bytes"] == 5002
    assert first["$preview"].startswith('"xxx')
    assert only_completed(ledger)


async def test_a_hanging_complete_is_given_up_in_time(
    executor: ActaeToolExecutor, ledger: ScriptedLedger
) -> None:
    """A server that accepts and never answers does not hold the caller for ever."""
    ledger.from_now_on("complete", Mishap.HANGS)
    with pytest.raises(EffectNotRecordedError):
        await executor.execute("k", "charge", {}, lambda: "paid", completion_timeout=0.5)


async def test_a_row_deleted_under_the_tool_is_reported(
    executor: ActaeToolExecutor, ledger: ScriptedLedger
) -> None:
    """A ledger that no longer knows the operation cannot record it."""

    def tool() -> str:
        ledger.rows.clear()
        return "paid"

    with pytest.raises(EffectNotRecordedError, match="does not know"):
        await executor.execute("k", "charge", {}, tool)


def test_the_blocking_form_keeps_the_same_rule(executor: ActaeToolExecutor, ledger: ScriptedLedger) -> None:
    """`execute_sync` repeats `complete` too."""
    ledger.next_time("complete", Mishap.REPLY_LOST, Mishap.CUT, Mishap.UNAVAILABLE)
    assert executor.execute_sync("k", "charge", {}, lambda: "paid") == "paid"
    assert ledger.row("k").status == "completed"
    assert only_completed(ledger)


async def test_a_result_changed_by_its_owner_is_stored_as_it_was_returned(
    executor: ActaeToolExecutor, ledger: ScriptedLedger
) -> None:
    """What a tool does with its object after returning it does not reach the ledger."""
    ledger.next_time("complete", Mishap.UNAVAILABLE, Mishap.UNAVAILABLE, Mishap.UNAVAILABLE)
    shared: dict[str, int] = {"balance": 1}
    returned = threading.Event()

    def tool() -> dict[str, int]:
        returned.set()
        return shared

    running = asyncio.create_task(executor.execute("k", "t", {}, tool))
    await until_async(lambda: ledger.count("complete") > 0)
    shared["balance"] = 2
    assert await running == {"balance": 1}
    assert ledger.row("k").result == {"balance": 1}
