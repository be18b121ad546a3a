"""`async for event in client.stream(…)`."""

import asyncio
import gc
from collections.abc import Callable

import pytest

from actae_client import ActaeClient, errors
from actae_client.live import sequence
from tests.client.live.conftest import Make
from tests.client.live.support.scripted_socket import ScriptedSocket, event
from tests.support.keys import make_key
from tests.support.server import RunningServer
from tests.support.waiting import until_async


async def cursors_of(stream: object, count: int) -> list[int]:
    """The next events."""
    return [(await anext(stream)).cursor for _ in range(count)]  # type: ignore[call-overload]


async def test_a_stream_begins_where_it_is_told(
    server: RunningServer, actae: ActaeClient, channel: str
) -> None:
    """After a cursor, 0 being before the first; at the end of what is; beyond it."""
    for n in range(5):
        server.record(channel, payload=n)
    async with actae.stream(channel) as from_now_on, actae.stream(channel, 7) as later:
        assert await cursors_of(actae.stream(channel, 0), 5) == [1, 2, 3, 4, 5]
        assert await cursors_of(actae.stream(channel, 3), 2) == [4, 5]
        for n in range(5):
            server.record(channel, payload=n)
        assert await cursors_of(from_now_on, 5) == [6, 7, 8, 9, 10]
        assert await cursors_of(later, 3) == [8, 9, 10]
        assert from_now_on.cursor == 10


async def test_events_come_whole(server: RunningServer, actae: ActaeClient, channel: str) -> None:
    """With everything that a replay shows, and whoever recorded them: ledger and forks too."""
    async with actae.stream(channel) as stream:
        await actae.record(
            channel, "note", {"n": 2**70}, actor="a", agent_id="g", user_id="u", metadata={"m": 1}
        )
        claim = await actae.claim_execution(channel, "key", "tool", {"a": 1})
        await actae.complete_execution(claim.execution.id, claim.claim_token, result=[1])
        live = [await anext(stream) for _ in range(3)]
    assert [each.event_type for each in live] == ["note", "tool.started", "tool.completed"]
    assert live == await actae.replay(channel)


async def test_large_events_come_whole_and_in_their_place(
    server: RunningServer, actae: ActaeClient, channel: str
) -> None:
    """Though no frame carries them; the small ones behind them wait."""
    large = "x" * 1_500_000
    async with actae.stream(channel) as stream:
        for payload in ("before", large, "between", large, "after"):
            assert server.record(channel, payload=payload).status == 200
        got = [(await anext(stream)).payload for _ in range(5)]
    assert got == ["before", large, "between", large, "after"]


