"""Who has heard what, and who is waited for."""

import asyncio
import json

import pytest

from benchmarks.load import broadcast as broadcasts
from benchmarks.load.broadcast import Broadcast, broadcast_options, moment_in, now_ns, timed


def to(readers: int) -> Broadcast:
    """A broadcast that has begun and stays open."""
    options = ["--readers", str(readers), "--seconds", "60", "--warm-up", "0"]
    broadcast = Broadcast(broadcast_options("A test.").parse_args(options))
    broadcast.start()
    return broadcast


async def test_everyone_is_waited_for() -> None:
    """An event is through when the last reader has it."""
    broadcast = to(2)
    broadcast.hear(now_ns())
    broadcast.wrote(now_ns())
    everyone = broadcast.everyone_heard()
    assert not everyone.done()
    broadcast.hear(now_ns())
    assert everyone.done()
    told = json.loads(broadcast.as_json())
    assert (told["finished_count"], told["refusal_count"]) == (2, 0)
    assert told["p50_ms"] >= 0
    assert told["reply_p50_ms"] >= 0


async def test_who_is_ahead_of_the_reply_is_not_waited_for_again() -> None:
    """Deliveries may overtake the answer to the writer."""
    broadcast = to(1)
    broadcast.hear(now_ns())
    broadcast.wrote(now_ns())
    assert broadcast.everyone_heard().done()


async def test_nobody_waits_for_a_reader_that_was_lost() -> None:
    """The run ends, and says why."""
    broadcast = to(2)
    broadcast.wrote(now_ns())
    everyone = broadcast.everyone_heard()
    broadcast.refuse("the server closed the connection")
    assert everyone.done()
    broadcast.wrote(now_ns())
    assert broadcast.everyone_heard().done()
    assert json.loads(broadcast.as_json())["first_refusal"] == "the server closed the connection"


async def test_a_delivery_that_never_comes_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not hang the run."""
    monkeypatch.setattr(broadcasts, "ALL_WITHIN_SECONDS", 0)
    broadcast = to(3)
    broadcast.wrote(now_ns())
    broadcast.hear(now_ns())
    async with asyncio.timeout(30):
        await broadcast.everyone_heard()
    assert json.loads(broadcast.as_json())["first_refusal"] == "2 of 3 deliveries never came"


def test_an_event_carries_its_moment() -> None:
    """As JSON, and found again without decoding it."""
    payload = timed(123_456_789)
    assert json.loads(payload)["at"] == 123_456_789
    text = f'["at":1,{payload}]'.encode()
    assert moment_in(text, 8, len(text)) == 123_456_789
    with pytest.raises(LookupError, match="no moment"):
        moment_in(text, 8, 12)
