"""The server dies between an effect and its record."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from actae_client.client import ActaeClient
from actae_client.tools import ActaeToolExecutor
from tests.support.server import RunningServer


async def test_a_server_killed_after_the_effect_gets_its_record_when_it_is_back(
    start_server: Callable[..., RunningServer], channel: str
) -> None:
    """One charge, one record, although nobody answered when the tool returned."""
    server = start_server()
    charged = []

    def charge() -> str:
        charged.append(1)
        server.kill()
        return "paid"

    async with ActaeClient(api_key=server.api_key, endpoint=server.url) as client:
        executor = ActaeToolExecutor(client, channel)
        running = asyncio.create_task(executor.execute("k", "charge", {"cents": 100}, charge))
        await asyncio.to_thread(server.process.wait)
        port = int(server.url.rsplit(":", 1)[1])
        await asyncio.to_thread(start_server, server.database_url, port=port)
        assert await running == "paid"
        assert await executor.execute("k", "charge", {"cents": 100}, charge) == "paid"
        events = [event.event_type for event in await client.replay(channel)]
    assert charged == [1]
    assert events == ["tool.started", "tool.completed", "tool.replayed"]
