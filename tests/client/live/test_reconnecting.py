"""The connection is lost, and what the client does about it."""

import asyncio
import logging

import pytest
from aiohttp import web

from actae_client import ActaeConnectionError, AuthError
from actae_client.errors import PermissionDeniedError
from actae_client.live import connection as connection_module
from actae_client.live import topics as topics_module
from tests.client.live.conftest import Make
from tests.client.live.support.scripted_socket import Peer, ScriptedSocket, event
from tests.support.waiting import until_async

pytestmark = pytest.mark.usefixtures("impatient")


async def test_a_topic_that_was_empty_is_resumed_from_its_beginning(
    scripted_socket: ScriptedSocket, make_client: Make
) -> None:
    """A watermark of 0 is one: what was recorded during the outage comes."""
    stream = make_client().stream("run-7")
    first = asyncio.create_task(anext(stream))
    peer = await scripted_socket.next_client()
    assert await peer.confirm(0) == {"type": "subscribe", "topic": "run-7"}
    await peer.cut()
    peer = await scripted_socket.next_client()
    assert await peer.confirm(0) == {"type": "subscribe", "topic": "run-7", "cursor": 0}
    await peer.tell(event(1, "during the outage"))
    assert (await first).payload == "during the outage"


async def test_it_goes_on_after_what_has_come(scripted_socket: ScriptedSocket, make_client: Make) -> None:
    """Whatever is sent again is not given again."""
    stream = make_client().stream("run-7")
    first = asyncio.create_task(anext(stream))
    peer = await scripted_socket.next_client()
    await peer.confirm(4)
    await peer.tell(event(5))
    assert (await first).cursor == 5
    await peer.cut()
    peer = await scripted_socket.next_client()
    assert (await peer.confirm(5))["cursor"] == 5
    for cursor in (4, 5, 6):
        await peer.tell(event(cursor))
    assert (await anext(stream)).cursor == 6
    assert stream.cursor == 6


async def test_callbacks_tell_the_story(scripted_socket: ScriptedSocket, make_client: Make) -> None:
    """In its order; a subscription is told again when it is confirmed again."""
    story: list[object] = []
    client = make_client()
    client.on_disconnected(lambda: story.append("disconnected"))
    client.on_reconnect(lambda: story.append("reconnected"))
    client.on_subscribed(lambda topic, cursor: story.append((topic, cursor)))
    client.on_message(lambda _, event: story.append(event.cursor))
    subscribing = asyncio.create_task(client.subscribe("run-7"))
    peer = await scripted_socket.next_client()
    await peer.confirm(0)
    await subscribing
    await peer.tell(event(1))
    await peer.say("Connection", event="pong")
    await peer.cut()
    peer = await scripted_socket.next_client()
    await peer.confirm(1)
    await until_async(lambda: "reconnected" in story)
    await peer.tell(event(2))
    await until_async(lambda: 2 in story)
    assert story == [("run-7", 0), 1, "disconnected", ("run-7", 1), "reconnected", 2]


async def test_a_resubscription_that_is_refused_is_raised(
    scripted_socket: ScriptedSocket, make_client: Make
) -> None:
    """By the streams of that topic, at once; the callback hears of it; other topics go on."""
    told: list[str] = []
    client = make_client()
    client.on_error(told.append)
    streams = [client.stream(topic, 0) for topic in ("run-7", "run-8")]
    reading = [asyncio.create_task(anext(stream)) for stream in streams]
    peer = await scripted_socket.next_client()
    await peer.confirm(0)
    await peer.confirm(0)
    await peer.cut()
    peer = await scripted_socket.next_client()
    for _ in reading:
        asked = await peer.expect("subscribe")
        if asked["topic"] == "run-7":
            fields = {"topic": "run-7", "error": "not yours", "status": "forbidden"}
            await peer.say("Subscription", event="error", payload=fields)
        else:
            await peer.say("Subscription", event="subscribed", topic="run-8", cursor=0)
    with pytest.raises(PermissionDeniedError, match="not yours"):
        await reading[0]
    await peer.tell(event(1, channel_id="run-8"))
    assert (await reading[1]).cursor == 1
    assert told == ["topic run-7: not yours"]


