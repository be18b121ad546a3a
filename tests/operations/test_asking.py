"""Questions whose answers nobody waits for longer than a while."""

import asyncio

import pytest

from actae.operations.asking import Asking


class Question:
    """Answered when the test says so; who gives it up has to wait for that, too."""

    def __init__(self) -> None:
        self.times_asked = 0
        self.answered = asyncio.Event()

    async def ask(self) -> int:
        """How often it was asked."""
        self.times_asked += 1
        try:
            await self.answered.wait()
        except asyncio.CancelledError:
            await self.answered.wait()
            raise
        return self.times_asked


async def test_nobody_waits_for_what_cannot_be_given_up() -> None:
    """It stays open meanwhile, and is not asked again beside itself."""
    question = Question()
    asking = Asking(question.ask, name="test")
    for _ in range(3):
        with pytest.raises(TimeoutError):
            await asking.answer(0.01)
    question.answered.set()
    assert await asking.answer(30) == 1
    assert await asking.answer(30) == 2


async def test_what_was_given_up_is_asked_anew_once_it_has_ended() -> None:
    """Whoever comes before that is not told what somebody else did not want any more."""
    question = Question()
    asking = Asking(question.ask, name="test")
    with pytest.raises(TimeoutError):
        await asking.answer(0.01)
    asking.give_up()
    await asyncio.sleep(0)
    question.answered.set()
    with pytest.raises(TimeoutError):
        await asking.answer(30)
    assert await asking.answer(30) == 2


async def test_an_error_is_an_answer() -> None:
    """Raised to whoever asked."""

    async def fail() -> int:
        raise LookupError("no")

    with pytest.raises(LookupError):
        await Asking(fail, name="test").answer(30)
