"""Functions whose calls are runs, and read-only tools."""

from __future__ import annotations

import asyncio
import datetime as dt
from typing import Any

import pytest

from actae_client.client import ActaeClient
from actae_client.runtime import Actae
from tests.client.runtime.conftest import Types


async def test_a_call_of_an_observed_function_is_a_run(
    actae: Actae, client: ActaeClient, channel: str
) -> None:
    """Run id and attempt may come from its arguments."""

    @actae.observe(lambda order, attempt: order, attempt=lambda order, attempt: attempt, channel_id=channel)
    async def work(order: str, attempt: int) -> str:
        return actae.current().run_id

    assert await work("o-1", 3) == "o-1"
    started = (await client.replay(channel))[0].payload
    assert started["run_id"] == "o-1"
    assert started["data"]["attempt"] == 3


def test_a_sync_function_can_be_observed(actae: Actae, channel: str) -> None:
    """Its run is a blocking one."""

    @actae.observe("nightly", framework="etl", channel_id=channel)
    def work() -> str:
        return actae.current().framework

    assert work() == "etl"


async def test_a_read_only_call_is_noted_and_not_claimed(
    actae: Actae, client: ActaeClient, channel: str
) -> None:
    """Start and end carry one call id; the call runs each time."""
    runs = []

    @actae.tool(name="search")
    async def look(word: str, limit: int = 5) -> list[str]:
        runs.append(word)
        return [word] * 2

    async with actae.run("r", channel_id=channel):
        assert await look("a") == ["a", "a"]
        assert await look("a") == ["a", "a"]
    events = [e for e in await client.replay(channel) if "tool" in e.event_type]
    started, completed = (event.payload["data"] for event in events[:2])
    assert [event.event_type for event in events[:2]] == [
        "framework.tool.started",
        "framework.tool.completed",
    ]
    assert started["tool"] == "search"
    assert started["params"] == {"word": "a", "limit": 5}
    assert completed["result"] == ["a", "a"]
    assert completed["tool_call_id"] == started["tool_call_id"] != events[2].payload["data"]["tool_call_id"]
    assert await client.list_executions(channel) == []
    assert len(runs) == 2


def test_a_sync_tool_is_noted(actae: Actae, channel: str) -> None:
    """Without parentheses, under the function's name, in the calling thread."""

    @actae.tool
    def look(word: str) -> str:
        return word

    with actae.run_sync("r", channel_id=channel):
        assert look("a") == "a"


async def test_a_tool_may_keep_its_data_to_itself(actae: Actae, client: ActaeClient, channel: str) -> None:
    """With `capture=False` neither parameters nor result are recorded, and they need not be JSON."""

    @actae.tool(capture=False)
    async def look(word: object) -> object:
        return word

    async with actae.run("r", channel_id=channel):
        thing = object()
        assert await look(thing) is thing
    data = [e.payload["data"] for e in await client.replay(channel) if "tool" in e.event_type]
    assert all(set(item) == {"tool", "tool_call_id"} for item in data)


async def test_a_tool_that_fails_or_is_cancelled_says_so(
    actae: Actae, client: ActaeClient, channel: str
) -> None:
    """What it raised is raised."""

    @actae.tool
    async def look(error: str) -> None:
        raise {"failed": LookupError("nothing there"), "cancelled": asyncio.CancelledError()}[error]

    async with actae.run("r", channel_id=channel):
        with pytest.raises(LookupError):
            await look("failed")
        with pytest.raises(asyncio.CancelledError):
            await look("cancelled")
    data = {e.event_type: e.payload["data"] for e in await client.replay(channel)}
    assert data["framework.tool.failed"]["error"] == {"type": "LookupError", "message": "nothing there"}
    assert data["framework.tool.cancelled"]["cancellation"] == {"type": "CancelledError"}


async def test_a_captured_result_has_to_be_json(actae: Actae, types: Types, channel: str) -> None:
    """The event could not show it otherwise."""

    @actae.tool
    async def look() -> Any:
        return {"at": dt.date(2026, 1, 2)}

    async with actae.run("r", channel_id=channel):
        with pytest.raises(TypeError, match=r"result\.at"):
            await look()
    assert "framework.tool.failed" in await types(channel)
