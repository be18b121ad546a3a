"""A tool runs once per key; what it returned is returned again."""

from __future__ import annotations

import asyncio
import functools
import threading

import pytest

from actae_client.client import ActaeClient, SyncActaeClient
from actae_client.errors import IdempotencyKeyMismatchError
from actae_client.tools import ActaeToolExecutor
from tests.client.tools.support.tools import Charge


@pytest.mark.parametrize("kind", ["function", "coroutine_function", "lambda_that_returns_a_coroutine"])
async def test_a_completed_call_is_replayed_and_not_run_again(executor: ActaeToolExecutor, kind: str) -> None:
    """The second call returns the first result without a second charge."""
    charge = Charge()
    invoke = {"function": charge, "coroutine_function": charge.later}.get(kind, lambda: charge.later())
    first = await executor.execute("charge-1", "charge", {"cents": 100}, invoke)
    second = await executor.execute("charge-1", "charge", {"cents": 100}, invoke)
    assert (first, second, charge.runs) == ("paid", "paid", 1)


async def test_a_partial_of_a_coroutine_function_runs_on_the_callers_loop(
    executor: ActaeToolExecutor,
) -> None:
    """An async tool can use what belongs to the caller's event loop."""

    async def tool(_word: str) -> bool:
        return asyncio.get_running_loop() is home

    home = asyncio.get_running_loop()
    assert await executor.execute("k", "t", {}, functools.partial(tool, "word")) is True


def test_a_caller_without_an_event_loop_gets_the_same(executor: ActaeToolExecutor) -> None:
    """`execute_sync` runs functions and coroutine functions, and replays."""
    charge = Charge()
    assert executor.execute_sync("a", "charge", {}, charge) == "paid"
    assert executor.execute_sync("b", "charge", {}, charge.later) == "paid"
    assert executor.execute_sync("a", "charge", {}, charge) == "paid"
    assert charge.runs == 2


async def test_a_blocking_client_serves_both_forms(blocking_client: SyncActaeClient, channel: str) -> None:
    """An executor on a `SyncActaeClient` keeps the same promise."""
    executor, charge = ActaeToolExecutor(blocking_client, channel), Charge()
    assert await executor.execute("a", "charge", {}, charge) == "paid"
    assert await asyncio.to_thread(executor.execute_sync, "a", "charge", {}, charge) == "paid"
    assert charge.runs == 1


@pytest.mark.parametrize("text", ["hello", "12", "1.50", "9" * 5_000])
async def test_what_looks_like_a_wrapped_number_is_replayed_as_it_was_returned(
    executor: ActaeToolExecutor, text: str
) -> None:
    """Neither does it make the record unreadable."""
    live = {"page": {"$sonic_rs::private::JsonNumber": text}}
    first = await executor.execute("k", "t", {}, lambda: live)
    assert await executor.execute("k", "t", {}, lambda: "again") == first
    if text == "hello":
        assert first == live


async def test_the_first_run_returns_what_the_replay_returns(executor: ActaeToolExecutor) -> None:
    """A tuple is a list the first time too, and the caller's object is not aliased."""
    live = {"pair": (1, 2), 3: b"x"}
    first = await executor.execute("k", "t", {}, lambda: live)
    second = await executor.execute("k", "t", {}, lambda: live)
    assert first == second == {"pair": [1, 2], "3": {"$base64": "eA=="}}


async def test_the_same_key_with_other_arguments_is_refused(executor: ActaeToolExecutor) -> None:
    """A reused key never gets somebody else's answer."""
    charge = Charge()
    await executor.execute("k", "charge", {"cents": 100}, charge)
    with pytest.raises(IdempotencyKeyMismatchError):
        await executor.execute("k", "charge", {"cents": 999}, charge)
    assert charge.runs == 1


async def test_named_fields_make_two_calls_the_same(executor: ActaeToolExecutor) -> None:
    """What is not named may differ."""
    charge = Charge()
    for moment in (1, 2):
        params = {"cents": 100, "at": moment}
        await executor.execute("k", "charge", params, charge, dedup_fields=["cents"])
    assert charge.runs == 1


async def test_the_error_of_a_tool_reaches_the_caller_and_the_ledger(
    executor: ActaeToolExecutor, client: ActaeClient
) -> None:
    """A tool that raised may be run again: the key is handed out anew."""
    refused = ValueError("card refused")

    def decline() -> None:
        raise refused

    with pytest.raises(ValueError) as caught:
        await executor.execute("k", "charge", {}, decline)
    assert caught.value is refused
    claim = await client.claim_execution(executor.channel_id, "k", "charge", {})
    assert (claim.status, claim.execution.attempts) == ("reclaimed", 2)


@pytest.mark.parametrize("error", [StopIteration("done"), SystemExit(3), ExceptionGroup("x", [OSError()])])
def test_any_kind_of_error_arrives_unchanged(executor: ActaeToolExecutor, error: BaseException) -> None:
    """Errors that event loops treat specially come from a thread like any other."""

    def tool() -> None:
        raise error

    with pytest.raises(BaseException) as caught:
        executor.execute_sync("k", "t", {}, tool)
    assert caught.value is error


async def test_parallel_effects_stand_alone(executor: ActaeToolExecutor) -> None:
    """One that fails takes no other with it, and each is recorded."""
    both_run = threading.Barrier(3)

    def tool(number: int) -> int:
        both_run.wait(20)
        if number == 1:
            raise RuntimeError("one of them failed")
        return number

    calls = [executor.execute(f"k{n}", "t", {}, functools.partial(tool, n)) for n in range(3)]
    answers = await asyncio.gather(*calls, return_exceptions=True)
    assert answers[0] == 0
    assert isinstance(answers[1], RuntimeError)
    assert answers[2] == 2


async def test_more_blocking_tools_than_a_pool_has_threads_run_at_once(executor: ActaeToolExecutor) -> None:
    """A blocking tool never waits for another one to end while its lease runs."""
    count = 40
    all_run = threading.Barrier(count)
    calls = [executor.execute(f"k{n}", "t", {}, lambda: all_run.wait(20)) for n in range(count)]
    assert sorted(await asyncio.gather(*calls)) == list(range(count))
