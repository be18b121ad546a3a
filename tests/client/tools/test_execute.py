"""A tool runs once per key; what it returned is returned again."""

from __future__ import annotations

import asyncio
import functools
import threading
from contextvars import ContextVar

import pytest

from actae_client.client import ActaeClient, SyncActaeClient
from actae_client.errors import IdempotencyKeyMismatchError
from actae_client.tools import ActaeToolExecutor, ToolExecutionInProgressError, current_operation
from tests.support.waiting import until_async


class Charge:
    """A tool that counts its runs."""

    def __init__(self, result: object = "paid") -> None:
        self.runs = 0
        self.result = result

    def __call__(self) -> object:
        self.runs += 1
        return self.result

    async def later(self) -> object:
        """The same, as a coroutine function."""
        await asyncio.sleep(0)
        return self()


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


async def test_a_tool_knows_its_operation(executor: ActaeToolExecutor) -> None:
    """In a thread and on the loop, and the key for the provider is the same at each attempt."""
    seen = []

    async def tool() -> str:
        seen.append(current_operation())
        if len(seen) == 1:
            raise RuntimeError("try again")
        return "done"

    def in_a_thread() -> object:
        return tool()

    with pytest.raises(RuntimeError):
        await executor.execute("k", "charge", {}, in_a_thread)
    await executor.execute("k", "charge", {}, tool)
    first, second = seen
    assert (first.channel_id, first.key_name, first.tool_name) == (executor.channel_id, "k", "charge")
    assert (first.attempt, second.attempt) == (1, 2)
    assert first.execution_id == second.execution_id
    assert first.idempotency_key == second.idempotency_key


def test_outside_of_a_tool_there_is_no_operation() -> None:
    """`current_operation` says so rather than answer with the last one."""
    with pytest.raises(RuntimeError, match="inside a tool"):
        current_operation()


async def test_a_tool_sees_the_callers_context(executor: ActaeToolExecutor) -> None:
    """Context variables reach threads and coroutines alike, also through nested effects."""
    place: ContextVar[str] = ContextVar("place")
    place.set("here")

    def inner() -> str:
        return place.get()

    def outer() -> str:
        return executor.execute_sync("inner", "t", {}, inner)

    assert await executor.execute("outer", "t", {}, outer) == "here"


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (("", "t", {}), {}),
        (("k", "", {}), {}),
        (("k", "t", {}), {"lease_seconds": 0}),
        (("k", "t", {}), {"lease_seconds": 86_401}),
        (("k", "t", {}), {"lease_seconds": True}),
        (("k", "t", {}), {"heartbeat_interval": 60, "lease_seconds": 60}),
        (("k", "t", {}), {"on_cancel": "perhaps"}),
        (("k", "t", {}), {"wait_seconds": -1}),
        (("k", "t", {"x": float("nan")}), {}),
        (("k", "t", {"x": b"bytes"}), {}),
        (("k", "t", {"x": {1: "int key"}}), {}),
    ],
)
async def test_bad_arguments_claim_nothing(
    executor: ActaeToolExecutor, client: ActaeClient, arguments: tuple, options: dict
) -> None:
    """They are refused before the first request is sent."""
    charge = Charge()
    with pytest.raises((TypeError, ValueError)):
        await executor.execute(*arguments, charge, **options)
    claim = await client.claim_execution(executor.channel_id, "k", "t", {})
    assert (claim.status, charge.runs) == ("claimed", 0)


async def test_the_place_of_a_bad_argument_is_named(executor: ActaeToolExecutor) -> None:
    """Nobody has to search a large argument for the one value that is not JSON."""
    with pytest.raises(TypeError, match=r"params\.orders\[1\]\.paid_by"):
        await executor.execute("k", "t", {"orders": [{}, {"paid_by": object()}]}, Charge())


async def test_arguments_changed_after_the_call_do_not_reach_the_ledger(
    executor: ActaeToolExecutor, client: ActaeClient
) -> None:
    """The parameters are those of the moment of the call."""
    params = {"cents": 100}
    call = executor.execute("k", "t", params, Charge())
    running = asyncio.ensure_future(call)
    await asyncio.sleep(0)
    params["cents"] = 999
    await running
    claim = await client.claim_execution(executor.channel_id, "k", "t", {"cents": 100})
    assert claim.status == "replayed"


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
