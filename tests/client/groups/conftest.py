"""What the tests of groups start from, where only asyncio has it."""

from collections.abc import AsyncIterator

import pytest

from actae_client import ActaeClient
from tests.support.server import RunningServer


@pytest.fixture
async def actae(server: RunningServer) -> AsyncIterator[ActaeClient]:
    """A client of the session's server."""
    async with ActaeClient(api_key=server.api_key, endpoint=server.url) as client:
        yield client
