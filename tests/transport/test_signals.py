"""What connections wait with does what asyncio's own does."""

import asyncio

import pytest

from actae.transport.signals import Inbox, Signal

SIGNALS = pytest.mark.parametrize("make", [Signal, asyncio.Event])
INBOXES = pytest.mark.parametrize("make", [Inbox, asyncio.Queue])


async def settled(*tasks: "asyncio.Task[object]") -> list[bool]:
    """Which of them are done, once everybody has had a turn."""
    for _ in range(5):
        await asyncio.sleep(0)
    return [task.done() for task in tasks]


@SIGNALS
async def test_whoever_waits_goes_on_when_it_is_set(make: type[Signal]) -> None:
    """All of them, and those who come later at once."""
    signal = make()
    waiting = [asyncio.create_task(signal.wait()) for _ in range(3)]
    assert await settled(*waiting) == [False, False, False]
    signal.set()
    assert signal.is_set()
    late = asyncio.create_task(signal.wait())
    assert await settled(*waiting, late) == [True, True, True, True]


@SIGNALS
async def test_a_signal_that_is_cleared_at_once_was_given_all_the_same(make: type[Signal]) -> None:
    """Whoever waited goes on; whoever comes now waits."""
    signal = make()
    before = asyncio.create_task(signal.wait())
    await settled(before)
    signal.set()
    signal.clear()
    assert not signal.is_set()
    after = asyncio.create_task(signal.wait())
    assert await settled(before, after) == [True, False]
    after.cancel()


@SIGNALS
async def test_who_was_cancelled_is_in_nobodys_way(make: type[Signal]) -> None:
    """Before the signal, and together with it."""
    signal = make()
    early, late, patient = (asyncio.create_task(signal.wait()) for _ in range(3))
    await settled(early, late, patient)
    early.cancel()
    await settled(early)
    late.cancel()
    signal.set()
    assert await settled(early, late, patient) == [True, True, True]
    assert [early.cancelled(), late.cancelled(), patient.cancelled()] == [True, True, False]


@INBOXES
async def test_messages_are_taken_in_the_order_in_which_they_came(make: type[Inbox]) -> None:
    """Whether they were waited for or not."""
    inbox = make()
    assert inbox.empty()
    first = asyncio.create_task(inbox.get())
    assert await settled(first) == [False]
    for message in ("one", "two", "three"):
        inbox.put_nowait(message)
    assert await first == "one"
    assert [await inbox.get(), await inbox.get()] == ["two", "three"]
    assert inbox.empty()


@INBOXES
@pytest.mark.parametrize("is_cancelled_first", [True, False])
async def test_a_taker_that_is_cancelled_loses_no_message(
    make: type[Inbox], *, is_cancelled_first: bool
) -> None:
    """Not even one that comes at that moment."""
    inbox = make()
    taking = asyncio.create_task(inbox.get())
    await settled(taking)
    both = [taking.cancel, lambda: inbox.put_nowait("one")]
    for act in both if is_cancelled_first else reversed(both):
        act()
    assert await settled(taking) == [True]
    assert taking.cancelled()
    assert await inbox.get() == "one"
