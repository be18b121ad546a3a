"""What the tests of the live half start from."""

from collections.abc import AsyncIterator, Callable

import pytest

from actae_client import ActaeClient, RetryPolicy
from actae_client.live import backoff
from tests.client.live.support.scripted_socket import ScriptedSocket, serving
from tests.support.server import RunningServer

Make = Callable[..., ActaeClient]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lost connections are opened again after milliseconds."""
    monkeypatch.setattr(backoff, "_FIRST_SECONDS", 0.002)
    monkeypatch.setattr(backoff, "_CAP_SECONDS", 0.02)


@pytest.fixture
async def actae(server: RunningServer) -> AsyncIterator[ActaeClient]:
    """A client of a real server."""
    async with ActaeClient(api_key=server.api_key, endpoint=server.url) as client:
        yield client


@pytest.fixture
async def scripted_socket() -> AsyncIterator[ScriptedSocket]:
    """A server whose WebSocket does what the test says."""
    async with serving() as scripted:
        yield scripted


@pytest.fixture
async def make_client(scripted_socket: ScriptedSocket) -> AsyncIterator[Make]:
    """Makes clients of that server."""
    made: list[ActaeClient] = []

    def make(**options: object) -> ActaeClient:
        at_once = RetryPolicy(base_seconds=0, cap_seconds=0)
        arguments = {"api_key": "sk-test", "endpoint": scripted_socket.url, "retry": at_once, **options}
        made.append(ActaeClient(**arguments))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for client in made:
        await client.disconnect()
