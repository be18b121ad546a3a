"""A facade on the real server."""

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from actae_client.client import ActaeClient
from actae_client.runtime import Actae
from tests.support.server import RunningServer

Types = Callable[[str], Awaitable[list[str]]]


@pytest.fixture
async def client(server: RunningServer) -> AsyncIterator[ActaeClient]:
    """A client of the session's server."""
    async with ActaeClient(api_key=server.api_key, endpoint=server.url) as client:
        yield client


@pytest.fixture
def actae(client: ActaeClient) -> Actae:
    """A facade over the client."""
    return Actae(client)


@pytest.fixture
def types(client: ActaeClient) -> Types:
    """Reads the types of a channel's events, in order."""

    async def read(channel_id: str) -> list[str]:
        return [event.event_type for event in await client.replay(channel_id)]

    return read
