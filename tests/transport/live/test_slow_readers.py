"""Who does not read is dropped, costs little while it stays, and misses nothing when it comes back."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.frames import Frame, Opcode

from tests.support.crowd import crowd_at
from tests.support.live import FRAME_BYTES_MAX, Connection, address, connected, record
from tests.support.server import RunningServer
from tests.support.waiting import until_async, until_true

Start = Callable[..., RunningServer]

IMPATIENT = {"ACTAE_STREAM_STALL_SECONDS": "2"}
MIB = 2**20
HALF_A_MEGABYTE = "x" * 500_000


def resident(server: RunningServer) -> int:
    """The memory of the server's process, in bytes."""
    return int(Path(f"/proc/{server.process.pid}/statm").read_text().split()[1]) * 4096


async def figures(server: RunningServer) -> dict[str, Any]:
    """What the server counts of its live connections."""
    reply = await asyncio.to_thread(server.request, "GET", "/metrics.json", api_key=None)
    live: dict[str, Any] = reply.body["websocket"]
    return live


@asynccontextmanager
async def idle_reader(server: RunningServer, topic: str) -> AsyncIterator[ClientConnection]:
    """A connection that subscribes and reads nothing more."""
    async with connect(
        address(server), max_size=FRAME_BYTES_MAX, compression=None, max_queue=1, ping_interval=None
    ) as socket:
        await socket.send(f'{{"type": "auth", "api_key": "{server.api_key}"}}')
        await socket.send(f'{{"type": "subscribe", "topic": "{topic}", "cursor": 0}}')
        for _ in range(3):  # connected, authenticated, subscribed
            await socket.recv()
        yield socket


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_who_never_reads_is_dropped_and_costs_no_memory(start_server: Start, channel: str) -> None:
    """While 200 MB are written; the neighbour on the same channel hears everything at once."""
    server = start_server(environment=IMPATIENT)
    async with crowd_at(server) as crowd, connected(server) as near, idle_reader(server, channel) as idle:
        await near.subscribe(channel, 0)
        await record(crowd, channel, 3, payload=HALF_A_MEGABYTE)
        before, most = resident(server), 0
        dropping = asyncio.create_task(read_once_dropped(server, idle))
        for _ in range(100):
            head = await record(crowd, channel, 4, payload=HALF_A_MEGABYTE)
            # It is told before the next ones are written: nobody waits for the one that does not read.
            await near.until_heard(channel, head)
            most = max(most, resident(server) - before)
        assert near.cursors(channel) == list(range(1, head + 1))
        assert most < 130 * MIB, f"{most / MIB:.0f} MiB for 200 MB that one reader did not take"

        late = await dropping
        assert late.code == 1013
        heard = late.cursors(channel)
        assert heard == list(range(1, len(heard) + 1))
        assert len(heard) < head
        await near.subscribe(channel, heard[-1])
        assert await near.until_heard(channel, head) == list(range(heard[-1] + 1, head + 1))


async def read_once_dropped(server: RunningServer, idle: ClientConnection) -> Connection:
    """Whatever was left for a reader that has been dropped: it begins to read when that has happened."""

    async def is_dropped() -> bool:
        return bool((await figures(server))["connections"] == 1)

    await until_true(is_dropped)
    late = Connection(idle)
    await late.until_closed()
    return late


async def test_who_stands_still_is_counted(start_server: Start, channel: str) -> None:
    """Subscribers, how far they are behind, and who takes nothing; all of it is over when they go."""
    server = start_server(environment={"ACTAE_STREAM_STALL_SECONDS": "60"})
    async with crowd_at(server) as crowd, idle_reader(server, channel) as idle:
        async with connected(server) as reader:
            await reader.subscribe(channel)
            await reader.subscribe(f"{channel}.other")
            await record(crowd, channel, 40, payload=HALF_A_MEGABYTE)
            await reader.until_heard(channel, 40)

            async def is_stalled() -> bool:
                return bool((await figures(server))["back_pressure"]["slow_consumers"] == 1)

            await until_true(is_stalled)
            found = await figures(server)
            assert (found["connections"], found["topics"]) == (2, 2)
            assert found["back_pressure"]["total_consumers"] == 3
            assert 0 < found["back_pressure"]["total_queued_messages"] < 40
        late = Connection(idle)
        assert await late.until_heard(channel, 40) == list(range(1, 41))
        found = await figures(server)
        assert found["back_pressure"] == {
            "total_consumers": 1,
            "slow_consumers": 0,
            "total_queued_messages": 0,
        }
        await late.close()

    async def all_gone() -> bool:
        found = await figures(server)
        return bool(found["connections"] == found["topics"] == found["back_pressure"]["total_consumers"] == 0)

    await until_true(all_gone)


async def test_who_reads_slowly_hears_everything(start_server: Start, channel: str) -> None:
    """Slower than it is written for a while, and with more patience than a stall takes."""
    server = start_server(environment={"ACTAE_STREAM_STALL_SECONDS": "1"})
    async with crowd_at(server) as crowd, idle_reader(server, channel) as slow:
        await record(crowd, channel, 60, payload="x" * 200_000)
        cursors: list[str] = []
        for _ in range(60):
            frame = str(await slow.recv())
            cursors.append(frame[frame.index('"cursor"') :].split(",")[0])
            await asyncio.sleep(0.05)  # the slowness that is tested
        assert cursors == [f'"cursor":{cursor}' for cursor in range(1, 61)]


@pytest.mark.timeout(200)
async def test_who_asks_and_never_listens_costs_no_memory(start_server: Start, channel: str) -> None:
    """A flood of pings from a client that reads no pong is answered as far as it reads."""
    server = start_server(environment={"ACTAE_STREAM_STALL_SECONDS": "60"})
    async with crowd_at(server) as crowd, idle_reader(server, channel) as idle:
        await record(crowd, channel, 6, payload=HALF_A_MEGABYTE)  # so that the connection is full
        before = resident(server)
        pings = Frame(Opcode.PING, b"p" * 125).serialize(mask=True) * 1_000
        for _ in range(150):
            idle.transport.write(pings)
            await until_async(lambda: not idle.transport.get_write_buffer_size())
        assert (await figures(server))["connections"] == 1
        grown = resident(server) - before
        assert grown < 8 * MIB, f"{grown / MIB:.0f} MiB for 18 MiB of pings"
        idle.transport.abort()
