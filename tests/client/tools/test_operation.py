"""What a running tool knows."""

from __future__ import annotations

from contextvars import ContextVar

import pytest

from actae_client.tools import ActaeToolExecutor, current_operation


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
