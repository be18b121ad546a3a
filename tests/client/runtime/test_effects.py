"""Functions whose calls are side effects."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from actae_client.client import ActaeClient
from actae_client.errors import IdempotencyKeyMismatchError
from actae_client.runtime import Actae
from actae_client.tools import current_operation
from tests.support.waiting import until_async


async def test_an_effect_happens_once_per_key(actae: Actae, channel: str) -> None:
    """A second call with the same arguments gets the first result."""
    charged: list[int] = []

    @actae.effect("charge:{order}")
    async def charge(order: str, cents: int = 100) -> dict[str, Any]:
        charged.append(cents)
        return {"order": order, "number": len(charged)}

    async with actae.run("r", channel_id=channel):
        first = await charge("o-1")
        second = await charge(order="o-1", cents=100)
        other = await charge("o-2")
    assert first == second == {"order": "o-1", "number": 1}
    assert other["number"] == 2
    assert charged == [100, 100]


async def test_the_same_key_with_other_arguments_is_refused(actae: Actae, channel: str) -> None:
    """A template that leaves out what matters does not give the wrong answer."""

    @actae.effect("charge:{order}")
    async def charge(order: str, cents: int) -> str:
        return "paid"

    async with actae.run("r", channel_id=channel):
        await charge("o-1", 100)
        with pytest.raises(IdempotencyKeyMismatchError):
            await charge("o-1", 999)


def test_a_sync_function_blocks_and_runs_in_a_thread(actae: Actae, channel: str) -> None:
    """So that Ctrl-C does not tear it apart."""

    @actae.effect("charge")
    def charge() -> bool:
        return threading.current_thread() is threading.main_thread()

    with actae.run_sync("r", channel_id=channel):
        assert charge() is False


async def test_a_sync_effect_may_be_called_where_a_loop_runs(actae: Actae, channel: str) -> None:
    """It blocks the loop like any blocking call, and does not deadlock."""

    @actae.effect("charge")
    def charge() -> str:
        return "paid"

    async with actae.run("r", channel_id=channel):
        assert charge() == "paid"


async def test_methods_are_effects_without_their_object(
    actae: Actae, client: ActaeClient, channel: str
) -> None:
    """`self` is not a parameter, defaults are."""

    class Shop:
        @actae.effect("{order}", name="shop.charge")
        async def charge(self, order: str, *items: str, currency: str = "EUR") -> str:
            return "paid"

    async with actae.run("r", channel_id=channel):
        await Shop().charge("o-1", "book")
    (execution,) = await client.list_executions(channel)
    assert execution.tool_name == "shop.charge"
    assert execution.params == {"order": "o-1", "items": ["book"], "currency": "EUR"}


@pytest.mark.parametrize("named", [False, True])
async def test_a_function_may_ask_for_the_cancellation_event(
    actae: Actae, client: ActaeClient, channel: str, named: bool
) -> None:
    """It comes after the positional arguments, is no parameter, and is set when the call is cancelled."""
    seen: list[asyncio.Event] = []

    @actae.effect("charge:{cents}", pass_cancel_event=True, on_cancel="hold")
    async def charge(cents: int, cancelled: asyncio.Event) -> None:
        seen.append(cancelled)
        await asyncio.sleep(60)

    async with actae.run("r", channel_id=channel):
        call = charge(cents=100) if named else charge(100)  # type: ignore[call-arg]
        task = asyncio.create_task(call)
        await until_async(lambda: seen)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert seen[0].is_set()
    (execution,) = await client.list_executions(channel)
    assert (execution.params, execution.status) == ({"cents": 100}, "running")


async def test_a_thread_sees_the_cancellation_event(actae: Actae, channel: str) -> None:
    """Blocking code that looks at it can stop by itself; what it returns is recorded."""
    runs = threading.Event()

    @actae.effect("k", pass_cancel_event=True)
    def wait(*events: asyncio.Event) -> str:
        runs.set()
        while not events[0].is_set():
            threading.Event().wait(0.005)
        return "stopped"

    async with actae.run("r", channel_id=channel) as scope:
        told = asyncio.Event()
        tool = wait.__wrapped__  # type: ignore[attr-defined]
        call = scope.effect("k", "wait", {}, lambda: tool(told), cancellation_event=told)
        task = asyncio.create_task(call)
        await until_async(runs.is_set)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await scope.effect("k", "wait", {}, lambda: "again") == "stopped"


async def test_an_effect_knows_its_operation(actae: Actae, channel: str) -> None:
    """The provider gets the same key at each attempt."""
    keys: list[tuple[int, str]] = []

    @actae.effect("k")
    async def charge() -> str:
        operation = current_operation()
        keys.append((operation.attempt, operation.idempotency_key))
        if len(keys) == 1:
            raise ConnectionError("the provider hung up")
        return "paid"

    async with actae.run("r", channel_id=channel):
        with pytest.raises(ConnectionError):
            await charge()
        await charge()
    (first, key), (second, same) = keys
    assert (first, second) == (1, 2)
    assert key == same


async def test_effects_nest(actae: Actae, client: ActaeClient, channel: str) -> None:
    """An effect may be made of effects, in threads too."""

    @actae.effect("inner:{n}")
    def inner(n: int) -> int:
        return n * 2

    @actae.effect("outer")
    async def outer() -> list[int]:
        return [await asyncio.to_thread(inner, n) for n in (1, 2)]

    async with actae.run("r", channel_id=channel):
        assert await outer() == [2, 4]
    assert {e.key_name for e in await client.list_executions(channel)} == {"inner:1", "inner:2", "outer"}