async def test_a_reader_that_does_not_come_holds_little(
    server: RunningServer, actae: ActaeClient, channel: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest stays on the server until it is asked for; other readers and calls do not wait for it."""
    monkeypatch.setattr(sequence, "EVENTS_MAX", 50)
    async with actae.stream(channel) as slow, actae.stream(channel) as quick:
        for _ in range(10):
            await asyncio.gather(*(actae.record(channel, "note", "x" * 1000, actor="a") for _ in range(100)))
        assert await cursors_of(quick, 1000) == list(range(1, 1001))
        assert slow._feed is not None
        assert slow._feed._sequence is not None
        assert len(slow._feed._sequence._ahead) == 50
        await actae.publish(f"{channel}.b", "the connection is free")
        assert await cursors_of(slow, 1000) == list(range(1, 1001))


async def test_a_reader_may_publish_while_it_reads(
    server: RunningServer, actae: ActaeClient, channel: str
) -> None:
    """Between two events of its own stream, which must not wait for each other."""
    for n in range(3):
        server.record(channel, payload=n)
    stream = actae.stream(channel, 0)
    for _ in range(3):
        incoming = await anext(stream)
        await actae.publish(channel, {"seen": incoming.cursor})
    assert await actae.get_cursor(channel) == 6


async def test_breaking_off_lets_the_topic_go(scripted_socket: ScriptedSocket, make_client: Make) -> None:
    """With its last reader, whether it is closed, left or forgotten."""
    client = make_client()

    async def read_one(*, keep: bool) -> object:
        stream = client.stream("run-7", 0)
        async for _ in stream:
            break
        return stream if keep else None

    peer = None
    for keep in (True, False):
        reading = asyncio.create_task(read_one(keep=keep))
        peer = peer or await scripted_socket.next_client()
        await peer.confirm(0)
        await peer.tell(event(1))
        stream = await reading
        if keep:
            await stream.aclose()  # type: ignore[attr-defined]
        del reading, stream
        gc.collect()
        assert await peer.expect("unsubscribe") == {"type": "unsubscribe", "topic": "run-7"}


async def test_readers_of_a_topic_share_one_subscription(
    scripted_socket: ScriptedSocket, make_client: Make
) -> None:
    """Each has its own place. What one of them needs from before is read from the log."""
    scripted_socket.log = [event(cursor) for cursor in range(1, 4)]
    client = make_client()
    heard: list[int] = []
    client.on_message(lambda _, event: heard.append(event.cursor))
    entering = asyncio.create_task(client.stream("run-7").__aenter__())
    peer = await scripted_socket.next_client()
    await peer.confirm(3)
    live = await entering
    old = client.stream("run-7", 1)
    await client.subscribe("run-7", 2)
    assert await cursors_of(old, 2) == [2, 3]
    await peer.tell(event(4))
    assert await cursors_of(old, 1) == await cursors_of(live, 1) == [4]
    await until_async(lambda: heard == [3, 4])
    await live.aclose()
    await old.aclose()
    await client.unsubscribe("run-7")
    assert (await peer.hear())["type"] == "unsubscribe"


@pytest.mark.parametrize("how", ["disconnect", "close"])
async def test_a_stream_ends_cleanly(actae: ActaeClient, channel: str, how: str) -> None:
    """Whoever waits for the next event is told that there is none."""
    stream = actae.stream(channel)
    reading = asyncio.create_task(_all_of(stream))
    await until_async(lambda: stream.cursor is not None)
    await (actae.disconnect() if how == "disconnect" else stream.aclose())
    assert await reading == []
    assert await _all_of(stream) == []
    with pytest.raises(StopAsyncIteration):
        await anext(stream)


async def _all_of(stream: object) -> list[object]:
    return [each async for each in stream]  # type: ignore[attr-defined]


async def test_a_call_after_disconnecting_connects_again(
    server: RunningServer, actae: ActaeClient, channel: str
) -> None:
    """As it does over HTTP."""
    await actae.publish(channel, 1)
    await actae.disconnect()
    await actae.connect()
    assert (await actae.publish(channel, 2)).cursor == 2
    assert await cursors_of(actae.stream(channel, 0), 2) == [1, 2]


async def test_cancelling_a_read_loses_nothing(
    server: RunningServer, actae: ActaeClient, channel: str
) -> None:
    """A reader may wait for so long and no longer, as often as it likes."""
    stream = actae.stream(channel, 0)
    for n in range(1, 6):
        for _ in range(3):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(anext(stream), 0.02)
        server.record(channel, payload=n)
        assert await cursors_of(stream, 1) == [n]


async def test_a_channel_that_may_not_be_read_is_refused_at_once(server: RunningServer, channel: str) -> None:
    """Over the WebSocket, with the class that HTTP has for it; the connection serves other topics."""
    key = await asyncio.to_thread(make_key, server, read=(f"{channel}.mine",))
    async with ActaeClient(api_key=key, endpoint=server.url) as client:
        for call in (anext(client.stream(channel)), client.subscribe(channel)):
            with pytest.raises(errors.PermissionDeniedError):
                await call
        with pytest.raises(errors.PermissionDeniedError):
            await client.publish(f"{channel}.mine", 1)
        async with client.stream(f"{channel}.mine") as stream:
            server.record(f"{channel}.mine", payload=1)
            assert (await anext(stream)).payload == 1


async def test_a_channel_that_is_deleted_ends_in_silence(
    server: RunningServer, actae: ActaeClient, channel: str
) -> None:
    """It takes no more events, so none come; what was recorded before can still be read."""
    server.record(channel, payload=1)
    stream = actae.stream(channel, 0)
    assert await cursors_of(stream, 1) == [1]
    await actae.delete_channel(channel)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(anext(stream), 0.3)


async def test_a_stream_survives_its_server(start_server: Callable[..., RunningServer], channel: str) -> None:
    """Killed in mid-stream, started again; what another server wrote meanwhile comes too."""
    doomed, other = start_server(), start_server()
    port = int(doomed.url.rpartition(":")[2])
    async with ActaeClient(api_key=doomed.api_key, endpoint=doomed.url) as client:
        lost = asyncio.Event()
        client.on_disconnected(lost.set)
        stream = client.stream(channel, 0)
        for n in range(10):
            other.record(channel, payload=n)
        assert await cursors_of(stream, 5) == [1, 2, 3, 4, 5]
        await asyncio.to_thread(doomed.kill)
        await lost.wait()
        for n in range(10):
            other.record(channel, payload=n)
        again = asyncio.create_task(asyncio.to_thread(start_server, port=port))
        opened_meanwhile = asyncio.create_task(cursors_of(client.stream(channel, 0), 20))
        published_meanwhile = asyncio.create_task(client.publish(f"{channel}.b", 1))
        assert await cursors_of(stream, 15) == list(range(6, 21))
        assert await opened_meanwhile == list(range(1, 21))
        assert (await published_meanwhile).cursor == 1
        server = await again
        server.record(channel, payload="after the restart")
        assert (await anext(stream)).payload == "after the restart"
