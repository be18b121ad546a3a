"""A server is killed with a thousand readers on it; all of them go on elsewhere, where they had been."""

import asyncio
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress

import aiohttp
import pytest

from tests.support.crowd import Crowd, crowd_at
from tests.support.live import Connection, let_in, record
from tests.support.server import RunningServer, new_channel
from tests.support.waiting import until_async

READERS, CHANNELS, EVENTS = 1_000, 10, 30


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_a_thousand_readers_of_a_killed_server_miss_nothing(
    start_server: Callable[..., RunningServer],
) -> None:
    """Each one keeps what it has heard, and comes back with its last cursor."""
    doomed, other = start_server(), start_server()
    channels = [new_channel() for _ in range(CHANNELS)]
    heard: dict[Connection, list[int]] = {}
    topic_of = {}
    for number, reader in enumerate(await let_many_in(doomed, READERS)):
        topic_of[reader] = channels[number % CHANNELS]
    await asyncio.gather(*(reader.subscribe(topic, 0) for reader, topic in topic_of.items()))

    async with crowd_at(doomed) as there, crowd_at(other) as here:
        writing = asyncio.gather(*(_write(there, here, channel) for channel in channels))
        await until_async(lambda: all(reader.heard[topic] for reader, topic in topic_of.items()), seconds=100)
        doomed.kill()
        for reader, topic in topic_of.items():
            await reader.until_closed()
            heard[reader] = reader.cursors(topic)
        heads = dict(zip(channels, await writing, strict=True))

        seen: dict[str, list[list[int]]] = defaultdict(list)
        back = dict(zip(topic_of.items(), await let_many_in(other, READERS), strict=True))
        await asyncio.gather(
            *(again.subscribe(topic, heard[reader][-1]) for (reader, topic), again in back.items())
        )
        for channel in channels:
            heads[channel] = await record(here, channel)
        for (reader, topic), again in back.items():
            seen[topic].append(heard[reader] + await again.until_heard(topic, heads[topic]))
        for channel in channels:
            assert len(seen[channel]) == READERS // CHANNELS
            assert all(each == list(range(1, heads[channel] + 1)) for each in seen[channel])
        await asyncio.gather(*(again.close() for again in back.values()))


async def let_many_in(server: RunningServer, count: int) -> list[Connection]:
    """So many connections, a few at a time."""
    few = asyncio.Semaphore(20)

    async def one() -> Connection:
        async with few:
            return await let_in(server, ping_interval=None)

    return await asyncio.gather(*(one() for _ in range(count)))


async def _write(there: Crowd, here: Crowd, channel: str) -> int:
    """Through both servers while there are two; how many there are in the end, for certain."""
    for number in range(EVENTS):
        with suppress(aiohttp.ClientError, OSError):
            await record(there if number % 2 else here, channel)
    return await record(here, channel)
