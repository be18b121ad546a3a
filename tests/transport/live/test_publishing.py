"""Publishing over a WebSocket: stored like a record, acknowledged by request, and no echo."""

import asyncio
from typing import Any

import pytest

from tests.support.crowd import Crowd, crowd_at
from tests.support.live import Connection, connected, record
from tests.support.server import RunningServer, new_channel
from tests.support.waiting import until_async
from tests.transport.live.conftest import Pair


async def log_of(crowd: Crowd, channel_id: str) -> list[dict[str, Any]]:
    """Everything that is stored."""
    events: list[dict[str, Any]] = (await crowd.get(f"/events/replay/{channel_id}?limit=1000")).body["events"]
    return events


@pytest.mark.parametrize(
    "payload", [None, 0, "text", [1, [2]], {"a": {"b": 1.50}}, "ключ \U0001f511 \\u0000"], ids=repr
)
async def test_what_is_published_is_stored_and_acknowledged(
    server: RunningServer, channel: str, payload: Any
) -> None:
    """As an event of the type `broadcast`; the acknowledgement is the stored event, with the request's id."""
    async with crowd_at(server) as crowd, connected(server) as publisher:
        ack = await publisher.publish(channel, payload)
        (stored,) = await log_of(crowd, channel)
        assert (stored["type"], stored["payload"], stored["cursor"]) == ("broadcast", payload, 1)
        assert {name: ack[name] for name in stored} == stored
        assert (ack["event_type"], ack["channel_cursor"]) == ("broadcast", 1)


async def test_publishes_need_not_wait_for_each_other(server: RunningServer, channel: str) -> None:
    """Each acknowledgement finds its request, and they are stored in the order in which they were sent."""
    async with crowd_at(server) as crowd, connected(server) as publisher:
        answers = [await publisher.begin_to_publish(channel, number) for number in range(300)]
        acks = await asyncio.gather(*answers)
        assert [ack["payload"] for ack in acks] == list(range(300))
        assert [ack["cursor"] for ack in acks] == list(range(1, 301))
        assert [event["payload"] for event in await log_of(crowd, channel)] == list(range(300))


async def test_a_repeated_publish_is_the_first_one(pair: Pair, channel: str) -> None:
    """Whoever repeats it, on whichever server, and over HTTP too; nobody hears of it twice."""
    async with crowd_at(pair.right) as crowd, connected(pair.left) as one, connected(pair.right) as other:
        for each in (one, other):
            await each.subscribe(channel)
        first = await one.publish(channel, {"n": 1}, operation_id="op-1")
        for again in (
            await one.publish(channel, {"n": 1}, operation_id="op-1"),
            await other.publish(channel, {"n": 1}, operation_id="op-1"),
        ):
            assert {**again, "request_id": None} == {**first, "request_id": None}
        body = {"channel_id": channel, "event_type": "broadcast", "payload": {"n": 1}, "operation_id": "op-1"}
        recorded = await crowd.post("/events/record", {**body, "metadata": {"actor": "test"}})
        assert recorded.body["event"]["id"] == first["id"]
        last = await record(crowd, channel)
        assert await one.until_heard(channel, last) == [last]
        assert await other.until_heard(channel, last) == [first["cursor"], last]


async def test_a_repetition_hides_nothing_from_who_reads_the_history(
    server: RunningServer, channel: str
) -> None:
    """The first publish is history, even to the connection that repeats it while it reads."""
    async with connected(server) as publisher:
        for number in range(400):
            await publisher.begin_to_publish(channel, number, operation_id=f"op-{number}")
        await publisher.publish(channel, "last", operation_id="last")
        await publisher.begin_to_subscribe(channel, 0)
        for number in range(399, 0, -50):
            await publisher.begin_to_publish(channel, number, operation_id=f"op-{number}")
        assert await publisher.until_heard(channel, 401) == list(range(1, 402))


async def test_the_same_id_with_other_content_is_refused(server: RunningServer, channel: str) -> None:
    """To those who wait by the request, and to those who only know errors; the connection stays."""
    async with connected(server) as publisher:
        await publisher.publish(channel, 1, operation_id="op-1")
        refusal = await publisher.publish(channel, 2, operation_id="op-1")
        assert (refusal["status"], refusal["topic"]) == ("idempotency_conflict", channel)
        await publisher.pong()
        (repeated,) = publisher.errors
        assert repeated == {name: value for name, value in refusal.items() if name != "topic"}
        assert (repeated["message"], repeated["operation_id"]) == (refusal["message"], "op-1")
        assert (await publisher.publish(channel, 3))["cursor"] == 2


@pytest.mark.parametrize("lifecycle", ["closed", "deleted"])
async def test_a_channel_that_has_ended_takes_no_publish(
    server: RunningServer, channel: str, lifecycle: str
) -> None:
    """It says so, and can still be followed."""
    async with crowd_at(server) as crowd, connected(server) as publisher:
        await record(crowd, channel, 3)
        await publisher.subscribe(channel, 0)
        await publisher.until_heard(channel, 3)
        await crowd.end(channel, lifecycle)
        assert (await publisher.publish(channel, 1))["status"] == f"channel_{lifecycle}"
        await publisher.subscribe(channel, 0)
        await publisher.pong()
        assert publisher.cursors(channel) == ([1, 2, 3] if lifecycle == "closed" else [])


