"""Callbacks, and what calls them."""

import asyncio
import logging

import pytest

from actae_client import ActaeClient, ActaeConnectionError
from actae_client.errors import PermissionDeniedError
from tests.client.live.conftest import Make
from tests.client.live.support.scripted_socket import ScriptedSocket, event
from tests.support.server import RunningServer
from tests.support.waiting import until_async


class Heard:
    """What the callbacks of a client were called with."""

    def __init__(self, client: ActaeClient) -> None:
        self.cursors: list[int] = []
        self.subscribed: list[tuple[str, int]] = []
        self.errors: list[str] = []
        client.on_message(lambda _, event: self.cursors.append(event.cursor))
        client.on_subscribed(lambda topic, cursor: self.subscribed.append((topic, cursor)))
        client.on_error(self.errors.append)

    async def so_far(self, cursors: list[int]) -> None:
        """Wait for as many as these, and compare."""
        await until_async(lambda: len(self.cursors) >= len(cursors))
        assert self.cursors == cursors


async def test_a_subscription_begins_where_it_is_told(
    server: RunningServer, actae: ActaeClient, channel: str
) -> None:
    """With those to come, or after a cursor; with a cursor, a second one starts over."""
    heard = Heard(actae)
    for n in range(3):
        server.record(channel, payload=n)
    await actae.subscribe(channel)
    assert heard.subscribed == [(channel, 3)]
    server.record(channel, payload=3)
    await heard.so_far([4])
    await actae.subscribe(channel)
    await actae.subscribe(channel, 1)
    await heard.so_far([4, 2, 3, 4])
    server.record(channel, payload=4)
    await heard.so_far([4, 2, 3, 4, 5])
    assert heard.errors == []


async def test_unsubscribing_ends_it(server: RunningServer, actae: ActaeClient, channel: str) -> None:
    """And can be done without having subscribed, or connected. Streams of the topic go on."""
    await actae.unsubscribe(channel)
    heard = Heard(actae)
    stream = actae.stream(channel, 0)
    await actae.subscribe(channel)
    server.record(channel, payload=1)
    await heard.so_far([1])
    assert (await anext(stream)).cursor == 1
    await actae.unsubscribe(channel)
    await actae.unsubscribe(channel)
    server.record(channel, payload=2)
    assert (await anext(stream)).cursor == 2
    assert heard.cursors == [1]


async def test_every_callback_is_called_in_its_order(
    server: RunningServer, actae: ActaeClient, channel: str, caplog: pytest.LogCaptureFixture
) -> None:
    """One that fails is logged, and called again the next time. Of the other kinds, the last one counts."""
    calls: list[object] = []

    def failing(*_: object) -> None:
        calls.append("failing")
        raise RuntimeError("of the program")

    actae.on_subscribed(lambda *_: calls.append("replaced"))
    actae.on_subscribed(lambda topic, _cursor: calls.append(topic))
    actae.on_message(failing)
    actae.on_message(lambda _, event: calls.append(event.payload))
    with caplog.at_level(logging.ERROR, "actae_client"):
        await actae.subscribe(channel)
        server.record(channel, payload="one")
        server.record(channel, payload="two")
        await until_async(lambda: "two" in calls)
    assert calls == [channel, "failing", "one", "failing", "two"]
    assert "of the program" in caplog.text


@pytest.mark.parametrize(
    "register", ["on_message", "on_error", "on_subscribed", "on_disconnected", "on_reconnect"]
)
async def test_callbacks_are_plain_functions(register: str) -> None:
    """A coroutine function would never be awaited, so it is refused."""

    async def callback(*_: object) -> None:
        raise AssertionError("nobody awaits this")

    client = ActaeClient(api_key="sk-x", endpoint="http://localhost:8002")
    with pytest.raises(TypeError, match=r"callback.*stream\(\)"):
        getattr(client, register)(callback)


async def test_without_waiting_a_refusal_is_only_told(
    scripted_socket: ScriptedSocket, make_client: Make
) -> None:
    """To the callback for errors."""
    client = make_client()
    heard = Heard(client)
    subscribing = asyncio.create_task(client.subscribe("run-7", wait=False))
    peer = await scripted_socket.next_client()
    await subscribing
    await peer.expect("subscribe")
    payload = {"topic": "run-7", "error": "not yours", "status": "forbidden"}
    await peer.say("Subscription", event="error", payload=payload)
    await until_async(lambda: heard.errors == ["topic run-7: not yours"])
    subscribing = asyncio.create_task(client.subscribe("run-7"))  # It may be granted later.
    await peer.confirm(0)
    await subscribing
    await peer.tell(event(1))
    await heard.so_far([1])


