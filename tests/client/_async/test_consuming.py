"""Consuming event after event, on a real server."""

from collections.abc import Iterator
from typing import Any

import pytest

from actae_client import ActaeClient, RetryPolicy, errors
from actae_client._async._io import sleep
from tests.support.postgres import Clock
from tests.support.proxy import Proxy, target_of, through
from tests.support.server import RunningServer


@pytest.fixture
def proxy(server: RunningServer) -> Iterator[Proxy]:
    """Loses replies of the server."""
    with Proxy(target_of(server.url)) as running:
        yield running


async def fill(actae: ActaeClient, channel: str, count: int = 5) -> str:
    """A channel with some events, and the name of a group on it."""
    for number in range(1, count + 1):
        await actae.record(channel, "note", number, actor="a")
    await actae.create_group(f"{channel}.g", channel)
    return f"{channel}.g"


async def watermark(actae: ActaeClient, channel: str) -> int | None:
    """Up to where the group is done."""
    return (await actae.list_groups(channel_id=channel))[0].watermark


async def lease_until(actae: ActaeClient, group: str) -> str | None:
    """When the lease of the only consumer ends."""
    return (await actae.group_offsets(group))[0].lease_until


async def test_an_event_is_done_when_the_next_one_is_asked_for(actae: ActaeClient, channel: str) -> None:
    """Whatever the size of the batches; at the end there is nothing left."""
    group = await fill(actae, channel)
    seen = []
    async with actae.consume(group, "w", limit=2, follow=False) as events:
        async for event in events:
            assert await watermark(actae, channel) == len(seen)
            seen.append(event.payload)
    assert seen == [1, 2, 3, 4, 5]
    assert await watermark(actae, channel) == 5


async def test_what_comes_later_is_waited_for(actae: ActaeClient, channel: str) -> None:
    """Unless the caller wants only what is there."""
    group = await fill(actae, channel, 1)
    seen = []
    async with actae.consume(group, "w", poll_seconds=0.01) as events:
        async for event in events:
            seen.append(event.payload)
            if event.payload == 3:
                break
            await actae.record(channel, "note", event.payload + 1, actor="a")
    assert seen == [1, 2, 3]


async def divide_by_each(actae: ActaeClient, group: str) -> None:
    """Fails at the third event."""
    async with actae.consume(group, "w", lease_seconds=600) as events:
        async for event in events:
            _ = 1 // (3 - event.payload)


async def test_what_fails_is_handed_out_again(actae: ActaeClient, channel: str) -> None:
    """With all that follows."""
    group = await fill(actae, channel)
    with pytest.raises(ZeroDivisionError):
        await divide_by_each(actae, group)
    assert await watermark(actae, channel) == 2
    async with actae.consume(group, "w", follow=False) as events:
        assert [event.payload async for event in events] == [3, 4, 5]


async def test_others_need_not_wait_for_what_was_left(
    actae: ActaeClient, channel: str, server_clock: Clock
) -> None:
    """A consumer that goes in good order holds nothing up."""
    group = await fill(actae, channel)
    async with actae.consume(group, "v", lease_seconds=600) as events:
        async for _ in events:
            break
    server_clock.advance(2)
    async with actae.consume(group, "w", follow=False) as events:
        assert [event.payload async for event in events] == [1, 2, 3, 4, 5]


async def test_a_lease_that_has_lapsed_is_taken_anew(
    actae: ActaeClient, channel: str, server_clock: Clock
) -> None:
    """What was in hand comes again: nobody knows that it was done."""
    group = await fill(actae, channel)
    seen = []
    async with actae.consume(group, "w", lease_seconds=60, follow=False) as events:
        async for event in events:
            seen.append(event.payload)
            if len(seen) == 2:
                server_clock.advance(61)
    assert seen == [1, 2, 2, 3, 4, 5]
    assert await watermark(actae, channel) == 5


async def test_the_lease_is_renewed_meanwhile(actae: ActaeClient, channel: str) -> None:
    """However long an event takes."""
    group = await fill(actae, channel, 1)
    async with actae.consume(group, "w", lease_seconds=2, follow=False) as events:
        first = await lease_until(actae, group)
        async for _ in events:
            while await lease_until(actae, group) == first:
                await sleep(0.01)
    assert await watermark(actae, channel) == 1


