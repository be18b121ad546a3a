"""The lean reader of a channel: what it counts, and everything that it must not take for a delivery."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest
from websockets.frames import Frame, Opcode

from benchmarks.load.seats import seat
from benchmarks.load.subscriber import Subscriber
from tests.support.recital import reciting

SWITCHED = b"HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\r\n"


def said(tag: str, **fields: Any) -> bytes:
    """A frame of the server."""
    text = json.dumps({tag: fields}, separators=(",", ":"))
    return Frame(Opcode.TEXT, text.encode()).serialize(mask=False)


def event(cursor: int, at: int = 7) -> bytes:
    """What a subscriber is told of an event."""
    told = {"payload": {"at": at, "invoice": "inv-1"}, "cursor": cursor, "channel_cursor": cursor}
    return said("Broadcast", topic="run-1", payload={"event": told})


HELLO = SWITCHED + said("Connection", event="connected")
LET_IN = said("Connection", event="authenticated")
SUBSCRIBED = said("Subscription", event="subscribed", topic="run-1", cursor=4)
PING = Frame(Opcode.PING, b"1234").serialize(mask=False)


async def followed(pieces: Sequence[bytes], *, hears: bool = True) -> tuple[list[int], str]:
    """The moments that a subscriber has heard, and why it gave up."""
    heard: list[int] = []
    end: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def subscriber(host: str, _number: int) -> Subscriber:
        return Subscriber(host, "sk-1", "run-1", hear=heard.append if hears else None, give_up=end.set_result)

    async with reciting(pieces) as port:
        await seat(1, f"http://127.0.0.1:{port}", subscriber)
        return heard, await end


async def test_events_count_from_the_confirmed_cursor_on() -> None:
    """Also those that come together with the confirmation, and around a ping."""
    heard, why = await followed(
        [HELLO, LET_IN, SUBSCRIBED + event(5, at=50), PING, event(6, at=60) + event(7)]
    )
    assert heard == [50, 60, 7]
    assert "closed the connection" in why


async def test_packets_may_end_anywhere() -> None:
    """Byte by byte, as a slow network would."""
    everything = HELLO + LET_IN + SUBSCRIBED + event(5, at=50) + event(6, at=60)
    heard, _ = await followed([bytes([byte]) for byte in everything])
    assert heard == [50, 60]


@pytest.mark.parametrize(
    ("pieces", "why"),
    [
        pytest.param([event(6)], "instead of event 5", id="missing"),
        pytest.param([event(5), event(5)], "instead of event 6", id="doubled"),
        pytest.param([event(5), event(7), event(6)], "instead of event 6", id="out of order"),
        pytest.param([said("Error", status="gone", message="no")], "instead of event 5", id="an error"),
        pytest.param([Frame(Opcode.CLOSE, b"\x03\xf5").serialize(mask=False)], "kind 0x88", id="closed"),
        pytest.param([], "closed the connection", id="cut off"),
    ],
)
async def test_whatever_is_not_the_next_event_is_told(pieces: list[bytes], why: str) -> None:
    """A benchmark that counted it would praise a broken server."""
    _, told = await followed([HELLO, LET_IN, SUBSCRIBED, *pieces])
    assert why in told


@pytest.mark.parametrize(
    ("pieces", "why"),
    [
        pytest.param([b"HTTP/1.1 404 Not Found\r\n\r\n"], "404 Not Found", id="no WebSocket"),
        pytest.param([HELLO, said("Error", status="unauthorized")], "unauthorized", id="a bad key"),
        pytest.param([HELLO, LET_IN, said("Subscription", event="error")], '"error"', id="no permission"),
        pytest.param([HELLO], "closed the connection", id="cut off"),
    ],
)
async def test_who_is_not_let_in_says_why(pieces: list[bytes], why: str) -> None:
    """Nothing is measured with fewer readers than were asked for."""
    with pytest.raises(LookupError, match=why):
        await followed(pieces)


async def test_a_reader_of_nothing_minds_any_event() -> None:
    """Its memory would no longer be that of a reader of nothing."""
    _, told = await followed([HELLO, LET_IN, SUBSCRIBED, event(5)], hears=False)
    assert "instead of event 5" in told
