"""Readers of one server hear what others write: by hints, by the poll behind them, or by both."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager

import asyncpg

from tests.support.crowd import crowd_at
from tests.support.live import Connection, connected, record
from tests.support.server import RunningServer, new_channel
from tests.support.silence import mute
from tests.support.waiting import until_true

Start = Callable[..., RunningServer]

ONLY_HINTS = {"ACTAE_STREAM_POLL_SECONDS": "3600"}
OFTEN_POLLED = {"ACTAE_STREAM_POLL_SECONDS": "0.1"}

_LINES = """
select pid from pg_stat_activity
 where application_name = 'actae hints' and datname = current_database()
"""


@asynccontextmanager
async def database(dsn: str) -> AsyncIterator[asyncpg.Connection]:
    """A session beside the servers."""
    connection = await asyncpg.connect(dsn)
    try:
        yield connection
    finally:
        await connection.close()


async def hear_everything(servers: list[RunningServer], *, events: int = 60) -> None:
    """Readers on all servers, writers on all servers, three channels: everybody hears everything once."""
    channels = [new_channel() for _ in range(3)]
    async with AsyncExitStack() as open_:
        crowds = [await open_.enter_async_context(crowd_at(server)) for server in servers]
        readers: list[Connection] = []
        for server in servers:
            reader = await open_.enter_async_context(connected(server))
            readers.append(reader)
            for channel in channels:
                await reader.subscribe(channel, 0)

        async def write(number: int) -> None:
            for each in range(events):
                await record(crowds[(number + each) % len(crowds)], channels[number])

        await asyncio.gather(*(write(number) for number in range(len(channels))))
        for reader in readers:
            for channel in channels:
                assert await reader.until_heard(channel, events) == list(range(1, events + 1))


async def lines_of(session: asyncpg.Connection) -> list[int]:
    """The processes that hold the servers' lines for hints."""
    return [row["pid"] for row in await session.fetch(_LINES)]


async def test_a_hint_is_enough(start_server: Start, channel: str) -> None:
    """These servers never poll: what is heard was hinted at, or read because a hint said so."""
    servers = [start_server(environment=ONLY_HINTS) for _ in range(2)]
    async with crowd_at(servers[0]) as crowd, connected(servers[1]) as reader:
        await reader.subscribe(channel)
        # Whoever has a first reader says so at once; what was written before anybody knew is not hinted at.
        while not reader.cursors(channel):
            await record(crowd, channel)
            await asyncio.sleep(0.01)
    await hear_everything(servers)


async def test_without_any_hint_the_poll_finds_everything(start_server: Start, database_url: str) -> None:
    """Nothing is lost and nothing comes twice; it only comes a little later."""
    await mute(database_url)
    await hear_everything([start_server(environment=OFTEN_POLLED) for _ in range(2)])


async def test_lines_for_hints_that_are_cut_again_and_again(start_server: Start, database_url: str) -> None:
    """What was missed meanwhile is polled; no line is left over in the end, and hints are heard again."""
    servers = [start_server(environment=OFTEN_POLLED) for _ in range(2)]
    async with database(database_url) as session:
        killed: set[int] = set()

        async def kill() -> None:
            while True:
                for pid in await lines_of(session):
                    await session.execute("select pg_terminate_backend($1)", pid)
                    killed.add(pid)
                await asyncio.sleep(0.02)

        killing = asyncio.create_task(kill())
        try:
            await hear_everything(servers)
        finally:
            killing.cancel()
            await asyncio.gather(killing, return_exceptions=True)
        assert len(killed) > len(servers)

        async def each_has_one() -> bool:
            return len(await lines_of(session)) == len(servers)

        await until_true(each_has_one)
        await hear_everything(servers, events=5)
        assert await each_has_one()
        for server in servers:
            metrics = await asyncio.to_thread(server.request, "GET", "/metrics", api_key=None)
            assert b"actae_hints_lost_total 0.0" not in metrics.body
            assert b"actae_tail_failures_total 0.0" in metrics.body
