"""A tool is not called again before a probe has asked the provider, and a person where it cannot tell."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from actae_client import (
    ActaeClient,
    ExecutionAmbiguousError,
    ExecutionNotOwnedError,
    OutcomeUnknownError,
    Reclaimed,
)
from actae_client.client import SyncActaeClient
from actae_client.reconcile import (
    Applied,
    NotApplied,
    Probe,
    UncertainOperation,
    Unknown,
    list_and_match,
    lookup,
    witnessed,
)
from actae_client.tools import ActaeToolExecutor, EffectNotRecordedError, current_operation
from actae_client.tools.failures import message_of
from tests.client.tools.support.tools import Asked, Charge
from tests.support.keys import make_key
from tests.support.postgres import Clock
from tests.support.server import RunningServer

LEASE_SECONDS = 10
PARAMS = {"order": 4471}

Lose = Callable[[], Awaitable[str]]


@pytest.fixture(params=["taken over", "ambiguous"])
def lose(request: pytest.FixtureRequest, client: ActaeClient, channel: str, server_clock: Clock) -> Lose:
    """Lose the owner of the key in the middle of its call; whoever comes takes it over, or must not."""
    terms: dict[str, Any] = {"on_lapse": "ambiguous"} if request.param == "ambiguous" else {}

    async def lost() -> str:
        claim = await client.claim_execution(
            channel, "k", "charge", PARAMS, lease_seconds=LEASE_SECONDS, **terms
        )
        server_clock.advance(LEASE_SECONDS + 1)
        return claim.execution.id

    return lost


@pytest.mark.parametrize("form", ["function", "coroutine function"])
async def test_what_the_provider_has_done_is_the_result(
    executor: ActaeToolExecutor, client: ActaeClient, lose: Lose, form: str
) -> None:
    """The tool is not called, and nobody asks a second time."""
    id_ = await lose()
    asked, charge = Asked(Applied({"charge": ("ch_1", 2)}, evidence={"page": 1})), Charge()
    probe = asked if form == "function" else asked.later
    for _ in range(2):
        result = await executor.execute("k", "charge", PARAMS, charge, reconcile=probe)
        assert result == {"charge": ["ch_1", 2]}
    assert (charge.runs, len(asked.about)) == (0, 1)
    shown = await client.get_execution(id_)
    assert (shown.status, shown.result) == ("completed", {"charge": ["ch_1", 2]})


async def test_what_the_provider_has_not_done_is_done_once(
    executor: ActaeToolExecutor, client: ActaeClient, lose: Lose
) -> None:
    """The probe knows what the tool knew: the key for the provider, and with what it was called."""
    id_ = await lose()
    asked, keys = Asked(NotApplied()), []

    async def tool() -> int:
        keys.append(current_operation().headers())
        return current_operation().attempt

    assert await executor.execute("k", "charge", PARAMS, tool, reconcile=asked, on_lapse="ambiguous") == 2
    (operation,) = asked.about
    assert keys == [{"Idempotency-Key": operation.idempotency_key}] == [operation.headers()]
    assert (operation.attempt, operation.params, operation.execution_id) == (1, PARAMS, id_)
    assert (await client.get_execution(id_)).result == 2


class Mute(Exception):  # noqa: N818 - it is mute
    """An exception that cannot be printed."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (Unknown("the bank is closed"), "the bank is closed"),
        (OSError("no route"), "the probe raised OSError"),
        (SystemExit(3), "the probe raised SystemExit"),
        (Mute(), "the probe raised Mute"),
        (None, "the probe gave no verdict"),
        (True, "the probe gave no verdict"),
    ],
    ids=repr,
)
async def test_without_a_verdict_nobody_calls_the_tool(
    executor: ActaeToolExecutor, client: ActaeClient, lose: Lose, answer: Any, why: str
) -> None:
    """Not now, and not whoever comes next, whatever their terms; until a probe can tell."""
    id_ = await lose()
    charge = Charge()
    for _ in range(2):
        with pytest.raises(OutcomeUnknownError) as unknown:
            await executor.execute("k", "charge", PARAMS, charge, reconcile=Asked(answer))
        assert (unknown.value.execution_id, unknown.value.key_name, unknown.value.reason) == (id_, "k", why)
        assert f"actae executions resolve {id_}" in str(unknown.value)
        if isinstance(answer, BaseException):
            assert unknown.value.__cause__ is answer
            assert f"{why} ({message_of(answer)})" in str(unknown.value)
        elif not isinstance(answer, Unknown):
            assert f"answers Applied, NotApplied or Unknown, and not {answer!r}" in str(unknown.value)
        with pytest.raises(OutcomeUnknownError):
            await executor.execute("k", "charge", PARAMS, charge)
        with pytest.raises(ExecutionAmbiguousError):
            await client.claim_execution(executor.channel_id, "k", "charge", PARAMS)
    assert (await client.get_execution(id_)).status == "ambiguous"
    assert await executor.execute("k", "charge", PARAMS, charge, reconcile=Asked(NotApplied())) == "paid"
    assert charge.runs == 1


