"""Following a channel: where it begins, in which order it goes on, and that nothing is missing or doubled."""

import asyncio
import random
from typing import Any, NamedTuple

import pytest

from tests.support.crowd import Crowd, crowd_at
from tests.support.live import connected, record
from tests.support.server import RunningServer, new_channel
from tests.support.waiting import until_async
from tests.transport.live.conftest import Pair


class Start(NamedTuple):
    """Where a reader begins on a channel of five events, and what it is told of them and the three after."""

    cursor: int | None
    confirmed: int
    told: list[int]


@pytest.mark.parametrize(
    "start",
    [
        pytest.param(Start(None, 5, [6, 7, 8]), id="no cursor is live only"),
        pytest.param(Start(0, 0, [1, 2, 3, 4, 5, 6, 7, 8]), id="from the beginning"),
        pytest.param(Start(3, 3, [4, 5, 6, 7, 8]), id="the cursor is exclusive"),
        pytest.param(Start(5, 5, [6, 7, 8]), id="at the head"),
        pytest.param(Start(7, 7, [8]), id="beyond the head"),
    ],
)
async def test_a_cursor_says_where_to_begin(server: RunningServer, channel: str, start: Start) -> None:
    """The confirmation repeats it, so a client that is cut off at once goes on from there."""
    async with crowd_at(server) as crowd, connected(server) as reader:
        await record(crowd, channel, 5)
        confirmed = await reader.subscribe(channel, start.cursor)
        assert (confirmed["event"], confirmed["cursor"]) == ("subscribed", start.confirmed)
        assert confirmed["payload"] == {"topic": channel, "cursor": start.confirmed, "latest_cursor": 5}
        await record(crowd, channel, 3)
        assert await reader.until_heard(channel, 8) == start.told


async def test_a_channel_may_be_followed_before_it_exists(server: RunningServer, channel: str) -> None:
    """Its first event is told like any other."""
    async with crowd_at(server) as crowd, connected(server) as reader:
        assert (await reader.subscribe(channel))["cursor"] == 0
        await record(crowd, channel)
        assert await reader.until_heard(channel, 1) == [1]


async def test_live_only_begins_behind_what_was_acknowledged_anywhere(pair: Pair, channel: str) -> None:
    """Though the server that is asked may not have heard of it yet."""
    async with crowd_at(pair.left) as crowd, connected(pair.right) as early, connected(pair.right) as late:
        await early.subscribe(channel)
        for cursor in range(1, 30):
            await record(crowd, channel)
            assert (await late.subscribe(channel))["cursor"] == cursor
            assert late.cursors(channel) == []
        assert await early.until_heard(channel, 29) == list(range(1, 30))


async def test_an_event_is_told_as_it_is_stored(server: RunningServer, channel: str) -> None:
    """Its type and its cursor under both of their names; from the log just as live."""
    body = {
        "channel_id": channel,
        "event_type": "note.taken",
        "payload": {"b": 1, "a": [1.50, None, "\u2028"]},
        "metadata": {"actor": "zoë", "agent_id": "a-1", "user_id": "u-1", "metadata": {"k": "v"}},
    }
    async with crowd_at(server) as crowd, connected(server) as live, connected(server) as late:
        await live.subscribe(channel)
        stored = (await crowd.post("/events/record", body)).body["event"]
        await live.until_heard(channel, 1)
        await late.subscribe(channel, 0)
        await late.until_heard(channel, 1)
        (told,) = live.heard[channel]
        assert told == {**stored, "event_type": "note.taken"}
        assert (told["type"], told["channel_cursor"]) == ("note.taken", 1)
        assert late.heard[channel] == [told]


async def test_the_confirmation_comes_before_a_long_backlog(server: RunningServer, channel: str) -> None:
    """A client waits for it, and not for thousands of events."""
    async with crowd_at(server) as crowd, connected(server) as reader:
        head = max([await record(crowd, channel, 250) for _ in range(12)])
        heard_by_then: list[int] = []
        confirmed = await reader.begin_to_subscribe(channel, 0)
        confirmed.add_done_callback(lambda _: heard_by_then.append(len(reader.heard[channel])))
        assert (await confirmed)["payload"]["latest_cursor"] == head == 3_000
        assert await reader.until_heard(channel, head) == list(range(1, head + 1))
        assert heard_by_then[0] < head


async def test_subscribing_again_starts_over(pair: Pair, channel: str) -> None:
    """From the cursor that is named now; live events come once, while others write all the time."""
    async with crowd_at(pair.left) as crowd, connected(pair.right) as reader:
        writing = asyncio.create_task(_write(crowd, channel, 60))
        for cursor in (0, 0, 2, 0, 1):
            await reader.subscribe(channel, cursor)
            await reader.until_heard(channel, cursor + 4)
        await writing
        assert await reader.until_heard(channel, 60) == list(range(2, 61))
        await reader.subscribe(channel, 0)
        await record(crowd, channel)
        assert await reader.until_heard(channel, 61) == list(range(1, 62))


