"""A generator has done nothing yet, so it is not taken for a result."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from actae_client.client import ActaeClient
from actae_client.tools import ActaeToolExecutor

BODIES: list[str] = []
"""Whose body has run. None of them does."""


def some() -> Iterator[str]:
    """A generator, by mistake."""
    BODIES.append("some")
    yield "sent"


async def more() -> AsyncIterator[str]:
    """An async one."""
    BODIES.append("more")
    yield "sent"


class Sending:
    """An object whose call gives a generator."""

    def __call__(self) -> Iterator[str]:
        BODIES.append("object")
        yield "sent"


async def later() -> Iterator[str]:
    """A coroutine function that returns a generator."""
    return some()


async def status_of(client: ActaeClient, executor: ActaeToolExecutor) -> list[str]:
    """The status of each operation on the executor's channel."""
    return [execution.status for execution in await client.list_executions(executor.channel_id)]


@pytest.mark.parametrize("invoke", [some, more, Sending(), functools.partial(Sending())])
async def test_a_generator_function_claims_nothing(
    executor: ActaeToolExecutor, client: ActaeClient, invoke: Any
) -> None:
    """What it is shows before anything is sent."""
    with pytest.raises(TypeError, match="is a generator: calling it does nothing yet"):
        await executor.execute("mail", "send_mail", {}, invoke)
    assert (await status_of(client, executor), BODIES) == ([], [])


@pytest.mark.parametrize("form", [lambda: some(), lambda: more(), later], ids=["sync", "async", "awaited"])
@pytest.mark.parametrize(
    ("options", "status"), [({}, "failed"), ({"on_lapse": "ambiguous"}, "ambiguous")], ids=["", "ambiguous"]
)
async def test_a_tool_that_returns_a_generator_has_no_result(
    executor: ActaeToolExecutor, client: ActaeClient, form: Any, options: Any, status: str
) -> None:
    """The key is handed out again, unless the terms ask what may have run before."""
    with pytest.raises(TypeError, match=r"^(some|more) is a generator: calling it does nothing yet"):
        await executor.execute("mail", "send_mail", {}, form, **options)
    assert (await status_of(client, executor), BODIES) == ([status], [])


def test_a_caller_without_an_event_loop_is_told_the_same(executor: ActaeToolExecutor) -> None:
    """Whether the tool is awaited in its thread or not."""
    for key, invoke in (("a", lambda: some()), ("b", later)):
        with pytest.raises(TypeError, match="some is a generator"):
            executor.execute_sync(key, "send_mail", {}, invoke)
    assert BODIES == []


async def test_a_generator_that_was_begun_is_closed(executor: ActaeToolExecutor) -> None:
    """What it holds is let go."""
    closed: list[bool] = []
    held: list[Iterator[int]] = []

    def rows() -> Iterator[int]:
        try:
            yield 1
        finally:
            closed.append(True)

    def begun() -> Iterator[int]:
        found = rows()
        next(found)
        held.append(found)  # Nobody else closes it.
        return found

    with pytest.raises(TypeError, match="rows is a generator"):
        await executor.execute("k", "t", {}, begun)
    assert closed == [True]
