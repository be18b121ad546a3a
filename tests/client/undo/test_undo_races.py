"""Several undos at once, and one that is cut off."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from actae_client import Actae, ActaeClient
from tests.client.undo.trip import Trip, reasons


async def test_two_undos_at_once_run_each_compensation_once(
    actae: Actae, client: ActaeClient, channel: str
) -> None:
    """One after the other in their order: nobody goes past what another one is still undoing."""
    facades = [Actae(client) for _ in range(2)]
    order: list[str] = []

    async def release(params: Any, result: Any) -> None:
        order.append(f"begin {params['place']}")
        await asyncio.sleep(0)
        order.append(f"end {params['place']}")

    for facade in facades:
        facade.compensation("reserve")(release)
    async with actae.run("r", channel_id=channel) as run:
        for place in ("Rome", "Oslo", "Lima"):
            await run.effect(f"reserve:{place}", "reserve", {"place": place}, lambda: "ok")
    reports = await asyncio.gather(
        *(facade.undo(channel_id=channel, to_cursor=0, wait_seconds=60) for facade in facades)
    )
    assert all(report.is_complete for report in reports)
    assert order == [f"{what} {place}" for place in ("Lima", "Oslo", "Rome") for what in ("begin", "end")]


async def test_who_does_not_wait_for_another_undo_goes_no_further(
    actae: Actae, client: ActaeClient, channel: str
) -> None:
    """What came before must not be undone before what another process is undoing now."""
    trip = Trip(actae)
    async with actae.run("r", channel_id=channel) as run:
        for place in ("Rome", "Oslo"):
            await trip.book(place)
        effect = next(each for each in await client.list_executions(channel) if each.key_name == "book:Oslo")
        taken = await client.claim_execution(
            channel,
            "book:Oslo:undo",
            "book:undo",
            {"undoes": effect.completed_event_id},
            dedup_fields=["undoes"],
        )
        foreseen = await actae.undo_plan(to_cursor=0)
        report = await run.undo(to_cursor=0)
        assert reasons(report) == [("book:Oslo", "undo_in_progress"), ("book:Rome", "not_reached")]
        assert (foreseen.to_undo, reasons(foreseen)) == ((), reasons(report))
        assert trip.released == []
        await client.complete_execution(taken.execution.id, taken.claim_token, "released elsewhere")
        report = await run.undo(to_cursor=0)
    assert [each.result for each in report.undone] == ["released elsewhere", "released Rome"]


async def test_a_compensation_may_be_left_open(actae: Actae, client: ActaeClient, channel: str) -> None:
    """Where nobody may do it twice. Nobody gets it, nor what came before, until it is resolved."""
    answers: list[Any] = [TimeoutError("no answer"), "released Rome", "released Oslo"]

    async def release(params: Any, result: Any) -> Any:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    @actae.effect("book:{place}", compensate=release, on_lapse="ambiguous", ambiguous_on=(TimeoutError,))
    async def book(place: str) -> str:
        return "ticket"

    async with actae.run("r", channel_id=channel) as run:
        await book("Oslo")
        await book("Rome")
        for _ in range(2):
            stays = [("book:Rome", "undo_outcome_unknown"), ("book:Oslo", "not_reached")]
            assert reasons(await run.undo(to_cursor=0)) == stays
            plan = await actae.undo_plan(to_cursor=0)
            assert (plan.to_undo, reasons(plan)) == ((), stays)
        assert len(answers) == 2
        undo = next(each for each in await client.list_executions(channel) if each.tool_name == "book:undo")
        await client.resolve_execution(undo.id, "not_applied", by="ada")
        report = await run.undo(to_cursor=0)
    assert [each.result for each in report.undone] == ["released Rome", "released Oslo"]


async def test_a_cancelled_undo_is_simply_called_again(actae: Actae, channel: str) -> None:
    """The compensation that it was at is given back, and what was recorded stays."""
    begun = asyncio.Event()
    released: list[str] = []

    @actae.compensation("book")
    async def release(params: Any, result: Any) -> None:
        if params["place"] == "Rome" and not begun.is_set():
            begun.set()
            await asyncio.Event().wait()
        released.append(params["place"])

    async with actae.run("r", channel_id=channel) as run:
        for place in ("Rome", "Oslo"):
            await run.effect(f"book:{place}", "book", {"place": place}, lambda: "ok")
        undoing = asyncio.create_task(run.undo(to_cursor=0))
        await begun.wait()
        undoing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await undoing
        report = await run.undo(to_cursor=0)
    assert [each.was_before for each in report.undone] == [True, False]
    assert released == ["Oslo", "Rome"]