async def test_that_somebody_looked_is_noted_once(
    executor: ActaeToolExecutor, client: ActaeClient, server_clock: Clock
) -> None:
    """However often the agent tries, the log says it once for each reason."""
    await client.claim_execution(executor.channel_id, "k", "charge", PARAMS, on_lapse="ambiguous")
    server_clock.advance(61)
    for reason in ("closed", "closed", "busy", "closed"):
        with pytest.raises(OutcomeUnknownError):
            await executor.execute("k", "charge", PARAMS, Charge(), reconcile=Asked(Unknown(reason)))
    looks = await client.replay(executor.channel_id, event_type="tool.resolved")
    assert [(look.payload["outcome"], look.payload["reason"]) for look in looks] == [
        ("unknown", "closed"),
        ("unknown", "busy"),
    ]


async def test_a_probe_that_hangs_is_cancelled_with_its_caller(
    executor: ActaeToolExecutor, client: ActaeClient, lose: Lose
) -> None:
    """It has given no verdict, so the operation waits for somebody who does."""
    id_ = await lose()
    begun, charge = asyncio.Event(), Charge()

    async def hang(_operation: UncertainOperation) -> Applied:
        begun.set()
        await asyncio.Event().wait()
        return Applied()

    calling = asyncio.create_task(executor.execute("k", "charge", PARAMS, charge, reconcile=hang))
    await begun.wait()
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    assert charge.runs == 0
    assert (await client.get_execution(id_)).status == "ambiguous"


async def test_of_two_who_look_at_once_one_calls_the_tool(executor: ActaeToolExecutor, lose: Lose) -> None:
    """Both find that nothing was done; the other one gets the result, or is told to wait for it."""
    await lose()
    both_look, charge = asyncio.Barrier(2), Charge()

    async def look(_operation: UncertainOperation) -> NotApplied:
        try:
            async with asyncio.timeout(2):
                await both_look.wait()
        except (TimeoutError, asyncio.BrokenBarrierError):
            pass  # Who has taken the operation over looks alone.
        return NotApplied()

    calls = [
        executor.execute(
            "k", "charge", PARAMS, charge.later, reconcile=look, wait_seconds=30, on_lapse="ambiguous"
        )
        for _ in range(2)
    ]
    assert await asyncio.gather(*calls) == ["paid", "paid"]
    assert charge.runs == 1


async def test_a_verdict_about_an_attempt_says_nothing_about_the_next(
    executor: ActaeToolExecutor, client: ActaeClient, server_clock: Clock
) -> None:
    """Somebody else has called the tool since, and was lost too: it is looked at again."""
    await client.claim_execution(executor.channel_id, "k", "charge", PARAMS, on_lapse="ambiguous")
    server_clock.advance(61)
    answers, charge = [NotApplied(), Applied("done by the second")], Charge()

    async def look(operation: UncertainOperation) -> Any:
        if operation.attempt == 1:
            await client.resolve_execution(operation.execution_id, "not_applied", by="a rival")
            rival = await client.claim_execution(
                executor.channel_id, "k", "charge", PARAMS, on_lapse="ambiguous"
            )
            assert isinstance(rival, Reclaimed)
            server_clock.advance(61)
        return answers[operation.attempt - 1]

    assert await executor.execute("k", "charge", PARAMS, charge, reconcile=look) == "done by the second"
    assert charge.runs == 0


