# Written by tools/generate_sync.py from _async/test_consuming.py. Do not edit.
"""Consuming event after event, on a real server."""

from collections.abc import Iterator
from typing import Any

import pytest

from actae_client import RetryPolicy, SyncActaeClient, errors
from actae_client._sync._io import sleep
from tests.support.postgres import Clock
from tests.support.proxy import Proxy, target_of, through
from tests.support.server import RunningServer


@pytest.fixture
def proxy(server: RunningServer) -> Iterator[Proxy]:
    """Loses replies of the server."""
    with Proxy(target_of(server.url)) as running:
        yield running


def fill(actae: SyncActaeClient, channel: str, count: int = 5) -> str:
    """A channel with some events, and the name of a group on it."""
    for number in range(1, count + 1):
        actae.record(channel, "note", number, actor="a")
    actae.create_group(f"{channel}.g", channel)
    return f"{channel}.g"


def watermark(actae: SyncActaeClient, channel: str) -> int | None:
    """Up to where the group is done."""
    return (actae.list_groups(channel_id=channel))[0].watermark


def lease_until(actae: SyncActaeClient, group: str) -> str | None:
    """When the lease of the only consumer ends."""
    return (actae.group_offsets(group))[0].lease_until


def test_an_event_is_done_when_the_next_one_is_asked_for(actae: SyncActaeClient, channel: str) -> None:
    """Whatever the size of the batches; at the end there is nothing left."""
    group = fill(actae, channel)
    seen = []
    with actae.consume(group, "w", limit=2, follow=False) as events:
        for event in events:
            assert watermark(actae, channel) == len(seen)
            seen.append(event.payload)
    assert seen == [1, 2, 3, 4, 5]
    assert watermark(actae, channel) == 5


def test_what_comes_later_is_waited_for(actae: SyncActaeClient, channel: str) -> None:
    """Unless the caller wants only what is there."""
    group = fill(actae, channel, 1)
    seen = []
    with actae.consume(group, "w", poll_seconds=0.01) as events:
        for event in events:
            seen.append(event.payload)
            if event.payload == 3:
                break
            actae.record(channel, "note", event.payload + 1, actor="a")
    assert seen == [1, 2, 3]


def divide_by_each(actae: SyncActaeClient, group: str) -> None:
    """Fails at the third event."""
    with actae.consume(group, "w", lease_seconds=600) as events:
        for event in events:
            _ = 1 // (3 - event.payload)


def test_what_fails_is_handed_out_again(actae: SyncActaeClient, channel: str) -> None:
    """With all that follows."""
    group = fill(actae, channel)
    with pytest.raises(ZeroDivisionError):
        divide_by_each(actae, group)
    assert watermark(actae, channel) == 2
    with actae.consume(group, "w", follow=False) as events:
        assert [event.payload for event in events] == [3, 4, 5]


def test_others_need_not_wait_for_what_was_left(
    actae: SyncActaeClient, channel: str, server_clock: Clock
) -> None:
    """A consumer that goes in good order holds nothing up."""
    group = fill(actae, channel)
    with actae.consume(group, "v", lease_seconds=600) as events:
        for _ in events:
            break
    server_clock.advance(2)
    with actae.consume(group, "w", follow=False) as events:
        assert [event.payload for event in events] == [1, 2, 3, 4, 5]


def test_a_lease_that_has_lapsed_is_taken_anew(
    actae: SyncActaeClient, channel: str, server_clock: Clock
) -> None:
    """What was in hand comes again: nobody knows that it was done."""
    group = fill(actae, channel)
    seen = []
    with actae.consume(group, "w", lease_seconds=60, follow=False) as events:
        for event in events:
            seen.append(event.payload)
            if len(seen) == 2:
                server_clock.advance(61)
    assert seen == [1, 2, 2, 3, 4, 5]
    assert watermark(actae, channel) == 5


def test_the_lease_is_renewed_meanwhile(actae: SyncActaeClient, channel: str) -> None:
    """However long an event takes."""
    group = fill(actae, channel, 1)
    with actae.consume(group, "w", lease_seconds=2, follow=False) as events:
        first = lease_until(actae, group)
        for _ in events:
            while lease_until(actae, group) == first:
                sleep(0.01)
    assert watermark(actae, channel) == 1


