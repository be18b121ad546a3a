"""The line is cut a hundred times, and every event arrives once and in order."""

import asyncio
from collections.abc import Callable
from itertools import islice

import pytest

from actae_client import ActaeClient, SyncActaeClient
from tests.support.cut_writer import CutWriter
from tests.support.cutting_proxy import CuttingProxy
from tests.support.server import RunningServer

pytestmark = [pytest.mark.usefixtures("impatient"), pytest.mark.timeout(240)]

CUTS, EVENTS = 100, 2000
ALL = list(range(1, EVENTS + 1))


@pytest.fixture
def pair(start_server: Callable[..., RunningServer]) -> tuple[RunningServer, RunningServer]:
    """Two server processes on one database: one to write through, one to read from."""
    return start_server(), start_server()


async def test_a_stream_goes_on_through_all_cuts(
    pair: tuple[RunningServer, RunningServer], channel: str
) -> None:
    """Calls are cut as well: pages of the log do not arrive either."""
    there, here = pair
    with CuttingProxy(here.url, seed=1, bytes_max=6000, calls_too=True) as proxy:
        writer = CutWriter(there, channel, proxy, cuts=CUTS)
        async with ActaeClient(api_key=here.api_key, endpoint=proxy.url) as client:
            stream = client.stream(channel, 0)
            writer.start()
            got = [(await anext(stream)).cursor for _ in ALL]
            await asyncio.to_thread(writer.finish)  # The last cut needs a line.
    assert got == ALL


async def test_callbacks_are_called_through_all_cuts(
    pair: tuple[RunningServer, RunningServer], channel: str
) -> None:
    """From when the subscription was confirmed, though the channel was empty then."""
    there, here = pair
    got: list[int] = []
    with CuttingProxy(here.url, seed=2, bytes_max=6000) as proxy:
        writer = CutWriter(there, channel, proxy, cuts=CUTS)
        done = asyncio.Event()
        async with ActaeClient(api_key=here.api_key, endpoint=proxy.url) as client:
            client.on_message(lambda _, event: got.append(event.cursor))
            client.on_message(lambda _, event: done.set() if event.cursor == EVENTS else None)
            await client.subscribe(channel)
            writer.start()
            await done.wait()
            await asyncio.to_thread(writer.finish)
    assert got == ALL


@pytest.mark.parametrize("bytes_max", [6000, 60_000])
def test_a_blocking_stream_goes_on_through_all_cuts(
    pair: tuple[RunningServer, RunningServer], channel: str, bytes_max: int
) -> None:
    """In the middle of a message, of a character, of the reply's head."""
    there, here = pair
    with CuttingProxy(here.url, seed=3, bytes_max=bytes_max, calls_too=True) as proxy:
        writer = CutWriter(there, channel, proxy, cuts=CUTS)
        with SyncActaeClient(api_key=here.api_key, endpoint=proxy.url) as client:
            stream = client.stream(channel, 0)
            writer.start()
            got = [event.cursor for event in islice(stream, EVENTS)]
            writer.finish()
    assert got == ALL
