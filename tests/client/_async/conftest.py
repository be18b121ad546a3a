"""The asyncio client, against a scripted server."""

from collections.abc import AsyncIterator

import pytest

from actae_client import ActaeClient, RetryPolicy
from tests.client.support.scripted_server import ScriptedServer
from tests.support.server import RunningServer

AT_ONCE = RetryPolicy(attempts=4, base_seconds=0, cap_seconds=0)
AT_ONCE_FOR_LONG = RetryPolicy(attempts=9, base_seconds=0, cap_seconds=0)


@pytest.fixture
async def client(scripted: ScriptedServer) -> AsyncIterator[ActaeClient]:
    """A client that repeats without waiting, and gives up a try after two seconds."""
    async with ActaeClient(
        api_key="sk-test",
        endpoint=scripted.url,
        timeout=2.0,
        retry=AT_ONCE,
        completion_retry=AT_ONCE_FOR_LONG,
    ) as client:
        yield client


@pytest.fixture
async def actae(server: RunningServer) -> AsyncIterator[ActaeClient]:
    """A client of a real server."""
    async with ActaeClient(api_key=server.api_key, endpoint=server.url) as client:
        yield client
