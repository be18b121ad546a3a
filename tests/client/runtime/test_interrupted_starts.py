"""What is interrupted while it says that it starts says how it ended, too."""

from __future__ import annotations

import asyncio
import signal
import threading
from typing import Any

import pytest

from actae_client.client import ActaeClient
from actae_client.runtime import Actae
from tests.client.runtime.conftest import Types


class Slow:
    """A client that holds one kind of event back, before it is sent or before its answer is passed on."""

    def __init__(self, client: ActaeClient, held: str, *, is_sent_first: bool = False) -> None:
        self.begun = asyncio.Event()
        self.let_go = asyncio.Event()
        self._client = client
        self._held = held
        self._is_sent_first = is_sent_first

    async def record(self, channel_id: str, event_type: str, *args: Any, **options: Any) -> Any:
        """Record an event, in its own time."""
        if not event_type.endswith(self._held):
            return await self._client.record(channel_id, event_type, *args, **options)
        if self._is_sent_first:
            event = await self._client.record(channel_id, event_type, *args, **options)
        self.begun.set()
        await self.let_go.wait()
        if not self._is_sent_first:
            event = await self._client.record(channel_id, event_type, *args, **options)
        return event


@pytest.mark.parametrize("is_sent_first", [False, True], ids=["on its way", "on its way back"])
@pytest.mark.parametrize("what", ["run", "tool"])
async def test_a_start_that_is_cancelled_has_an_end(
    client: ActaeClient, types: Types, channel: str, what: str, is_sent_first: bool
) -> None:
    """In this order, however long the start takes."""
    slow = Slow(client, f"{what}.started", is_sent_first=is_sent_first)
    actae = Actae(slow)

    @actae.tool
    async def look() -> None:
        pytest.fail("it was cancelled before")

    async def work() -> None:
        async with actae.run("r", channel_id=channel):
            await look()

    working = asyncio.create_task(work())
    await slow.begun.wait()
    working.cancel()
    await asyncio.sleep(0)
    slow.let_go.set()
    with pytest.raises(asyncio.CancelledError):
        await working
    tool = ["framework.tool.started", "framework.tool.cancelled"]
    around = ["framework.run.started", *(tool if what == "tool" else []), "framework.run.cancelled"]
    assert await types(channel) == around


class Interrupting:
    """A client during whose start Ctrl-C is pressed; the answer comes once the end is said."""

    def __init__(self, client: ActaeClient, held: str) -> None:
        self._client = client
        self._held = held
        self._is_ended = asyncio.Event()

    async def record(self, channel_id: str, event_type: str, *args: Any, **options: Any) -> Any:
        """Record an event."""
        event = await self._client.record(channel_id, event_type, *args, **options)
        if event_type.endswith(self._held):
            main = threading.main_thread().ident
            assert main is not None, "it runs"
            signal.pthread_kill(main, signal.SIGINT)
            await self._is_ended.wait()
        if event_type.endswith("cancelled"):
            self._is_ended.set()
        return event


@pytest.mark.parametrize("what", ["run", "tool"])
async def test_a_blocking_start_that_is_interrupted_has_an_end(
    client: ActaeClient, types: Types, channel: str, what: str
) -> None:
    """Ctrl-C is raised, and recorded."""
    actae = Actae(Interrupting(client, f"{what}.started"))

    @actae.tool
    def look() -> None:
        pytest.fail("it was interrupted before")

    def work() -> None:
        with actae.run_sync("r", channel_id=channel):
            look()

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
    finally:
        signal.signal(signal.SIGINT, before)
    assert (await types(channel))[-1] == "framework.run.cancelled"
    assert f"framework.{what}.cancelled" in await types(channel)
