"""A server that stops: everybody is told, and what was accepted is stored."""

import asyncio
from collections.abc import Callable

from tests.support.crowd import crowd_at
from tests.support.live import connected, let_in, record
from tests.support.server import RunningServer, new_channel
from tests.transport.live.test_slow_readers import HALF_A_MEGABYTE, idle_reader

Start = Callable[..., RunningServer]


async def test_everybody_is_told_that_the_server_goes_away(start_server: Start, channel: str) -> None:
    """Readers, publishers, and who has only just come; then the server ends cleanly."""
    server = start_server()
    connections = [await let_in(server) for _ in range(30)]
    for connection in connections[:20]:
        await connection.subscribe(channel, 0)
    for connection in connections[10:]:
        await connection.publish(channel)
    stopping = asyncio.create_task(asyncio.to_thread(server.stop))
    assert [await connection.until_closed() for connection in connections] == [1001] * 30
    assert await stopping == 0


async def test_publishes_that_were_accepted_are_stored(start_server: Start) -> None:
    """Each one that the server has read, acknowledged or not; nothing twice, and nothing out of order."""
    server, other = start_server(), start_server()
    channels = [new_channel() for _ in range(10)]
    publishers = [await let_in(server) for _ in channels]
    for publisher, channel in zip(publishers, channels, strict=True):
        answers = [await publisher.begin_to_publish(channel, n, operation_id=f"op-{n}") for n in range(40)]
        await asyncio.wait(answers, return_when=asyncio.FIRST_COMPLETED)
        for answer in answers:
            answer.add_done_callback(lambda done: done.exception())
    assert await asyncio.to_thread(server.stop) == 0
    async with crowd_at(other) as crowd, connected(other) as again:
        for publisher, channel in zip(publishers, channels, strict=True):
            assert await publisher.until_closed() == 1001
            acknowledged = [fields["payload"] for tag, fields in publisher.frames if tag == "Ack"]
            stored = (await crowd.get(f"/events/replay/{channel}?limit=1000")).body["events"]
            payloads = [event["payload"] for event in stored]
            assert payloads == list(range(len(payloads)))
            assert payloads[: len(acknowledged)] == acknowledged
            for number in range(40):  # whoever was not answered repeats
                await again.publish(channel, number, operation_id=f"op-{number}")
            stored = (await crowd.get(f"/events/replay/{channel}?limit=1000")).body["events"]
            assert [event["payload"] for event in stored] == list(range(40))


async def test_who_reads_nothing_does_not_keep_a_server_up(start_server: Start, channel: str) -> None:
    """It has a moment to take the last word, and no more."""
    server = start_server(environment={"ACTAE_STREAM_STALL_SECONDS": "3600"})
    async with crowd_at(server) as crowd, idle_reader(server, channel) as idle:
        await record(crowd, channel, 40, payload=HALF_A_MEGABYTE)
        assert await asyncio.to_thread(server.stop, 20) == 0
        idle.transport.abort()
