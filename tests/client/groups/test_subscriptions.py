"""Mail through the client's callbacks."""

import asyncio

import pytest

from actae_client import ActaeClient, Event, GroupMessage


async def test_mail_goes_to_the_callbacks(actae: ActaeClient, channel: str) -> None:
    """As events of the member's channel, until it is unsubscribed."""
    await actae.create_execution_group(channel)
    for name in ("ada", "bob"):
        await actae.add_execution_group_member(channel, name, f"{channel}.{name}")
    group = actae.execution_group(channel)
    ada, bob = group.member("ada"), group.member("bob")
    heard: asyncio.Queue[Event] = asyncio.Queue()
    actae.on_message(lambda _topic, event: heard.put_nowait(event))
    sent = [await ada.send("bob", "task", 1)]
    await bob.subscribe_ws(cursor=0)
    sent.append(await ada.send("bob", "task", 2))
    for message in sent:
        event = await asyncio.wait_for(heard.get(), 30)
        assert GroupMessage.from_websocket_event(event) == message
    await bob.unsubscribe_ws()
    await ada.send("bob", "task", 3)
    await ada.subscribe_ws(cursor=0)
    events = [await asyncio.wait_for(heard.get(), 30) for _ in range(3)]
    assert {event.channel_id for event in events} == {f"{channel}.ada"}


async def test_nobody_has_no_channel(actae: ActaeClient, channel: str) -> None:
    """A member that the group lacks cannot be followed."""
    await actae.create_execution_group(channel)
    nobody = actae.execution_group(channel).member("eve")
    with pytest.raises(ValueError, match="no member 'eve'"):
        await nobody.subscribe_ws()
    with pytest.raises(ValueError, match="no member 'eve'"):
        await nobody.unsubscribe_ws()
    with pytest.raises(ValueError, match="no member 'eve'"):
        await anext(aiter(nobody.stream_ws()))