@pytest.mark.parametrize("attempts", [4, 1])
@pytest.mark.parametrize("route", ["work", "ack"])
def test_a_lost_reply_costs_nothing(
    server: RunningServer, proxy: Proxy, channel: str, route: str, attempts: int
) -> None:
    """The same events come again, and acknowledging twice is acknowledging once.

    Whether the call is repeated, or the consumer goes on when the call is not.
    """
    retry = RetryPolicy(attempts=attempts)
    endpoint = through(proxy, server.url)
    with SyncActaeClient(endpoint=endpoint, api_key=server.api_key, retry=retry) as actae:
        group = fill(actae, channel)
        loss = proxy.lose("reply", f"/{group}/{route}".encode(), then="cut")
        with actae.consume(group, "w", follow=False) as events:
            assert [event.payload for event in events] == [1, 2, 3, 4, 5]
        loss.wait()
        assert watermark(actae, channel) == 5


def test_a_wait_is_not_counted_as_silence(server: RunningServer, channel: str) -> None:
    """It may be longer than what the client's calls may take."""
    with SyncActaeClient(endpoint=server.url, api_key=server.api_key, timeout=3.0) as actae:
        group = fill(actae, channel, 0)
        actae.join_group(group, "w")
        assert (actae.claim_work(group, "w", wait_seconds=4)).events == []


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
def test_arguments_are_looked_at_first(actae: SyncActaeClient, options: dict[str, Any], said: str) -> None:
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
def test_a_wait_has_bounds(actae: SyncActaeClient, wait: Any, said: str) -> None:
    """They are looked at before anything is sent."""
    with pytest.raises((ValueError, TypeError), match=said):
        actae.claim_work("g", "w", wait_seconds=wait)


def delete_while_consuming(actae: SyncActaeClient, group: str) -> None:
    """Somebody sets things up anew."""
    with actae.consume(group, "w") as events:
        for _ in events:
            actae.delete_group(group)


def test_a_group_that_is_gone_ends_it(actae: SyncActaeClient, channel: str) -> None:
    """There is nothing to join again."""
    group = fill(actae, channel)
    with pytest.raises(errors.ConsumerError, match="no such group"):
        delete_while_consuming(actae, group)
    with pytest.raises(errors.ConsumerError, match="no such group"):
        actae.consume(group, "w").__enter__()


def test_a_closed_channel_ends_it_when_all_is_done(actae: SyncActaeClient, channel: str) -> None:
    """There will be nothing to wait for. What was recorded before is handed out all the same."""
    group = fill(actae, channel)
    seen = []
    with actae.consume(group, "w", limit=2, poll_seconds=0.01) as events:
        for event in events:
            seen.append(event.payload)
            if event.payload == 1:
                actae.close_channel(channel)
    assert seen == [1, 2, 3, 4, 5]
    assert watermark(actae, channel) == 5


def recreate_while_consuming(actae: SyncActaeClient, group: str, channel: str) -> None:
    """Another group takes the name, at the first event."""
    with actae.consume(group, "w", poll_seconds=0.01) as events:
        for _ in events:
            actae.delete_group(group)
            actae.create_group(group, channel)


@pytest.mark.parametrize("suffix", ["", ".other"])
def test_a_group_that_was_made_anew_is_another_one(actae: SyncActaeClient, channel: str, suffix: str) -> None:
    """On the same channel or elsewhere: it is said, and nothing of the new one is handed out."""
    group = fill(actae, channel)
    actae.record(channel + suffix, "note", 1, actor="a")
    with pytest.raises(errors.ConsumerError, match="made anew"):
        recreate_while_consuming(actae, group, channel + suffix)
    assert [each.claimed_cursor for each in actae.group_offsets(group)] == [0]
    assert watermark(actae, channel + suffix) == 0


def test_it_has_to_be_entered(actae: SyncActaeClient, channel: str) -> None:
    """Otherwise nothing would keep its lease."""
    group = fill(actae, channel)
    with pytest.raises(RuntimeError, match="entered"):
        for _ in actae.consume(group, "w"):
            pass