async def test_what_is_subscribed_again_without_a_cursor_has_no_hole(pair: Pair, channel: str) -> None:
    """Old and new subscription together tell everything, if the reader keeps up."""
    async with crowd_at(pair.left) as crowd, connected(pair.left) as reader:
        await reader.subscribe(channel, 0)
        writing = asyncio.create_task(_write(crowd, channel, 60))
        seen: list[int] = []
        while not writing.done():
            before = reader.heard[channel]
            confirmed = await reader.subscribe(channel)
            seen += [event["cursor"] for event in before]
            assert seen == list(range(1, confirmed["cursor"] + 1))
        await record(crowd, channel)
        await reader.until_heard(channel, 61)
        assert seen + reader.cursors(channel) == list(range(1, 62))


async def test_after_unsubscribing_nothing_comes(server: RunningServer, channel: str) -> None:
    """The topic stands in the payload, where clients look for it. Twice is as good as once."""
    async with crowd_at(server) as crowd, connected(server) as reader:
        await reader.subscribe(channel)
        await record(crowd, channel)
        await reader.until_heard(channel, 1)
        for _ in range(2):
            answer = await reader.unsubscribe(channel)
            assert (answer["event"], answer["payload"]["topic"]) == ("unsubscribed", channel)
        await record(crowd, channel)
        await reader.pong()
        assert reader.cursors(channel) == [1]


async def test_fifty_writers_and_readers_who_join_at_random(pair: Pair, channel: str) -> None:
    """Through two servers. Each reader hears consecutive cursors, from where it began to the end."""
    head, chance = 600, random.Random(channel)
    reached, satisfied = 0, 0

    async def read(server: RunningServer) -> None:
        nonlocal satisfied
        joins_at = chance.randrange(head)
        async with connected(server) as reader:
            await until_async(lambda: reached >= joins_at, seconds=100)
            cursor = chance.choice([None, 0, chance.randrange(head), reached])
            begun = (await reader.subscribe(channel, cursor))["cursor"]
            assert cursor in (None, begun)
            if begun < head:
                await reader.until_heard(channel, head, seconds=100)
            assert reader.cursors(channel) == list(range(begun + 1, head + 1))
            satisfied += 1

    async def write(crowd: Crowd) -> None:
        nonlocal reached
        for _ in range(head // 50):
            reached = max(reached, await record(crowd, channel))

    async with crowd_at(pair.left) as left, crowd_at(pair.right) as right, asyncio.TaskGroup() as together:
        for number in range(30):
            together.create_task(read(pair[number % 2]))
        for number in range(50):
            together.create_task(write((left, right)[number % 2]))
    assert satisfied == 30


async def test_one_connection_may_follow_many_channels(pair: Pair) -> None:
    """Each in its own order."""
    channels = [new_channel() for _ in range(40)]
    async with crowd_at(pair.left) as crowd, connected(pair.right) as reader:
        for channel_id in channels:
            await reader.subscribe(channel_id, 0)
        await asyncio.gather(*(_write(crowd, channel_id, 5) for channel_id in channels))
        for channel_id in channels:
            assert await reader.until_heard(channel_id, 5) == [1, 2, 3, 4, 5]


async def _write(crowd: Crowd, channel_id: str, count: int) -> None:
    for _ in range(count):
        await record(crowd, channel_id)


@pytest.mark.parametrize(
    "message",
    [
        pytest.param({"topic": "run-1", "cursor": -1}, id="below zero"),
        pytest.param({"topic": "run-1", "cursor": 2**63}, id="above every cursor"),
        pytest.param({"topic": "run-1", "cursor": "3"}, id="no number"),
        pytest.param({"topic": "run-1", "cursor": 1.5}, id="a fraction"),
        pytest.param({"topic": "a b"}, id="no channel"),
        pytest.param({"topic": ".."}, id="two dots"),
        pytest.param({"topic": "x" * 257}, id="too long"),
    ],
)
async def test_what_cannot_be_followed_is_refused(server: RunningServer, message: dict[str, Any]) -> None:
    """By its topic, and the connection stays as it was."""
    async with connected(server) as reader:
        await reader.say(type="subscribe", **message)
        await reader.pong()
        refusal = next(fields for tag, fields in reader.frames if tag == "Subscription")
        assert (refusal["event"], refusal["topic"]) == ("error", message["topic"])
        assert refusal["status"] == "invalid_request"


async def test_a_wakeup_is_told_like_any_other_event(pair: Pair, channel: str) -> None:
    """By whichever server fires it, to the readers of both."""
    body = {"channel_id": channel, "run_at": "2020-01-01T00:00:00Z", "payload": {"n": 1}}
    async with crowd_at(pair.left) as crowd, connected(pair.left) as near, connected(pair.right) as far:
        await near.subscribe(channel)
        await far.subscribe(channel)
        made = (await crowd.post("/scheduler/wakeups", body)).body
        for reader in (near, far):
            assert await reader.until_heard(channel, 1) == [1]
            (told,) = reader.heard[channel]
            assert (told["event_type"], told["payload"]["wakeup_id"]) == ("scheduler.wakeup", made["id"])
