"""A tool after which nobody knows: the mark before it, and what becomes of its operation."""

from __future__ import annotations

import asyncio
import functools
from typing import Any

import pytest

from actae_client import ActaeConnectionError
from actae_client.client import SyncActaeClient
from actae_client.tools import ActaeToolExecutor, LeaseLostError
from actae_client.tools.call import EffectOptions
from tests.client.tools.mishaps.support.scripted_ledger import Mishap, ScriptedLedger
from tests.client.tools.support.tools import Charge
from tests.support.waiting import until_async

AMBIGUOUS: EffectOptions = {"on_lapse": "ambiguous"}


async def test_the_ledger_is_told_before_the_tool_is_called(
    executor: ActaeToolExecutor, ledger: ScriptedLedger
) -> None:
    """Only after the answer: who dies before it has not called the tool."""
    seen: list[list[str]] = []
    await executor.execute("k", "t", {}, lambda: seen.append(ledger.verbs()), **AMBIGUOUS)
    assert seen == [["claim", "dispatched"]]
    claim, mark = ledger.calls[0][1], ledger.calls[1][1]
    assert (claim["on_lapse"], claim["dispatches"]) == ("ambiguous", True)
    assert mark == {"claim_token": ledger.row("k").token}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, {}),
        ({"mark_dispatched": True}, {}),
        ({"on_lapse": "ambiguous", "mark_dispatched": False}, {"on_lapse": "ambiguous"}),
        ({"on_failure": "replay", "ttl_seconds": 60}, {"on_failure": "replay", "ttl_seconds": 60}),
    ],
)
async def test_who_does_not_ask_for_it_pays_no_round_trip(
    executor: ActaeToolExecutor, ledger: ScriptedLedger, options: Any, said: dict[str, Any]
) -> None:
    """And says nothing about it."""
    await executor.execute("k", "t", {}, Charge(), **options)
    assert ledger.verbs() == ["claim", "complete"]
    terms = ("on_lapse", "dispatches", "on_failure", "ttl_seconds")
    assert {name: value for name, value in ledger.calls[0][1].items() if name in terms} == said


@pytest.mark.parametrize("mishap", [Mishap.CUT, Mishap.REPLY_LOST, Mishap.UNAVAILABLE])
async def test_a_mark_is_sent_again(
    executor: ActaeToolExecutor, ledger: ScriptedLedger, mishap: Mishap
) -> None:
    """Repeating it changes nothing, so the client does."""
    charge = Charge()
    ledger.next_time("dispatched", mishap)
    assert await executor.execute("k", "t", {}, charge, **AMBIGUOUS) == "paid"
    assert ledger.verbs() == ["claim", "dispatched", "dispatched", "complete"]


async def test_without_an_answer_to_the_mark_the_tool_is_not_called(
    executor: ActaeToolExecutor, ledger: ScriptedLedger
) -> None:
    """And the operation is given back, because that much is known."""
    charge = Charge()
    ledger.from_now_on("dispatched", Mishap.REPLY_LOST)
    with pytest.raises(ActaeConnectionError):
        await executor.execute("k", "t", {}, charge, **AMBIGUOUS)
    assert (charge.runs, ledger.row("k").status) == (0, "cancelled")


async def test_who_was_taken_over_before_the_mark_does_not_call_the_tool(
    executor: ActaeToolExecutor, ledger: ScriptedLedger
) -> None:
    """The new owner does."""
    charge, gate = Charge(), ledger.hold("dispatched")
    calling = asyncio.create_task(executor.execute("k", "t", {}, charge, **AMBIGUOUS))
    await until_async(lambda: ledger.count("dispatched"))
    ledger.take_over("k")
    gate.set()
    with pytest.raises(LeaseLostError):
        await calling
    assert (charge.runs, ledger.row("k").status) == (0, "running")


async def test_who_is_cancelled_while_the_mark_is_under_way_gives_the_operation_back(
    executor: ActaeToolExecutor, ledger: ScriptedLedger
) -> None:
    """The tool was not called."""
    charge, gate = Charge(), ledger.hold("dispatched")
    calling = asyncio.create_task(executor.execute("k", "t", {}, charge, **AMBIGUOUS))
    await until_async(lambda: ledger.count("dispatched"))
    calling.cancel()
    await asyncio.sleep(0)
    gate.set()
    with pytest.raises(asyncio.CancelledError):
        await calling
    assert (charge.runs, ledger.row("k").status) == (0, "cancelled")