def test_code_without_an_event_loop_has_the_same(
    blocking_client: SyncActaeClient, channel: str, server_clock: Clock
) -> None:
    """Probes of either kind."""
    executor, charge = ActaeToolExecutor(blocking_client, channel), Charge()
    for key, form in (("a", lambda asked: asked), ("b", lambda asked: asked.later)):
        blocking_client.claim_execution(channel, key, "charge", PARAMS, on_lapse="ambiguous")
        server_clock.advance(61)
        asked = Asked(Applied(key))
        assert executor.execute_sync(key, "charge", PARAMS, charge, reconcile=form(asked)) == key
    assert charge.runs == 0


async def test_a_probe_in_a_thread_sees_the_operation(executor: ActaeToolExecutor, lose: Lose) -> None:
    """As the tool would, and not on the event loop."""
    await lose()
    seen = []

    def look(operation: UncertainOperation) -> Applied:
        seen.append((current_operation() is operation, threading.current_thread() is threading.main_thread()))
        return Applied()

    await executor.execute("k", "charge", PARAMS, Charge(), reconcile=look)
    assert seen == [(True, False)]


async def test_what_the_server_will_not_take_is_replaced(
    executor: ActaeToolExecutor, client: ActaeClient, lose: Lose
) -> None:
    """The effect has happened; that it has must not get lost because of what it returned."""
    id_ = await lose()
    huge = Applied("x" * 17 * 2**20)
    await executor.execute("k", "charge", PARAMS, Charge(), reconcile=Asked(huge))
    assert (await client.get_execution(id_)).result["$bytes"] == 17 * 2**20 + 2


async def test_an_effect_inside_of_another_is_reconciled_by_itself(
    executor: ActaeToolExecutor, lose: Lose
) -> None:
    """The outer one may be called again: what is inside of it is not."""
    await lose()
    charge, answers = Charge(), [Unknown("closed"), Applied("found")]

    async def order() -> Any:
        return await executor.execute("k", "charge", PARAMS, charge, reconcile=lambda _: answers.pop(0))

    with pytest.raises(OutcomeUnknownError):
        await executor.execute("order", "order", {}, order, on_lapse="ambiguous")
    assert await executor.execute("order", "order", {}, order, on_lapse="ambiguous") == "found"
    assert charge.runs == 0


async def test_a_person_decides_where_nobody_can_tell(
    executor: ActaeToolExecutor, client: ActaeClient, lose: Lose
) -> None:
    """They are asked once; after their yes the tool is called, and the log has their name."""
    id_ = await lose()
    charge = Charge()
    options: Any = {"reconcile": Asked(Unknown("closed")), "ask": "Charge order 4471 again?"}
    with pytest.raises(OutcomeUnknownError) as first:
        await executor.execute("k", "charge", PARAMS, charge, **options)
    with pytest.raises(OutcomeUnknownError) as second:
        await executor.execute("k", "charge", PARAMS, charge, **options)
    approves = f"actae approvals approve {executor.channel_id} {first.value.approval_request_id}"
    assert approves in str(first.value)
    assert first.value.approval_request_id == second.value.approval_request_id is not None
    (asked,) = await client.list_approvals(channel_id=executor.channel_id)
    assert (asked.summary, asked.status, asked.operation) == ("Charge order 4471 again?", "pending", None)
    assert asked.details["execution_id"] == id_
    await client.decide_approval(executor.channel_id, asked.request_id, decision="approved", actor="ada")
    assert await executor.execute("k", "charge", PARAMS, charge, **options) == "paid"
    said = (await client.replay(executor.channel_id, event_type="tool.resolved"))[-1].payload
    assert (said["outcome"], said["by"]) == ("not_applied", "ada")
    assert said["evidence"] == {"approval_request_id": asked.request_id}
    assert charge.runs == 1


async def test_what_a_person_has_said_is_not_asked_again(
    executor: ActaeToolExecutor, client: ActaeClient, lose: Lose
) -> None:
    """A probe that cannot tell does not overrule them; nor is their word a failure to be replayed."""
    id_, charge = await lose(), Charge()
    cannot_tell: Any = {"reconcile": Asked(Unknown()), "on_failure": "replay"}
    with pytest.raises(OutcomeUnknownError):
        await executor.execute("k", "charge", PARAMS, charge, **cannot_tell)
    await client.resolve_execution(id_, "not_applied", by="ada")
    assert await executor.execute("k", "charge", PARAMS, charge, **cannot_tell) == "paid"
    assert charge.runs == 1


