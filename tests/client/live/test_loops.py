"""One client, several event loops: each has a WebSocket of its own."""

import asyncio
import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from actae_client import ActaeClient
from tests.support.server import RunningServer
from tests.support.waiting import until_async


@contextmanager
def running_loop() -> Iterator[asyncio.AbstractEventLoop]:
    """A loop in a thread."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield loop
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def test_one_loop_after_the_other(server: RunningServer, channel: str) -> None:
    """A loop that ends closes its WebSocket, also when nobody disconnects."""
    client = ActaeClient(api_key=server.api_key, endpoint=server.url)

    async def read(count: int) -> list[int]:
        stream = client.stream(channel, 0)
        await client.publish(channel, "hello")
        return [(await anext(stream)).cursor for _ in range(count)]

    for count in range(3):
        assert asyncio.run(read(count)) == list(range(1, count + 1))
    gc.collect()  # What was left open would warn now, and warnings are errors.


async def test_each_loop_has_its_own(server: RunningServer, channel: str) -> None:
    """What one publishes, the other hears; disconnecting ends both."""
    client = ActaeClient(api_key=server.api_key, endpoint=server.url)
    here = client.stream(channel, 0)
    heard: list[object] = []
    with running_loop() as elsewhere:

        async def there() -> None:
            await client.publish(channel, "from there")
            async for event in client.stream(channel, 1):
                heard.append(event.payload)  # noqa: PERF401 - each when it comes

        reading = asyncio.wrap_future(asyncio.run_coroutine_threadsafe(there(), elsewhere))
        assert (await anext(here)).payload == "from there"
        await client.publish(channel, "from here")
        await until_async(lambda: heard == ["from here"])
        await client.disconnect()
        assert [event async for event in here] == []
        await reading


async def test_a_stream_that_is_forgotten_elsewhere_is_closed_at_home(
    server: RunningServer, channel: str
) -> None:
    """The collector may run in any thread, also when the loop of the stream has ended."""
    client = ActaeClient(api_key=server.api_key, endpoint=server.url)
    streams = []

    async def open_one() -> None:
        streams.append(client.stream(channel))
        await streams[-1].__aenter__()

    await open_one()
    with running_loop() as elsewhere:
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(open_one(), elsewhere))
        await client.disconnect()
    await asyncio.to_thread(streams.clear)
    await client.disconnect()


def test_a_client_that_only_calls_opens_no_websocket(server: RunningServer, channel: str) -> None:
    """Nor does it pay for one."""

    async def call() -> None:
        async with ActaeClient(api_key=server.api_key, endpoint=server.url) as client:
            await client.record(channel, "note", 1, actor="a")
            assert client._links._links == {}

    asyncio.run(call())


@pytest.mark.parametrize("twice", [False, True])
async def test_disconnecting_is_harmless(server: RunningServer, twice: bool) -> None:
    """Without a connection, while one is being opened, and more than once."""
    client = ActaeClient(api_key=server.api_key, endpoint=server.url)
    await client.disconnect()
    connecting = asyncio.create_task(client.connect())
    await asyncio.sleep(0)
    await client.disconnect()
    await asyncio.gather(connecting, return_exceptions=True)
    for _ in range(1 + twice):
        await client.disconnect()
