"""A server takes as many readers as the system lets it, not as many as it says at first."""

import http.client
from collections.abc import Callable
from contextlib import ExitStack, closing

from tests.support.server import RunningServer

FEW = 64

_WITH_FEW_OPEN_FILES = f"""
import resource, runpy
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, ({FEW}, hard))
runpy.run_module("actae", run_name="__main__", alter_sys=True)
"""


def test_a_low_soft_limit_does_not_limit_readers(start_server: Callable[..., RunningServer]) -> None:
    """Every reader is an open file."""
    server = start_server(command=("-c", _WITH_FEW_OPEN_FILES, "serve"))
    address = server.url.removeprefix("http://")
    with ExitStack() as open_streams:
        for number in range(2 * FEW):
            connection = open_streams.enter_context(closing(http.client.HTTPConnection(address, timeout=30)))
            headers = {"x-api-key": server.api_key}
            connection.request("GET", f"/api/v1/events/stream/run-{number}", headers=headers)
            reply = open_streams.enter_context(closing(connection.getresponse()))
            assert reply.status == 200
        assert server.record("run-1").status == 200
