"""What the client's tests start from."""

from collections.abc import Iterator

import pytest

from tests.client.support.scripted_server import ScriptedServer


@pytest.fixture
def scripted() -> Iterator[ScriptedServer]:
    """A real HTTP server that does what the test tells it."""
    with ScriptedServer().running() as server:
        yield server
