"""Events in order, from whatever way they come."""

from typing import Any

import pytest

from actae_client.live import sequence
from actae_client.live.sequence import Sequence
from actae_client.types import Event
from tests.client.live.support.scripted_socket import event as fields


def event(cursor: int) -> Event:
    """Any event at this cursor."""
    return Event.from_dict(fields(cursor))


def perform(steps: list[Any], position: int = 0, head: int = 0) -> list[Any]:
    """What is taken, and where something has to be read, while these things happen.

    A number is a live event, `("own", n)` an acknowledged one that is wanted, `("out", n)` one that is not,
    `("head", n)` news that the channel reaches there, `("page", …)` what was read.
    """
    known = Sequence(position, head=head)
    seen: list[Any] = []
    for step in steps:
        match step:
            case int():
                known.offer(event(step), 100)
            case "own", cursor:
                known.offer_own(event(cursor), 100)
            case "out", cursor:
                known.leave_out(cursor)
            case "head", cursor:
                known.hear_of(cursor)
            case "page", *cursors:
                known.fill([event(cursor) for cursor in cursors])
        while (taken := known.take()) is not None:
            seen.append(taken.cursor)
        if known.is_behind:
            seen.append(f"read after {known.position}")
    return seen


@pytest.mark.parametrize(
    ("steps", "seen"),
    [
        pytest.param([1, 2, 3], [1, 2, 3], id="in order"),
        pytest.param([1, 1, 2, 1, 2], [1, 2], id="doubled"),
        pytest.param([1, 3, ("page", 2, 3)], [1, "read after 1", 2, 3], id="one is missing"),
        pytest.param([3, 4, ("page", 1, 2)], ["read after 0"] * 2 + [1, 2, 3, 4], id="the first are missing"),
        pytest.param([("head", 2), ("page", 1, 2)], ["read after 0", 1, 2], id="known of, and not come"),
        pytest.param(
            [("head", 1), 2, ("page", 1)], ["read after 0", "read after 0", 1, 2], id="a stub, and the next"
        ),
        pytest.param([1, ("own", 2), 3], [1, 2, 3], id="an own one in its turn"),
        pytest.param([("own", 2), 1], [1, 2], id="an own one before its turn"),
        pytest.param([1, 2, ("own", 2), 3], [1, 2, 3], id="an own one that has come already"),
        pytest.param([1, ("out", 2), 3], [1, 3], id="left out in its turn"),
        pytest.param([("out", 2), 1, 3], [1, 3], id="left out before its turn"),
        pytest.param([("out", 2), 1, 2, 3], [1, 3], id="left out, and replayed after a cut"),
        pytest.param([("out", 2), ("head", 3), ("page", 1, 2, 3)], ["read after 0", 1, 3], id="out, read"),
        pytest.param([1, 2, ("out", 2), 3], [1, 2, 3], id="left out too late"),
        pytest.param([1, 3, ("out", 2)], [1, "read after 1", 3], id="acknowledged late"),
        pytest.param([("page", 5, 6)], [5, 6], id="a log that begins later"),
        pytest.param([("page", 1, 3), ("page", 3)], [1, "read after 1", 3], id="a log with a gap"),
    ],
)  # fmt: skip
def test_each_event_is_given_once_and_in_order(steps: list[Any], seen: list[Any]) -> None:
    """And what does not come live is asked for."""
    assert perform(steps) == seen


def test_what_is_before_the_beginning_is_not_given() -> None:
    """A cursor is exclusive; one beyond the end waits for what lies after it."""
    assert perform([3, 4, 5], position=4) == [5]
    assert perform([("page", 1, 2)], head=2) == [1, 2]
    assert perform([("head", 7)], position=9) == []


def test_history_is_not_left_out() -> None:
    """A publish that is repeated is acknowledged with its first event, which may lie before this reader."""
    known = Sequence(0, head=5)
    known.leave_out(3)
    known.fill([event(cursor) for cursor in range(1, 6)])
    assert [known.take() for _ in range(5)] == [event(cursor) for cursor in range(1, 6)]


def test_what_has_no_room_is_read_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that does not come holds a bounded number of events, however many there are."""
    monkeypatch.setattr(sequence, "EVENTS_MAX", 3)
    known = Sequence(0)
    for cursor in range(1, 1001):
        known.offer(event(cursor), 100)
    assert [taken.cursor for _ in range(3) if (taken := known.take())] == [1, 2, 3]
    assert known.take() is None
    assert known.is_behind
    known.offer(event(1001), 100)  # There is room again: it waits for what is read.
    known.fill([event(cursor) for cursor in range(4, 1001)])
    assert [taken.cursor for _ in range(2000) if (taken := known.take())] == list(range(4, 1002))
    assert not known.is_behind


def test_room_is_counted_in_bytes_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few large events fill it; what was taken makes room."""
    monkeypatch.setattr(sequence, "BYTES_MAX", 1000)
    known = Sequence(0)
    for cursor in (1, 2, 3):
        known.offer(event(cursor), 400)
    assert [taken.cursor for _ in range(9) if (taken := known.take())] == [1, 2]
    assert known.is_behind
    known.fill([event(3)])
    assert known.take() == event(3)
    known.offer(event(4), 1000)
    assert known.take() == event(4)


def test_an_own_event_without_room_is_read_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is known to exist, and that is enough."""
    monkeypatch.setattr(sequence, "EVENTS_MAX", 1)
    known = Sequence(0)
    known.offer(event(1), 100)
    known.offer_own(event(2), 100)
    assert known.take() == event(1)
    assert known.is_behind