@pytest.mark.parametrize("attempts", [4, 1])
@pytest.mark.parametrize("route", ["work", "ack"])
async def test_a_lost_reply_costs_nothing(
    server: RunningServer, proxy: Proxy, channel: str, route: str, attempts: int
) -> None:
    """The same events come again, and acknowledging twice is acknowledging once.

    Whether the call is repeated, or the consumer goes on when the call is not.
    """
    retry = RetryPolicy(attempts=attempts)
    endpoint = through(proxy, server.url)
    async with ActaeClient(endpoint=endpoint, api_key=server.api_key, retry=retry) as actae:
        group = await fill(actae, channel)
        loss = proxy.lose("reply", f"/{group}/{route}".encode(), then="cut")
        async with actae.consume(group, "w", follow=False) as events:
            assert [event.payload async for event in events] == [1, 2, 3, 4, 5]
        loss.wait()
        assert await watermark(actae, channel) == 5


async def test_a_wait_is_not_counted_as_silence(server: RunningServer, channel: str) -> None:
    """It may be longer than what the client's calls may take."""
    async with ActaeClient(endpoint=server.url, api_key=server.api_key, timeout=3.0) as actae:
        group = await fill(actae, channel, 0)
        await actae.join_group(group, "w")
        assert (await actae.claim_work(group, "w", wait_seconds=4)).events == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"limit": 0}, "limit is 0; it must be 1 to 1000"),
        ({"limit": 1_001}, "limit is 1001; it must be 1 to 1000"),
        ({"limit": "1"}, "limit must be an int, not str"),
        ({"lease_seconds": 0}, "lease_seconds is 0; it must be 1 to 86400"),
        ({"poll_seconds": 0}, "poll_seconds is 0; it must be above 0"),
        ({"poll_seconds": float("nan")}, "poll_seconds is nan; it must be above 0"),
        ({"poll_seconds": "1"}, "poll_seconds must be a number, not str"),
    ],
)
async def test_arguments_are_looked_at_first(actae: ActaeClient, options: dict[str, Any], said: str) -> None:
    """By the names that the caller knows."""
    with pytest.raises((ValueError, TypeError), match=said):
        actae.consume("g", "w", **options)


@pytest.mark.parametrize(
    ("wait", "said"),
    [
        (-1, "wait_seconds is -1; it must be 0 to 20"),
        (20.5, "wait_seconds is 20.5; it must be 0 to 20"),
        (float("nan"), "wait_seconds is nan; it must be 0 to 20"),
        ("1", "wait_seconds must be a number, not str"),
    ],
)
async def test_a_wait_has_bounds(actae: ActaeClient, wait: Any, said: str) -> None:
    """They are looked at before anything is sent."""
    with pytest.raises((ValueError, TypeError), match=said):
        await actae.claim_work("g", "w", wait_seconds=wait)


async def delete_while_consuming(actae: ActaeClient, group: str) -> None:
    """Somebody sets things up anew."""
    async with actae.consume(group, "w") as events:
        async for _ in events:
            await actae.delete_group(group)


async def test_a_group_that_is_gone_ends_it(actae: ActaeClient, channel: str) -> None:
    """There is nothing to join again."""
    group = await fill(actae, channel)
    with pytest.raises(errors.ConsumerError, match="no such group"):
        await delete_while_consuming(actae, group)
    with pytest.raises(errors.ConsumerError, match="no such group"):
        await actae.consume(group, "w").__aenter__()


async def test_a_closed_channel_ends_it_when_all_is_done(actae: ActaeClient, channel: str) -> None:
    """There will be nothing to wait for. What was recorded before is handed out all the same."""
    group = await fill(actae, channel)
    seen = []
    async with actae.consume(group, "w", limit=2, poll_seconds=0.01) as events:
        async for event in events:
            seen.append(event.payload)
            if event.payload == 1:
                await actae.close_channel(channel)
    assert seen == [1, 2, 3, 4, 5]
    assert await watermark(actae, channel) == 5


async def recreate_while_consuming(actae: ActaeClient, group: str, channel: str) -> None:
    """Another group takes the name, at the first event."""
    async with actae.consume(group, "w", poll_seconds=0.01) as events:
        async for _ in events:
            await actae.delete_group(group)
            await actae.create_group(group, channel)


@pytest.mark.parametrize("suffix", ["", ".other"])
async def test_a_group_that_was_made_anew_is_another_one(
    actae: ActaeClient, channel: str, suffix: str
) -> None:
    """On the same channel or elsewhere: it is said, and nothing of the new one is handed out."""
    group = await fill(actae, channel)
    await actae.record(channel + suffix, "note", 1, actor="a")
    with pytest.raises(errors.ConsumerError, match="made anew"):
        await recreate_while_consuming(actae, group, channel + suffix)
    assert [each.claimed_cursor for each in await actae.group_offsets(group)] == [0]
    assert await watermark(actae, channel + suffix) == 0


async def test_it_has_to_be_entered(actae: ActaeClient, channel: str) -> None:
    """Otherwise nothing would keep its lease."""
    group = await fill(actae, channel)
    with pytest.raises(RuntimeError, match="entered"):
        async for _ in actae.consume(group, "w"):
            pass
