"""Groups that block, on a real server."""

from collections.abc import Iterator

import pytest

from actae_client import SyncActaeClient
from tests.support.server import RunningServer


@pytest.fixture
def actae(server: RunningServer) -> Iterator[SyncActaeClient]:
    """A client of the session's server."""
    with SyncActaeClient(api_key=server.api_key, endpoint=server.url) as client:
        yield client