async def test_a_refusal_that_is_raised_is_not_told_besides(
    scripted_socket: ScriptedSocket, make_client: Make
) -> None:
    """The callback is for what no call raises."""
    client = make_client()
    heard = Heard(client)
    subscribing = asyncio.create_task(client.subscribe("run-7"))
    peer = await scripted_socket.next_client()
    await peer.expect("subscribe")
    payload = {"topic": "run-7", "error": "not yours", "status": "forbidden", "channel_id": "run-7"}
    await peer.say("Subscription", event="error", payload=payload)
    with pytest.raises(PermissionDeniedError) as refused:
        await subscribing
    assert refused.value.details == {"channel_id": "run-7"}
    await peer.say("Error", message="a complaint that nobody waits for")
    await until_async(lambda: bool(heard.errors))
    assert heard.errors == ["a complaint that nobody waits for"]


async def test_two_callers_wait_for_one_confirmation(
    scripted_socket: ScriptedSocket, make_client: Make
) -> None:
    """Only one subscription is asked for."""
    client = make_client()
    waiting = [asyncio.create_task(client.subscribe("run-7")) for _ in range(2)]
    peer = await scripted_socket.next_client()
    await peer.confirm(0)
    await asyncio.gather(*waiting)
    await client.unsubscribe("run-7")
    assert (await peer.hear())["type"] == "unsubscribe"


async def test_a_subscription_that_is_not_confirmed_in_time_is_raised(
    scripted_socket: ScriptedSocket, make_client: Make
) -> None:
    """And given up: nobody is called who was told that there is none."""
    client = make_client(timeout=0.3)
    heard = Heard(client)
    subscribing = asyncio.create_task(client.subscribe("run-7"))
    peer = await scripted_socket.next_client()
    await peer.expect("subscribe")
    with pytest.raises(ActaeConnectionError, match=r"topic run-7 was not confirmed within 0\.3 s"):
        await subscribing
    await peer.expect("unsubscribe")
    await peer.say("Subscription", event="subscribed", topic="run-7", cursor=0)
    await peer.tell(event(1))
    await peer.say("Error", message="a complaint that nobody waits for")
    await until_async(lambda: bool(heard.errors))
    assert (heard.cursors, heard.errors) == ([], ["a complaint that nobody waits for"])


@pytest.mark.parametrize(
    ("what", "how"), [("subscribe", "disconnect"), ("subscribe", "unsubscribe"), ("stream", "disconnect")]
)
async def test_who_waits_for_a_confirmation_is_released(
    scripted_socket: ScriptedSocket, make_client: Make, what: str, how: str
) -> None:
    """Disconnecting or unsubscribing here is the answer; nobody waits out the timeout."""
    client = make_client(timeout=3600)
    begin = client.subscribe("run-7") if what == "subscribe" else client.stream("run-7").__aenter__()
    waiting = asyncio.create_task(begin)
    peer = await scripted_socket.next_client()
    await peer.expect("subscribe")
    await (client.disconnect() if how == "disconnect" else client.unsubscribe("run-7"))
    async with asyncio.timeout(30):
        with pytest.raises(ActaeConnectionError, match=r"disconnected|was unsubscribed"):
            await waiting


async def test_a_frame_that_makes_no_sense_is_left_out(
    scripted_socket: ScriptedSocket, make_client: Make
) -> None:
    """The connection stays, and what comes after it is heard."""
    client = make_client()
    heard = Heard(client)
    subscribing = asyncio.create_task(client.subscribe("run-7", 0))
    peer = await scripted_socket.next_client()
    await peer.confirm()
    await subscribing
    await peer.say("CursorSync", topic="run-7", cursor="z")
    await peer.say("Broadcast", topic="run-7", payload={"event": {**event(1), "cursor": "z"}})
    await peer.say("Ack", request_id=["r"], **event(1))
    await peer.tell(event(1))
    await heard.so_far([1])
    assert heard.errors == []
    assert scripted_socket.upgrades == 1


async def test_nothing_is_called_after_disconnecting(
    server: RunningServer, actae: ActaeClient, channel: str
) -> None:
    """Though there was much to come."""
    heard = Heard(actae)
    await asyncio.gather(*(actae.record(channel, "note", n, actor="a") for n in range(300)))
    await actae.subscribe(channel, 0)
    await until_async(lambda: bool(heard.cursors))
    await actae.disconnect()
    count = len(heard.cursors)
    await asyncio.sleep(0.1)
    assert len(heard.cursors) == count


async def test_leaving_and_coming_back_loses_nothing(
    scripted_socket: ScriptedSocket, make_client: Make
) -> None:
    """A confirmation that was meant for the first subscription does not hide what came before the second."""
    scripted_socket.log = [event(1)]
    client = make_client()
    entering = asyncio.create_task(client.stream("run-7").__aenter__())
    peer = await scripted_socket.next_client()
    await peer.expect("subscribe")
    entering.cancel()
    await peer.expect("unsubscribe")
    second = asyncio.create_task(anext(client.stream("run-7")))
    await peer.expect("subscribe")
    await peer.say("Subscription", event="subscribed", topic="run-7", cursor=0)
    await peer.say("Subscription", event="unsubscribed", topic="run-7")
    await peer.say("Subscription", event="subscribed", topic="run-7", cursor=1)
    assert (await second).cursor == 1