async def test_a_topic_that_is_taken_away_is_raised(
    scripted_socket: ScriptedSocket, make_client: Make
) -> None:
    """A key may lose its access while the connection is open. What has come before is given before."""
    stream = make_client().stream("run-7")
    first = asyncio.create_task(anext(stream))
    peer = await scripted_socket.next_client()
    await peer.confirm(0)
    await peer.tell(event(1))
    await peer.tell(event(2))
    fields = {"topic": "run-7", "error": "no longer", "status": "forbidden"}
    await peer.say("Subscription", event="error", payload=fields)
    assert (await first).cursor == 1
    assert (await anext(stream)).cursor == 2
    for _ in range(2):
        with pytest.raises(PermissionDeniedError, match="no longer"):
            await anext(stream)


async def test_a_refusal_that_may_pass_is_asked_again(
    scripted_socket: ScriptedSocket, make_client: Make
) -> None:
    """On the same connection."""
    first = asyncio.create_task(anext(make_client().stream("run-7")))
    peer = await scripted_socket.next_client()
    for _ in range(3):
        await peer.expect("subscribe")
        fields = {"topic": "run-7", "error": "the database is away", "status": "unavailable"}
        await peer.say("Subscription", event="error", payload=fields)
    await peer.confirm(0)
    await peer.tell(event(1))
    assert (await first).cursor == 1
    assert scripted_socket.upgrades == 1