async def test_an_owner_that_was_lost_before_its_mark_is_not_asked_about(
    executor: ActaeToolExecutor, client: ActaeClient, server_clock: Clock
) -> None:
    """It has not called the tool."""
    terms: Any = {"on_lapse": "ambiguous", "dispatches": True}
    await client.claim_execution(executor.channel_id, "k", "charge", PARAMS, **terms)
    server_clock.advance(61)
    asked, charge = Asked(Unknown()), Charge()
    assert await executor.execute("k", "charge", PARAMS, charge, reconcile=asked) == "paid"
    assert asked.about == []


async def test_a_no_leaves_it_to_who_knows(
    executor: ActaeToolExecutor, client: ActaeClient, server_clock: Clock
) -> None:
    """Also without a probe."""
    claim = await client.claim_execution(executor.channel_id, "k", "charge", PARAMS, on_lapse="ambiguous")
    server_clock.advance(61)
    charge = Charge()
    with pytest.raises(OutcomeUnknownError) as unknown:
        await executor.execute("k", "charge", PARAMS, charge, ask="Again?")
    request_id = unknown.value.approval_request_id
    assert request_id is not None
    await client.decide_approval(executor.channel_id, request_id, decision="rejected", actor="ada")
    with pytest.raises(OutcomeUnknownError, match="rejected"):
        await executor.execute("k", "charge", PARAMS, charge, ask="Again?")
    await client.resolve_execution(claim.execution.id, "applied", by="ada", result="seen")
    assert await executor.execute("k", "charge", PARAMS, charge, ask="Again?") == "seen"
    assert charge.runs == 0


async def pages_of(items: list[list[int]]) -> AsyncIterator[list[int]]:
    """A provider's list, page by page."""
    for page in items:
        yield page


def listing(items: list[list[int]], *, is_async: bool) -> Probe:
    """A probe over a list of numbers, which looks for the order's."""
    return list_and_match(
        lambda _: pages_of(items) if is_async else items,
        match=lambda item, operation: item == operation.params["order"],
        result=str,
    )


async def found_later(_operation: UncertainOperation) -> str:
    """An async look-up that finds something."""
    return "ch_1"


READY_MADE: dict[str, tuple[Probe, Any]] = {
    "a look-up that finds": (lookup(lambda _: "ch_1"), "ch_1"),
    "an async look-up that finds": (lookup(found_later, result=str.upper), "CH_1"),
    "a look-up that finds nothing": (lookup(lambda _: None), "paid"),
    "a look-up that finds what it is not": (lookup(lambda _: "no", found=lambda it: it != "no"), "paid"),
    "one that matches": (listing([[1, 2], [4471], []], is_async=False), "4471"),
    "one that matches, async": (listing([[1, 2], [4471], []], is_async=True), "4471"),
    "none that matches": (listing([[1, 2], []], is_async=False), "paid"),
    "two that match": (listing([[4471], [4471]], is_async=True), OutcomeUnknownError),
    "no witness": (witnessed(), OutcomeUnknownError),
    "no witness, and a look-up": (witnessed(lookup(lambda _: "ch_1")), "ch_1"),
}


@pytest.mark.parametrize("which", READY_MADE)
async def test_a_probe_that_is_ready_made(
    executor: ActaeToolExecutor, client: ActaeClient, server_clock: Clock, which: str
) -> None:
    """Finds the result, or that there is none, or says that it cannot tell."""
    probe, expected = READY_MADE[which]
    await client.claim_execution(executor.channel_id, "k", "charge", PARAMS, on_lapse="ambiguous")
    server_clock.advance(61)
    if expected is OutcomeUnknownError:
        with pytest.raises(OutcomeUnknownError):
            await executor.execute("k", "charge", PARAMS, Charge(), reconcile=probe)
    else:
        assert await executor.execute("k", "charge", PARAMS, Charge(), reconcile=probe) == expected


