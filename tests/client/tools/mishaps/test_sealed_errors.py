"""Exceptions that take no attribute, and so no note, are raised and recorded like any other."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest

from actae_client.tools import ActaeToolExecutor
from tests.client.tools.mishaps.support.scripted_ledger import ScriptedLedger


@dataclass(frozen=True)
class Frozen(Exception):  # noqa: N818 - what is wrong with it
    """A dataclass that refuses whatever is set."""

    order: str = "o-1"


class Sealed(Exception):  # noqa: N818 - what is wrong with it
    """An exception that refuses by hand."""

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(name)


class Noted(Exception):  # noqa: N818 - what is wrong with it
    """An exception with notes of another kind."""

    __notes__ = "a text"


sealed = pytest.mark.parametrize(
    "error", [Frozen(), Sealed("no"), Noted("no")], ids=lambda it: type(it).__name__
)


@sealed
@pytest.mark.parametrize("form", ["function", "coroutine function"])
async def test_a_sealed_error_may_leave_the_outcome_open(
    executor: ActaeToolExecutor, ledger: ScriptedLedger, error: Exception, form: str
) -> None:
    """The ledger is told, and the caller gets the tool's own error."""

    def raises() -> None:
        raise error

    async def raises_later() -> None:
        raise error

    tool = raises if form == "function" else raises_later
    with pytest.raises(type(error)) as caught:
        await executor.execute("k", "t", {}, tool, on_lapse="ambiguous", ambiguous_on=(type(error),))
    assert caught.value is error
    assert ledger.row("k").status == "ambiguous"


@sealed
async def test_a_sealed_error_of_a_tool_that_was_taken_over_is_raised(
    executor: ActaeToolExecutor, ledger: ScriptedLedger, error: Exception
) -> None:
    """What it cannot be told is left out."""

    async def tool() -> None:
        ledger.take_over("k")
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise error from None

    with pytest.raises(type(error)) as caught:
        await executor.execute("k", "t", {}, tool, lease_seconds=1, heartbeat_interval=0.1)
    assert caught.value is error
    assert ledger.row("k").status == "running"