async def test_who_publishes_is_not_told_of_it_and_everybody_else_is(pair: Pair, channel: str) -> None:
    """Everybody else: other connections with the same key, on the same server and on another."""
    async with (
        crowd_at(pair.left) as crowd,
        connected(pair.left) as publisher,
        connected(pair.left) as neighbour,
        connected(pair.right) as distant,
    ):
        for each in (publisher, neighbour, distant):
            await each.subscribe(channel)
        for _ in range(3):
            await publisher.publish(channel)
        # What is recorded over HTTP has no publishing connection.
        assert await record(crowd, channel) == 4
        assert await publisher.until_heard(channel, 4) == [4]
        for each in (neighbour, distant):
            assert await each.until_heard(channel, 4) == [1, 2, 3, 4]


async def test_history_holds_own_events(server: RunningServer, channel: str) -> None:
    """Who comes back with a cursor is told of everything above it."""
    async with crowd_at(server) as crowd, connected(server) as publisher:
        await publisher.subscribe(channel)
        for _ in range(3):
            await publisher.publish(channel)
        await publisher.subscribe(channel, 1)
        assert await publisher.until_heard(channel, 3) == [2, 3]
        await publisher.publish(channel)
        assert await record(crowd, channel) == 5
        assert await publisher.until_heard(channel, 5) == [2, 3, 5]


@pytest.mark.parametrize("was_subscribed", [False, True])
async def test_a_subscription_right_behind_a_publish_is_no_echo(
    pair: Pair, channel: str, was_subscribed: bool
) -> None:
    """The publish came first, though nobody has waited for it."""
    async with crowd_at(pair.right) as crowd, connected(pair.left) as publisher:
        if was_subscribed:
            await publisher.subscribe(channel)
        for number in range(1, 40, 2):
            await publisher.begin_to_publish(channel, number)
            confirmed = await publisher.subscribe(channel)
            assert confirmed["cursor"] == number
            await record(crowd, channel)
            assert await publisher.until_heard(channel, number + 1) == [number + 1]


async def test_who_publishes_without_pause_still_hears_the_others(pair: Pair, channel: str) -> None:
    """Own events hold others' back for a moment only, and are left out of all that comes."""
    recorded: list[int] = []

    async def publish(publisher: Connection, own: list[int]) -> None:
        waiting: set[asyncio.Future[dict[str, Any]]] = set()
        while len(publisher.heard[channel]) < 30:
            waiting.add(await publisher.begin_to_publish(channel))
            if len(waiting) >= 200:  # more than the server takes at once
                done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                own += [each.result()["cursor"] for each in done]
        own += [ack["cursor"] for ack in await asyncio.gather(*waiting)]

    async def write(crowd: Crowd) -> None:
        while len(recorded) < 30:
            recorded.append(await record(crowd, channel))

    async with (
        crowd_at(pair.right) as crowd,
        connected(pair.left) as publisher,
        connected(pair.left) as other,
    ):
        own: list[int] = []
        for each in (publisher, other):
            await each.subscribe(channel)
        await asyncio.gather(publish(publisher, own), write(crowd))
        head = await record(crowd, channel)
        heard = await publisher.until_heard(channel, head)
        assert heard == [*recorded, head]
        assert (
            await other.until_heard(channel, head)
            == sorted([*own, *recorded, head])
            == list(range(1, head + 1))
        )


async def test_publishes_to_other_channels_hold_nothing_back(server: RunningServer, channel: str) -> None:
    """Each channel for itself."""
    elsewhere = new_channel()
    async with crowd_at(server) as crowd, connected(server) as publisher:
        await publisher.subscribe(channel)
        waiting = [await publisher.begin_to_publish(elsewhere, number) for number in range(50)]
        await record(crowd, channel)
        assert await publisher.until_heard(channel, 1) == [1]
        await asyncio.gather(*waiting)


async def test_what_was_accepted_is_stored_though_the_publisher_has_gone(
    server: RunningServer, channel: str
) -> None:
    """A connection that is cut costs its acknowledgements, nothing else; the repetition brings them."""
    async with crowd_at(server) as crowd, connected(server) as publisher, connected(server) as other:
        await other.subscribe(channel)
        for number in range(20):
            await publisher.begin_to_publish(channel, number, operation_id=f"op-{number}")
        await publisher.pong()  # so everything has been read
        publisher.cut()
        await until_async(lambda: len(other.heard[channel]) == 20)
        assert [event["payload"] for event in await log_of(crowd, channel)] == list(range(20))
        async with connected(server) as again:
            acks = [await again.publish(channel, number, operation_id=f"op-{number}") for number in range(20)]
            assert [ack["cursor"] for ack in acks] == list(range(1, 21))
        assert other.cursors(channel) == list(range(1, 21))
