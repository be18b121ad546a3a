"""Events that clients could not take as a frame come as stubs, under the same cursor."""

import asyncio
import json
from typing import Any, NamedTuple

import pytest
from websockets.asyncio.client import connect

from actae.operations.tail.told import TOLD_BYTES_MAX
from tests.support.crowd import Crowd, crowd_at
from tests.support.event_stream import streaming
from tests.support.live import FRAME_BYTES_MAX, address, connected, record
from tests.support.server import RunningServer, new_channel
from tests.transport.live.conftest import Pair

MEGABYTE_AND_A_HALF = "x" * (3 * 2**19)


async def test_a_large_event_is_told_as_a_stub(pair: Pair, channel: str) -> None:
    """Live and from the log, here and there, over a WebSocket and as a server-sent event."""
    async with (
        crowd_at(pair.left) as crowd,
        connected(pair.left) as near,
        connected(pair.right) as far,
        streaming(pair.left, channel) as stream,
    ):
        for reader in (near, far):
            await reader.subscribe(channel)
        await record(crowd, channel, payload={"text": MEGABYTE_AND_A_HALF})
        await record(crowd, channel, payload="small")
        for reader in (near, far):
            assert await reader.until_heard(channel, 2) == [1, 2]
        await stream.until(2)
        async with connected(pair.right) as late, streaming(pair.right, channel, 0) as late_stream:
            await late.subscribe(channel, 0)
            await late.until_heard(channel, 2)
            await late_stream.until(2)
            websockets = [reader.heard[channel] for reader in (near, far, late)]
        told = [*websockets, stream.events, late_stream.events]
        for stub, small in told:
            assert stub["truncated"] is True
            assert stub["payload"] == {"truncated": True, "size_bytes": len(MEGABYTE_AND_A_HALF) + 12}
            assert stub["metadata"] is None
            assert "truncated" not in small
        assert told == [told[0]] * 5
        stored = (await crowd.get(f"/events/replay/{channel}?limit=1")).body["events"][0]
        stub = told[0][0]
        assert stored["payload"] == {"text": MEGABYTE_AND_A_HALF}
        assert {name: stub[name] for name in stored if name not in {"payload", "metadata"}} == {
            name: stored[name] for name in stored if name not in {"payload", "metadata"}
        }


class Names(NamedTuple):
    """Whose characters take more in JSON than they seem to."""

    event_type: str
    actor: str
    agent_id: str | None = None
    user_id: str | None = None
    metadata: dict[str, Any] | None = None

    @property
    def length(self) -> int:
        """Characters, each of which may become six bytes."""
        return sum(len(name or "") for name in self[:4])  # type: ignore[arg-type]


NAMES = [
    pytest.param(Names("note", "test"), id="short"),
    pytest.param(Names("é" * 256, "ключ" * 256, "𝛑" * 1024, "日本" * 512), id="multi-byte"),
    pytest.param(Names('"\\' * 128, "\u0001" * 1024, "\n" * 1024, "\x7f\u2028" * 512), id="escaped"),
    pytest.param(Names("note", "test", "a", "b", {"k": "v" * 5_000}), id="metadata"),
]


async def record_sized(crowd: Crowd, channel_id: str, names: Names, size: int) -> None:
    """An event whose payload and metadata have exactly so many bytes."""
    metadata = names.metadata
    taken = 0 if metadata is None else len(json.dumps(metadata))
    body = {
        "channel_id": channel_id,
        "event_type": names.event_type,
        "payload": "x" * (size - taken - 2),
        "metadata": {
            "actor": names.actor,
            "agent_id": names.agent_id,
            "user_id": names.user_id,
            "metadata": metadata,
        },
    }
    answer = await crowd.post("/events/record", body)
    assert answer.status == 200, answer


@pytest.mark.parametrize("names", NAMES)
async def test_the_limit_is_exact_and_no_frame_passes_what_clients_take(
    server: RunningServer, names: Names
) -> None:
    """On both sides of it, live as from the log. A frame's size is what the client's library measures."""
    channel = new_channel("x" * 240)
    largest = TOLD_BYTES_MAX - 6 * names.length
    socket = await connect(address(server), max_size=2**24, compression=None)
    async with crowd_at(server) as crowd, socket:
        await socket.send(json.dumps({"type": "auth", "api_key": server.api_key}))
        await socket.send(json.dumps({"type": "subscribe", "topic": channel}))
        live = [json.loads(await socket.recv()) for _ in range(3)]
        assert live[2]["Subscription"]["event"] == "subscribed"
        await record_sized(crowd, channel, names, largest)
        await record_sized(crowd, channel, names, largest + 1)
        frames = [str(await socket.recv()) for _ in range(2)]
        await socket.send(json.dumps({"type": "subscribe", "topic": channel, "cursor": 0}))
        await socket.recv()
        again = [str(await socket.recv()) for _ in range(2)]
    assert again == frames
    assert all(len(frame.encode()) < FRAME_BYTES_MAX for frame in frames)
    whole, stub = (json.loads(frame)["Broadcast"]["payload"]["event"] for frame in frames)
    assert ("truncated" in whole, stub["truncated"]) == (False, True)
    assert (whole["metadata"], stub["metadata"]) == (names.metadata, None)
    assert stub["payload"]["size_bytes"] == largest + 1
    for event in (whole, stub):
        assert (event["event_type"], event["actor"]) == (names.event_type, names.actor)
        assert (event["agent_id"], event["user_id"]) == (names.agent_id, names.user_id)


async def test_many_large_events_reach_a_reader_who_begins_late(server: RunningServer, channel: str) -> None:
    """What is too large for a reader does not leave the database for it: whole pages of stubs."""
    async with crowd_at(server) as crowd, connected(server) as reader:
        for _ in range(3):
            await asyncio.gather(*(record(crowd, channel, payload=MEGABYTE_AND_A_HALF) for _ in range(4)))
            await record(crowd, channel, 3, payload="small")
        await reader.subscribe(channel, 0)
        assert await reader.until_heard(channel, 21) == list(range(1, 22))
        assert sum("truncated" in event for event in reader.heard[channel]) == 12


async def test_a_large_publish_is_acknowledged_with_a_stub(server: RunningServer, channel: str) -> None:
    """The acknowledgement fits, the cursor is the event's, and the next one follows."""
    async with connected(server) as publisher, connected(server) as other:
        await other.subscribe(channel)
        ack = await publisher.publish(channel, MEGABYTE_AND_A_HALF, operation_id="op-1")
        assert (ack["cursor"], ack["truncated"]) == (1, True)
        assert (await publisher.publish(channel, MEGABYTE_AND_A_HALF, operation_id="op-1"))["id"] == ack["id"]
        assert (await publisher.publish(channel, 1))["cursor"] == 2
        assert await other.until_heard(channel, 2) == [1, 2]