async def test_a_witness_is_believed(
    executor: ActaeToolExecutor, client: ActaeClient, server_clock: Clock
) -> None:
    """What a worker reported after it had lost the operation is the result."""
    first = await client.claim_execution(executor.channel_id, "k", "charge", PARAMS)
    server_clock.advance(61)
    await client.claim_execution(executor.channel_id, "k", "charge", PARAMS, on_lapse="ambiguous")
    with pytest.raises(ExecutionNotOwnedError):
        await client.complete_execution(first.execution.id, first.claim_token, "ch_1")
    server_clock.advance(61)
    charge = Charge()
    assert await executor.execute("k", "charge", PARAMS, charge, reconcile=witnessed()) == "ch_1"
    assert charge.runs == 0


async def test_who_is_refused_is_told_what_is_so(executor: ActaeToolExecutor, client: ActaeClient) -> None:
    """The tool raised: its owner was not lost. And there is no probe to be asked."""

    async def silent() -> None:
        raise TimeoutError

    options: Any = {"on_lapse": "ambiguous", "ambiguous_on": (TimeoutError,)}
    with pytest.raises(TimeoutError):
        await executor.execute("k", "charge", PARAMS, silent, **options)
    with pytest.raises(OutcomeUnknownError, match="there is no probe to ask") as unknown:
        await executor.execute("k", "charge", PARAMS, silent, **options)
    assert "its owner could not tell" in str(unknown.value.__cause__)


@pytest.mark.parametrize(
    ("verdict", "told"),
    [("not_applied", "taken over or resolved by somebody else, and is failed"), (None, "another owner has")],
)
async def test_who_returns_too_late_is_told_what_became_of_it(
    executor: ActaeToolExecutor, client: ActaeClient, server_clock: Clock, verdict: Any, told: str
) -> None:
    """Somebody has resolved the operation, or has taken it over."""

    async def slow() -> str:
        server_clock.advance(61)
        id_ = current_operation().execution_id
        if verdict is None:
            await client.claim_execution(executor.channel_id, "k", "charge", PARAMS)
        else:
            await client.resolve_execution(id_, verdict, by="ada")
        return "ch_1"

    with pytest.raises(EffectNotRecordedError, match=told):
        await executor.execute("k", "charge", PARAMS, slow)


async def test_who_may_only_write_asks_the_provider_all_the_same(
    server: RunningServer, client: ActaeClient, channel: str, server_clock: Clock
) -> None:
    """What other workers have reported is not for them to see."""
    await client.claim_execution(channel, "k", "charge", PARAMS, on_lapse="ambiguous")
    server_clock.advance(61)
    key = await asyncio.to_thread(make_key, server, write=(channel,))
    async with ActaeClient(api_key=key, endpoint=server.url) as writer:
        executor, charge = ActaeToolExecutor(writer, channel), Charge()
        probe = witnessed(lambda _: Applied("ch_1"))
        assert await executor.execute("k", "charge", PARAMS, charge, reconcile=probe) == "ch_1"
    assert charge.runs == 0


async def test_a_fork_has_what_was_found_out_by_its_boundary(
    executor: ActaeToolExecutor, client: ActaeClient, server_clock: Clock
) -> None:
    """What was open there is the parent's to resolve; in the fork the operation is a new one."""
    parent, charge, asked = executor.channel_id, Charge("child's"), Asked(Applied("parent's"))
    for key in ("found out", "open"):
        await client.claim_execution(parent, key, "charge", PARAMS, on_lapse="ambiguous")
    server_clock.advance(61)
    await executor.execute("found out", "charge", PARAMS, charge, reconcile=asked)
    await client.fork(parent, f"{parent}.child", await client.get_cursor(parent) or 0, copy_state=False)
    child = ActaeToolExecutor(client, f"{parent}.child")
    assert await child.execute("found out", "charge", PARAMS, charge, reconcile=asked) == "parent's"
    assert await child.execute("open", "charge", PARAMS, charge, reconcile=asked) == "child's"
    assert (charge.runs, len(asked.about)) == (1, 1)
    assert await executor.execute("open", "charge", PARAMS, charge, reconcile=asked) == "parent's"


async def test_a_first_attempt_asks_nobody(executor: ActaeToolExecutor) -> None:
    """Nor does a replay."""
    asked, charge = Asked(Unknown()), Charge()
    for _ in range(2):
        assert await executor.execute("k", "charge", PARAMS, charge, reconcile=asked) == "paid"
    assert (charge.runs, asked.about) == (1, [])
