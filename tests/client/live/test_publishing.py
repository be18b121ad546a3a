"""Publishing: acknowledged, refused, cut off, echoed."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from actae_client import ActaeClient, ActaeConnectionError, SyncActaeClient, errors
from tests.client.live.conftest import Make
from tests.client.live.support.scripted_socket import ScriptedSocket, event
from tests.support.cutting_proxy import CuttingProxy
from tests.support.server import RunningServer


async def test_what_is_published_is_an_event(actae: ActaeClient, channel: str) -> None:
    """Of type `broadcast`, with the actor of the key; any JSON will do."""
    for cursor, payload in enumerate([None, 0, "é \0 \ud800", [1, {"a": 2**70}], {}], start=1):
        published = await actae.publish(channel, payload)
        assert (published.cursor, published.event_type) == (cursor, "broadcast")
        assert published.payload == payload
        assert await actae.replay(channel, cursor=cursor - 1) == [published]
    assert published.actor == "key:key_dev"


async def test_an_operation_id_names_one_event(actae: ActaeClient, channel: str) -> None:
    """Over the WebSocket and over HTTP; other content under it is refused at once, by its class."""
    first = await actae.publish(channel, {"a": 1, "b": 2}, operation_id="one")
    again = await actae.publish(channel, {"b": 2, "a": 1}, operation_id="one")
    recorded = await actae.record(channel, "broadcast", {"a": 1, "b": 2}, actor="me", operation_id="one")
    assert first.id == again.id == recorded.id
    with pytest.raises(errors.IdempotencyConflictError):
        await actae.publish(channel, {"a": 2}, operation_id="one")


async def test_a_refusal_is_raised_at_once(actae: ActaeClient, channel: str) -> None:
    """As the same error that HTTP brings, and by the call alone: the callback does not hear of it."""
    told: list[str] = []
    actae.on_error(told.append)
    await actae.publish(channel, 1)
    await actae.close_channel(channel)
    with pytest.raises(errors.ChannelClosedError) as caught:
        await actae.publish(channel, 2)
    assert (caught.value.status_code, caught.value.code) == (409, "channel_closed")
    with pytest.raises(errors.ChannelClosedError) as over_http:
        await actae.record(channel, "broadcast", 2, actor="me")
    for of in (caught.value, over_http.value):
        assert (of.details, of.hint, of.retryable) == (
            {"channel_id": channel}, over_http.value.hint, False
        )  # fmt: skip
    await actae.publish(f"{channel}.b", 1)
    assert told == []


async def test_bad_arguments_are_refused_before_anything_is_sent(
    scripted_socket: ScriptedSocket, make_client: Make
) -> None:
    """When the method is called, and with the path of the bad value."""
    client = make_client()
    with pytest.raises(ValueError, match="channel_id"):
        client.publish("no/channel", 1)
    with pytest.raises(ValueError, match=r"payload\.a\[1\] is nan"):
        client.publish("run-7", {"a": [1, float("nan")]})
    with pytest.raises(TypeError, match="bytes"):
        client.publish("run-7", b"bytes")  # type: ignore[arg-type]
    for cursor in (-1, True, "1"):
        with pytest.raises((TypeError, ValueError), match="cursor"):
            client.subscribe("run-7", cursor)  # type: ignore[arg-type]
        with pytest.raises((TypeError, ValueError), match="cursor"):
            client.stream("run-7", cursor)  # type: ignore[arg-type]
    assert scripted_socket.upgrades == 0


async def test_many_publishes_share_the_connection(actae: ActaeClient, channel: str) -> None:
    """Each is told of its own event, in whatever order they are stored."""
    published = await asyncio.gather(*(actae.publish(channel, n) for n in range(200)))
    assert [each.payload for each in published] == list(range(200))
    assert sorted(each.cursor for each in published) == list(range(1, 201))


async def test_a_large_payload_goes_over_http(actae: ActaeClient, channel: str) -> None:
    """No frame would carry it. It is the same operation, however it is sent."""
    payload = "x" * 1_500_000
    async with actae.stream(channel) as stream:
        published = await actae.publish(channel, payload, operation_id="large")
        assert (published.payload, published.event_type) == (payload, "broadcast")
        assert (await actae.publish(channel, payload, operation_id="large")).id == published.id
        assert await anext(stream) == published


@pytest.mark.usefixtures("impatient")
async def test_a_publish_that_is_cut_off_is_sent_again(
    scripted_socket: ScriptedSocket, make_client: Make
) -> None:
    """After the reconnect, under the same operation id, of which one is made where none is given."""
    publishing = asyncio.create_task(make_client().publish("run-7", {"n": 1}))
    peer = await scripted_socket.next_client()
    first = await peer.expect("broadcast")
    assert first["operation_id"]
    await peer.cut()
    peer = await scripted_socket.next_client()
    again = await peer.ack(event(3, {"n": 1}))
    assert again == first
    assert (await publishing).cursor == 3


@pytest.mark.parametrize("options", [{"auto_reconnect": False}, {}], ids=["no reconnect", "disconnect"])
async def test_without_another_connection_it_is_raised_at_once(
    scripted_socket: ScriptedSocket, make_client: Make, options: dict[str, Any]
) -> None:
    """As a connection error; nobody is cancelled, nobody waits for a timeout."""
    client = make_client(timeout=600, **options)
    publishing = asyncio.create_task(client.publish("run-7", 1))
    peer = await scripted_socket.next_client()
    await peer.expect("broadcast")
    if options:
        await peer.cut()
    else:
        await client.disconnect()
    with pytest.raises(ActaeConnectionError, match="cut off" if options else "disconnected") as caught:
        await publishing
    assert not caught.value.is_outcome_known
    assert scripted_socket.upgrades == 1


async def test_a_publish_without_an_answer_ends_in_time(
    scripted_socket: ScriptedSocket, make_client: Make
) -> None:
    """It may be stored; the same id settles that."""
    publishing = asyncio.create_task(make_client(timeout=0.3).publish("run-7", 1))
    peer = await scripted_socket.next_client()
    asked = await peer.expect("broadcast")
    with pytest.raises(ActaeConnectionError, match=r"not acknowledged within 0\.3 s") as caught:
        await publishing
    assert not caught.value.is_outcome_known
    await peer.say("Ack", request_id=asked["request_id"], **event(1))  # Nobody waits for it any more.


async def test_a_refusal_that_may_pass_is_followed_by_another_try(
    scripted_socket: ScriptedSocket, make_client: Make
) -> None:
    """As over HTTP: as often as `retry` says, and with the same id."""
    publishing = asyncio.create_task(make_client().publish("run-7", 1))
    peer = await scripted_socket.next_client()
    ids = set()
    for status in ("unavailable", "unavailable", "unavailable"):
        asked = await peer.expect("broadcast")
        ids.add(asked["operation_id"])
        await peer.say("Nack", request_id=asked["request_id"], status=status, message="later")
    ids.add((await peer.ack(event(1, 1)))["operation_id"])
    assert (await publishing).cursor == 1
    assert len(ids) == 1


async def test_an_acknowledgement_that_is_too_large_is_read_whole(
    scripted_socket: ScriptedSocket, make_client: Make
) -> None:
    """The event that comes back has names and moments beside the payload."""
    scripted_socket.log = [event(1, "the whole of it")]
    publishing = asyncio.create_task(make_client().publish("run-7", "the whole of it"))
    peer = await scripted_socket.next_client()
    await peer.ack(event(1, {"truncated": True, "size_bytes": 9}, truncated=True))
    assert (await publishing).payload == "the whole of it"


async def test_own_events_are_left_out(server: RunningServer, actae: ActaeClient, channel: str) -> None:
    """Those of others come, with the right neighbours."""
    async with actae.stream(channel) as stream, actae.stream(channel, 0) as another:
        for n in range(10):
            await actae.publish(channel, n)
            server.record(channel, payload=n)
        for reader in (stream, another):
            assert [(await anext(reader)).cursor for _ in range(10)] == list(range(2, 21, 2))


async def test_own_events_are_echoed_once_and_in_their_place(server: RunningServer, channel: str) -> None:
    """With `echo_self`, to streams and callbacks; also those whose acknowledgement came early."""
    heard: list[int] = []
    async with ActaeClient(api_key=server.api_key, endpoint=server.url, echo_self=True) as client:
        client.on_message(lambda _, event: heard.append(event.cursor))
        await client.subscribe(channel)
        async with client.stream(channel) as stream:
            publishes = [client.publish(channel, n) for n in range(50)]
            others = [client.record(channel, "note", n, actor="other") for n in range(50)]
            await asyncio.gather(*publishes, *others)
            assert [(await anext(stream)).cursor for _ in range(100)] == list(range(1, 101))
        last = await client.record(channel, "note", None, actor="other")
        async with client.stream(channel, 100) as stream:
            assert await anext(stream) == last
    assert heard[:100] == list(range(1, 101))


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("echo_self", [True, False])
async def test_own_events_do_not_come_twice_after_a_cut(
    scripted_socket: ScriptedSocket, make_client: Make, echo_self: bool
) -> None:
    """The server replays them as history; whoever has had them, or left them out, does not get them again."""
    client = make_client(echo_self=echo_self)
    stream = client.stream("run-7")
    first = asyncio.create_task(anext(stream))
    peer = await scripted_socket.next_client()
    await peer.confirm(0)
    publishing = asyncio.create_task(client.publish("run-7", 1))
    await peer.ack(event(1))
    await publishing
    await peer.cut()
    peer = await scripted_socket.next_client()
    assert (await peer.confirm(1))["cursor"] == 1
    for cursor in (1, 2):
        await peer.tell(event(cursor))
    got = [(await first).cursor] + ([(await anext(stream)).cursor] if echo_self else [])
    assert got == ([1, 2] if echo_self else [2])


@pytest.mark.usefixtures("impatient")
async def test_publishes_through_a_line_that_is_cut_are_stored_once_each(
    start_server: Callable[..., RunningServer], channel: str
) -> None:
    """Whatever was cut: the message, its acknowledgement, the handshake."""
    server = start_server()
    with CuttingProxy(server.url, seed=5, bytes_max=9000, until=b"authenticated") as proxy:
        async with ActaeClient(api_key=server.api_key, endpoint=proxy.url) as client:
            for batch in range(20):
                published = await asyncio.gather(
                    *(client.publish(channel, batch * 10 + each) for each in range(10))
                )
                assert [event.payload for event in published] == list(range(batch * 10, batch * 10 + 10))
        assert proxy.cuts > 10
    async with ActaeClient(api_key=server.api_key, endpoint=server.url) as client:
        stored = await client.replay(channel, limit=1000)
    assert sorted(event.payload for event in stored) == list(range(200))


def test_the_blocking_client_publishes_over_http(server: RunningServer, channel: str) -> None:
    """The same event, but for its actor; under the same ids."""
    with SyncActaeClient(api_key=server.api_key, endpoint=server.url) as client:
        published = client.publish(channel, {"n": 1}, operation_id="one")
        assert client.publish(channel, {"n": 1}, operation_id="one") == published
        assert (published.event_type, published.actor) == ("broadcast", "publisher")
        with pytest.raises(errors.IdempotencyConflictError):
            client.publish(channel, {"n": 2}, operation_id="one")
        with pytest.raises(ValueError, match="channel_id"):
            client.publish("no/channel", 1)
