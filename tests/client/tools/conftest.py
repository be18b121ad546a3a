"""An executor on the real server."""

from collections.abc import AsyncIterator, Iterator

import pytest

from actae_client.client import ActaeClient, SyncActaeClient
from actae_client.tools import ActaeToolExecutor
from tests.support.server import RunningServer


@pytest.fixture
async def client(server: RunningServer) -> AsyncIterator[ActaeClient]:
    """A client of the session's server."""
    async with ActaeClient(api_key=server.api_key, endpoint=server.url) as client:
        yield client


@pytest.fixture
def blocking_client(server: RunningServer) -> Iterator[SyncActaeClient]:
    """A client of the session's server that blocks."""
    with SyncActaeClient(api_key=server.api_key, endpoint=server.url) as client:
        yield client


@pytest.fixture
def executor(client: ActaeClient, channel: str) -> ActaeToolExecutor:
    """An executor on a channel of this test's own."""
    return ActaeToolExecutor(client, channel)