async def test_a_resubscription_without_an_answer_ends_the_connection(
    scripted_socket: ScriptedSocket, make_client: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the next one is tried: a topic never falls silent."""
    monkeypatch.setattr(topics_module, "CONFIRMATION_SECONDS_MAX", 0.2)
    first = asyncio.create_task(anext(make_client().stream("run-7")))
    peer = await scripted_socket.next_client()
    await peer.expect("subscribe")
    await peer.ended.wait()
    peer = await scripted_socket.next_client()
    await peer.confirm(0)
    await peer.tell(event(1))
    assert (await first).cursor == 1


async def test_it_gives_up_after_ten_failures(scripted_socket: ScriptedSocket, make_client: Make) -> None:
    """Streams raise, callbacks hear; a call that comes later begins anew."""
    told: list[str] = []
    client = make_client()
    client.on_error(told.append)
    first = asyncio.create_task(anext(client.stream("run-7")))
    peer = await scripted_socket.next_client()
    await peer.confirm(0)
    scripted_socket.is_refusing = True
    await peer.cut()
    with pytest.raises(ActaeConnectionError, match="gave up after 10 attempts in a row: no WebSocket at ws:"):
        await first
    assert scripted_socket.upgrades == 1 + 10
    assert len(told) == 1
    scripted_socket.is_refusing = False
    again = asyncio.create_task(anext(client.stream("run-7")))
    peer = await scripted_socket.next_client()
    await peer.confirm(0)
    await peer.tell(event(1))
    assert (await again).cursor == 1


async def test_connections_that_never_get_anywhere_are_failures(
    scripted_socket: ScriptedSocket, make_client: Make
) -> None:
    """Ten that authenticate and are lost before a topic is confirmed."""
    first = asyncio.create_task(anext(make_client().stream("run-7")))
    peer = await scripted_socket.next_client()
    await peer.confirm(0)
    for _ in range(10):
        await peer.cut()
        peer = await scripted_socket.next_client()
        await peer.expect("subscribe")
    await peer.cut()
    with pytest.raises(ActaeConnectionError, match="gave up"):
        await first


async def refuse(peer: Peer, *, with_words: bool) -> None:
    """Turn a key away."""
    await peer.expect("auth")
    if with_words:
        await peer.say("Error", status="unauthorized", message="This API key is not known here.")
    await peer.socket.close(code=1008)


@pytest.mark.parametrize("with_words", [True, False])
async def test_a_bad_key_is_refused_at_once(
    scripted_socket: ScriptedSocket, make_client: Make, with_words: bool
) -> None:
    """By whichever call connects; it is not tried again."""
    client = make_client(timeout=600)
    connecting = asyncio.create_task(client.connect())
    await refuse(await scripted_socket.next_peer(), with_words=with_words)
    with pytest.raises(AuthError, match="not known here" if with_words else "refused the API key"):
        await connecting
    assert scripted_socket.upgrades == 1


@pytest.mark.parametrize("with_words", [True, False])
async def test_a_key_that_is_revoked_meanwhile_is_raised_at_once(
    scripted_socket: ScriptedSocket, make_client: Make, with_words: bool
) -> None:
    """Streams do not wait for ten failures."""
    first = asyncio.create_task(anext(make_client().stream("run-7")))
    peer = await scripted_socket.next_client()
    await peer.confirm(0)
    await peer.cut()
    await refuse(await scripted_socket.next_peer(), with_words=with_words)
    with pytest.raises(AuthError):
        await first
    assert scripted_socket.upgrades == 2


async def test_trouble_with_authentication_may_pass(
    scripted_socket: ScriptedSocket, make_client: Make
) -> None:
    """When the server says so: its database is away, or it has too many readers."""
    connecting = asyncio.create_task(make_client().connect())
    for status in ("unavailable", "too_many_readers"):
        peer = await scripted_socket.next_peer()
        await peer.expect("auth")
        await peer.say("Error", status=status, message="later")
        await peer.socket.close(code=1013)
    await scripted_socket.next_client()
    await connecting


async def test_without_reconnecting_a_lost_connection_is_raised(
    scripted_socket: ScriptedSocket, make_client: Make
) -> None:
    """At once, so that nobody takes a cut for an end."""
    client = make_client(auto_reconnect=False)
    lost = asyncio.Event()
    client.on_disconnected(lost.set)
    first = asyncio.create_task(anext(client.stream("run-7")))
    peer = await scripted_socket.next_client()
    await peer.confirm(0)
    await peer.socket.close(code=1001)
    with pytest.raises(ActaeConnectionError, match=r"closed \(1001\)"):
        await first
    assert lost.is_set()
    assert scripted_socket.upgrades == 1


async def test_a_frame_that_cannot_be_read_loses_nothing(
    scripted_socket: ScriptedSocket, make_client: Make, caplog: pytest.LogCaptureFixture
) -> None:
    """What may have been in it is missed by its cursor, and read."""
    scripted_socket.log = [event(1), event(2), event(3)]
    stream = make_client().stream("run-7")
    first = asyncio.create_task(anext(stream))
    peer = await scripted_socket.next_client()
    await peer.confirm(0)
    await peer.tell(event(1))
    with caplog.at_level(logging.WARNING, "actae_client"):
        await peer.socket.send_str('{"Broadcast": {"topic": "run-7", "payl')
        await peer.socket.send_bytes(b"binary")
        await peer.tell(event(3))
        assert [(await first).cursor] + [(await anext(stream)).cursor for _ in range(2)] == [1, 2, 3]
    assert "cannot be read" in caplog.text
    assert scripted_socket.reads == 1


async def test_a_server_that_only_says_how_far_it_is(
    scripted_socket: ScriptedSocket, make_client: Make
) -> None:
    """The rest is read from the log; so it is where a confirmation has no cursor."""
    scripted_socket.log = [event(1)]
    stream = make_client().stream("run-7")
    first = asyncio.create_task(anext(stream))
    peer = await scripted_socket.next_client()
    await peer.confirm(None)
    await peer.say("Connection", event="pong")
    await until_async(lambda: stream.cursor is not None)
    scripted_socket.log += [event(2), event(3)]
    await peer.say("CursorSync", topic="run-7", cursor=3)
    assert (await first).cursor == 2
    assert (await anext(stream)).cursor == 3


async def test_a_quiet_connection_of_an_impatient_client_is_kept(
    scripted_socket: ScriptedSocket, make_client: Make
) -> None:
    """`timeout` is how long a call may take; silence is no call."""
    first = asyncio.create_task(anext(make_client(timeout=0.5).stream("run-7")))
    peer = await scripted_socket.next_client()
    await peer.confirm(0)
    await asyncio.sleep(1.5)  # Three times the timeout, and not a word.
    await peer.tell(event(1))
    assert (await first).cursor == 1
    assert scripted_socket.upgrades == 1


async def test_a_peer_that_is_gone_without_a_word_is_noticed(
    scripted_socket: ScriptedSocket, make_client: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It answers no ping: a cable was pulled, and no byte says so."""
    monkeypatch.setattr(connection_module, "HEARTBEAT_SECONDS", 0.2)
    monkeypatch.setattr(web.WebSocketResponse, "pong", _never)
    first = asyncio.create_task(anext(make_client().stream("run-7")))
    peer = await scripted_socket.next_client()
    await peer.confirm(0)
    await scripted_socket.next_client()
    monkeypatch.undo()
    first.cancel()


async def _never(*_: object) -> None:
    pass
