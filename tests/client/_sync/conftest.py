"""The blocking client, against a scripted server."""

from collections.abc import Iterator

import pytest

from actae_client import RetryPolicy, SyncActaeClient
from tests.client.support.scripted_server import ScriptedServer
from tests.support.server import RunningServer

AT_ONCE = RetryPolicy(attempts=4, base_seconds=0, cap_seconds=0)
AT_ONCE_FOR_LONG = RetryPolicy(attempts=9, base_seconds=0, cap_seconds=0)


@pytest.fixture
def client(scripted: ScriptedServer) -> Iterator[SyncActaeClient]:
    """A client that repeats without waiting, and gives up a try after two seconds."""
    with SyncActaeClient(
        api_key="sk-test",
        endpoint=scripted.url,
        timeout=2.0,
        retry=AT_ONCE,
        completion_retry=AT_ONCE_FOR_LONG,
    ) as client:
        yield client


@pytest.fixture
def actae(server: RunningServer) -> Iterator[SyncActaeClient]:
    """A client of a real server."""
    with SyncActaeClient(api_key=server.api_key, endpoint=server.url) as client:
        yield client
