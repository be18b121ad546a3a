"""A facade on the real server, and an agent whose effects can be undone."""

from collections.abc import AsyncIterator

import pytest

from actae_client.client import ActaeClient
from actae_client.runtime import Actae
from tests.support.server import RunningServer


@pytest.fixture
async def client(server: RunningServer) -> AsyncIterator[ActaeClient]:
    """A client of the session's server."""
    async with ActaeClient(api_key=server.api_key, endpoint=server.url) as client:
        yield client


@pytest.fixture
def actae(client: ActaeClient) -> Actae:
    """A facade over the client."""
    return Actae(client)