class ReadTimeout(TimeoutError):  # noqa: N818 - what libraries call it
    """No answer in time, in the words of an HTTP library."""


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (TimeoutError("no answer"), "ambiguous"),
        (ReadTimeout("no answer"), "ambiguous"),
        (
            ExceptionGroup("both", [ValueError("no"), ExceptionGroup("…", [ReadTimeout("no answer")])]),
            "ambiguous",
        ),
        (ExceptionGroup("both", [ValueError("no"), KeyError("no")]), "failed"),
        (ValueError("card declined"), "failed"),
    ],
    ids=["a time-out", "a kind of one", "one among others", "others", "a refusal"],
)
@pytest.mark.parametrize("form", ["function", "coroutine function"])
async def test_some_errors_leave_the_outcome_open(
    executor: ActaeToolExecutor, ledger: ScriptedLedger, error: Exception, status: str, form: str
) -> None:
    """They reach the caller as they are; the operation is handed to nobody."""

    def raises() -> None:
        raise error

    async def raises_later() -> None:
        raise error

    tool = raises if form == "function" else raises_later
    with pytest.raises(type(error)) as caught:
        await executor.execute("k", "t", {}, tool, ambiguous_on=(TimeoutError,), **AMBIGUOUS)
    assert caught.value is error
    assert ledger.row("k").status == status
    assert any("unknown" in note for note in getattr(error, "__notes__", ())) == (status == "ambiguous")


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ({}, "cancelled"),
        ({"on_lapse": "ambiguous"}, "ambiguous"),
        ({"on_lapse": "ambiguous", "on_cancel": "cancel"}, "cancelled"),
        ({"on_cancel": "ambiguous"}, "ambiguous"),
        ({"on_lapse": "ambiguous", "on_cancel": "hold"}, "running"),
    ],
)
async def test_a_tool_that_was_cut_off_may_have_had_its_effect(
    executor: ActaeToolExecutor, ledger: ScriptedLedger, options: Any, status: str
) -> None:
    """Whoever cares about a lapse cares about this, too, unless they say otherwise."""
    begun = asyncio.Event()

    async def tool() -> None:
        begun.set()
        await asyncio.Event().wait()

    calling = asyncio.create_task(executor.execute("k", "t", {}, tool, **options))
    await begun.wait()
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    assert ledger.row("k").status == status


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ({}, "failed"),
        ({"on_lapse": "ambiguous", "on_cancel": "cancel"}, "ambiguous"),
        ({"on_failure": "replay"}, "cancelled"),
    ],
)
async def test_a_lost_lease_is_no_failure_of_the_tool(
    executor: ActaeToolExecutor, ledger: ScriptedLedger, options: Any, status: str
) -> None:
    """It is replayed to nobody, and where it matters whether the tool ran, nobody gets the operation."""
    ledger.from_now_on("heartbeat", Mishap.UNAVAILABLE)

    async def tool() -> None:
        await asyncio.Event().wait()

    with pytest.raises(LeaseLostError):
        await executor.execute("k", "t", {}, tool, lease_seconds=1, heartbeat_interval=0.1, **options)
    assert ledger.row("k").status == status


CUT_OFF = [
    ({}, "failed"),
    ({"on_cancel": "hold"}, "failed"),
    ({"on_lapse": "ambiguous"}, "ambiguous"),
    ({"on_lapse": "ambiguous", "on_cancel": "hold"}, "ambiguous"),
]


async def in_other_words(begun: asyncio.Event) -> None:
    """A tool that says in an error of its own that it was cut off."""
    begun.set()
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError as cut:
        raise ConnectionError("the request was cut off") from cut


@pytest.mark.parametrize(
    ("options", "status"),
    [
        *CUT_OFF,
        ({"on_cancel": "ambiguous"}, "ambiguous"),
        ({"on_lapse": "ambiguous", "on_cancel": "cancel"}, "failed"),
    ],
)
async def test_a_cancelled_tool_may_say_so_in_other_words(
    executor: ActaeToolExecutor, ledger: ScriptedLedger, options: Any, status: str
) -> None:
    """Its own error says no more about the effect than a cancellation does."""
    begun = asyncio.Event()
    calling = asyncio.create_task(
        executor.execute("k", "t", {}, functools.partial(in_other_words, begun), **options)
    )
    await begun.wait()
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    assert ledger.row("k").status == status


@pytest.mark.parametrize(
    ("options", "status"), [*CUT_OFF, ({"on_lapse": "ambiguous", "on_cancel": "cancel"}, "ambiguous")]
)
async def test_a_tool_that_lost_its_lease_may_say_so_in_other_words(
    executor: ActaeToolExecutor, ledger: ScriptedLedger, options: Any, status: str
) -> None:
    """It is raised as it is, and nobody gets the operation where it matters whether the tool ran."""
    ledger.from_now_on("heartbeat", Mishap.UNAVAILABLE)
    tool = functools.partial(in_other_words, asyncio.Event())
    with pytest.raises(ConnectionError, match="cut off"):
        await executor.execute("k", "t", {}, tool, lease_seconds=1, heartbeat_interval=0.1, **options)
    assert ledger.row("k").status == status


def test_a_blocking_client_has_the_same(ledger: ScriptedLedger) -> None:
    """The mark, and an outcome that stays open."""

    def tool() -> None:
        assert ledger.verbs() == ["claim", "dispatched"]
        raise TimeoutError

    with SyncActaeClient(api_key="sk-test", endpoint=ledger.url) as client:
        executor = ActaeToolExecutor(client, "run-1")
        with pytest.raises(TimeoutError):
            executor.execute_sync("k", "t", {}, tool, ambiguous_on=(TimeoutError,), **AMBIGUOUS)
    assert ledger.row("k").status == "ambiguous"
