"""Undoing what a run did: the last effect first, each once, and whatever stays says why."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from actae_client import (
    Actae,
    ActaeClient,
    AgentSession,
    SyncActaeClient,
    ToolFrozenError,
    current_operation,
)
from actae_client.errors import (
    ChannelClosedError,
    ChannelDeletedError,
    ChannelNotFoundError,
    PermissionDeniedError,
)
from actae_client.undo import UndoReport
from tests.client.undo.trip import Trip, reasons
from tests.support.keys import make_key
from tests.support.server import RunningServer


async def test_the_last_effect_is_undone_first(actae: Actae, client: ActaeClient, channel: str) -> None:
    """With its parameters and its result; what was done is reported, and in the log."""
    trip = Trip(actae)
    async with actae.run("r", channel_id=channel) as run:
        for place in ("Rome", "Oslo", "Lima"):
            await trip.book(place)
        report = await run.undo(to_cursor=0)
    assert trip.released == [("Lima", "ticket 3"), ("Oslo", "ticket 2"), ("Rome", "ticket 1")]
    assert report.is_complete
    assert [(each.key_name, each.result, each.was_before) for each in report.undone] == [
        ("book:Lima", "released Lima", False),
        ("book:Oslo", "released Oslo", False),
        ("book:Rome", "released Rome", False),
    ]
    (event,) = await client.query(channel_ids=[channel], event_type="effects.undone")
    assert event.payload == {
        "to_cursor": 0,
        "undone": ["book:Lima", "book:Oslo", "book:Rome"],
        "not_undone": [],
    }


async def test_what_was_completed_before_the_cursor_stays(
    actae: Actae, client: ActaeClient, channel: str
) -> None:
    """The cursor names the last event that stays, be it a completion itself."""
    trip = Trip(actae)
    async with actae.run("r", channel_id=channel) as run:
        await trip.book("Rome")
        cursor = await client.get_cursor(channel)
        assert cursor is not None
        await trip.book("Oslo")
        rome = next(each for each in await client.list_executions(channel) if each.key_name == "book:Rome")
        assert rome.completed_cursor == cursor
        for to_cursor, undone in ((cursor, ["book:Oslo"]), (cursor - 1, ["book:Oslo", "book:Rome"])):
            report = await run.undo(to_cursor=to_cursor)
            assert [each.key_name for each in report.undone] == undone
    assert trip.released == [("Oslo", "ticket 2"), ("Rome", "ticket 1")]


async def test_nothing_is_undone_twice(actae: Actae, client: ActaeClient, channel: str) -> None:
    """Nor told twice, and another process knows as much: it has the module, and the ledger has the rest."""
    trip = Trip(actae)
    async with actae.run("r", channel_id=channel):
        await trip.book("Rome")
        first = await actae.undo(to_cursor=0)
    other = Actae(client)
    same_trip = Trip(other)
    again = await other.undo(channel_id=channel, to_cursor=0)
    assert len(trip.released) == 1
    assert same_trip.released == []
    assert [each.was_before for each in (*first.undone, *again.undone)] == [False, True]
    assert again.undone[0].result == first.undone[0].result == "released Rome"
    assert len(await client.query(channel_ids=[channel], event_type="effects.undone")) == 1


async def test_an_undone_effect_is_still_replayed(actae: Actae, channel: str) -> None:
    """The world had it. Whoever wants it again needs a new key."""
    trip = Trip(actae)
    async with actae.run("r", channel_id=channel) as run:
        ticket = await trip.book("Rome")
        await run.undo(to_cursor=0)
        assert await trip.book("Rome") == ticket
    assert trip.booked == ["Rome"]


async def test_a_compensation_that_fails_does_not_hold_up_the_others(actae: Actae, channel: str) -> None:
    """It is reported with what it raised, and tried again by the next undo."""
    trip = Trip(actae)
    trouble = trip.trouble["Oslo"] = ValueError("the office is closed")
    async with actae.run("r", channel_id=channel) as run:
        for place in ("Rome", "Oslo", "Lima"):
            await trip.book(place)
        report = await run.undo(to_cursor=0)
        assert [each.key_name for each in report.undone] == ["book:Lima", "book:Rome"]
        (stays,) = report.not_undone
        assert (stays.reason, stays.detail, stays.error) == (
            "compensation_failed",
            "the office is closed",
            trouble,
        )
        trip.trouble.clear()
        report = await run.undo(to_cursor=0)
    assert report.is_complete
    assert [each.was_before for each in report.undone] == [True, False, True]
    assert [place for place, _ in trip.released] == ["Lima", "Rome", "Oslo"]


async def test_an_undo_may_stop_at_the_first_failure(actae: Actae, channel: str) -> None:
    """Where what came before must not be undone before what came after it."""
    trip = Trip(actae)
    trip.trouble["Oslo"] = ValueError("the office is closed")
    async with actae.run("r", channel_id=channel) as run:
        for place in ("Rome", "Oslo", "Lima"):
            await trip.book(place)
        report = await run.undo(to_cursor=0, stop_at_failure=True)
    assert reasons(report) == [("book:Oslo", "compensation_failed"), ("book:Rome", "not_reached")]
    assert [place for place, _ in trip.released] == ["Lima"]


async def test_a_compensation_knows_its_operation(actae: Actae, client: ActaeClient, channel: str) -> None:
    """Its key for the provider is the same at each attempt, and not that of the effect."""
    seen: list[tuple[str, str, int, str]] = []

    async def refund(params: Any, result: Any) -> str:
        operation = current_operation()
        seen.append((operation.key_name, operation.tool_name, operation.attempt, operation.idempotency_key))
        if len(seen) == 1:
            raise ConnectionError("the provider hung up")
        return "back"

    @actae.effect("charge:{order}", compensate=refund)
    async def charge(order: str) -> str:
        return current_operation().idempotency_key

    async with actae.run("r", channel_id=channel) as run:
        charged_under = await charge("4471")
        assert reasons(await run.undo(to_cursor=0)) == [("charge:4471", "compensation_failed")]
        assert (await run.undo(to_cursor=0, actor="ada")).is_complete
    (first, second) = seen
    assert [each[:3] for each in seen] == [
        ("charge:4471:undo", "charge:undo", 1),
        ("charge:4471:undo", "charge:undo", 2),
    ]
    assert first[3] == second[3] != charged_under
    undo = next(each for each in await client.list_executions(channel) if each.tool_name == "charge:undo")
    (effect,) = (each for each in await client.list_executions(channel) if each.tool_name == "charge")
    assert undo.params == {
        "undoes": effect.completed_event_id,
        "params": {"order": "4471"},
        "result": charged_under,
    }
    started = [event for event in await client.replay(channel) if event.event_type == "tool.started"]
    assert [event.actor for event in started[1:]] == ["undo", "ada"]


async def test_what_has_no_compensation_is_told(actae: Actae, channel: str) -> None:
    """And what needs none is not: there is nothing to undo about it."""
    trip = Trip(actae)
    async with actae.run("r", channel_id=channel) as run:
        await trip.mail("Rome")
        await trip.look("Rome")
        await run.effect("pay", "pay", {"cents": 5}, lambda: "paid")
        report = await run.undo(to_cursor=0)
    assert report.undone == ()
    assert reasons(report) == [("pay", "no_compensation"), ("mail:Rome", "no_compensation")]


async def test_a_tool_without_a_decorator_has_a_compensation_by_name(actae: Actae, channel: str) -> None:
    """Claimed by hand, or run through the executor."""
    repaid = []

    @actae.compensation("pay", lease_seconds=30)
    def repay(params: Any, result: Any) -> None:
        repaid.append((params, result))

    async with actae.run("r", channel_id=channel) as run:
        await run.effect("pay", "pay", {"cents": 5}, lambda: "paid")
        assert (await run.undo(to_cursor=0)).is_complete
    assert repaid == [({"cents": 5}, "paid")]


async def test_what_failed_or_was_given_up_is_nothing_to_undo(
    actae: Actae, client: ActaeClient, channel: str
) -> None:
    """The ledger says that it did not happen."""
    trip = Trip(actae)
    async with actae.run("r", channel_id=channel) as run:

        async def declined() -> None:
            raise ValueError("declined")

        with pytest.raises(ValueError, match="declined"):
            await run.effect("book:Rome", "book", {"place": "Rome"}, declined)
        claim = await client.claim_execution(channel, "book:Oslo", "book", {"place": "Oslo"})
        await client.cancel_execution(claim.execution.id, claim.claim_token)
        report = await run.undo(to_cursor=0)
    assert report == UndoReport(channel, 0, (), ())
    assert trip.released == []
    assert await client.query(channel_ids=[channel], event_type="effects.undone") == []


async def test_what_is_running_or_lost_stays(
    actae: Actae, client: ActaeClient, server: RunningServer, channel: str
) -> None:
    """Nobody can undo what may not have happened, or may still happen. The rest is undone."""
    trip = Trip(actae)
    async with actae.run("r", channel_id=channel) as run:
        await trip.book("Rome")
        await client.claim_execution(channel, "book:Oslo", "book", {"place": "Oslo"}, lease_seconds=600)
        lost = await client.claim_execution(channel, "book:Lima", "book", {"place": "Lima"})
        said = {"message": "timed out", "claim_token": lost.claim_token, "outcome_unknown": True}
        assert server.post(f"/executions/{lost.execution.id}/fail", said).status == 200
        report = await run.undo(to_cursor=0)
    assert [each.key_name for each in report.undone] == ["book:Rome"]
    assert sorted(reasons(report)) == [("book:Lima", "outcome_unknown"), ("book:Oslo", "still_running")]
    assert {each.completed_cursor for each in report.not_undone} == {None}


async def test_an_effect_that_began_anew_under_its_key_is_not_taken_for_undone(
    actae: Actae, client: ActaeClient, channel: str
) -> None:
    """Its undo's key is taken by that of the first one; freeing it is somebody's decision."""
    trip = Trip(actae)
    async with actae.run("r", channel_id=channel) as run:
        await trip.book("Rome")
        undone = (await run.undo(to_cursor=0)).undone[0]
        await client.delete_execution(undone.execution_id)
        await trip.book("Rome")
        report = await run.undo(to_cursor=0)
        assert reasons(report) == [("book:Rome", "refused")]
        assert "'book:Rome:undo' undid an earlier effect" in report.not_undone[0].detail
        undo = next(each for each in await client.list_executions(channel) if each.tool_name == "book:undo")
        await client.delete_execution(undo.id)
        assert (await run.undo(to_cursor=0)).is_complete
    assert trip.released == [("Rome", "ticket 1"), ("Rome", "ticket 2")]


async def test_a_compensation_may_be_made_of_effects(actae: Actae, client: ActaeClient, channel: str) -> None:
    """They go to the same channel, with or without a run around; what undoes need not be undone."""

    @actae.effect("refund:{order}", compensate=False)
    async def refund(order: str) -> str:
        return "back"

    async def give_back(params: Any, result: Any) -> Any:
        return await refund(params["order"])

    @actae.effect("charge:{order}", compensate=give_back)
    async def charge(order: str) -> str:
        return "paid"

    async with actae.run("r", channel_id=channel):
        await charge("4471")
    for was_before in (False, True):
        report = await actae.undo(channel_id=channel, to_cursor=0)
        assert report.is_complete
        assert [(each.result, each.was_before) for each in report.undone] == [("back", was_before)]
    keys = {each.key_name for each in await client.list_executions(channel)}
    assert keys == {"charge:4471", "charge:4471:undo", "refund:4471"}


async def test_what_is_wrong_for_all_effects_is_raised(
    actae: Actae, client: ActaeClient, server: RunningServer, channel: str
) -> None:
    """A credential that may only read, a closed channel: nothing was run, and no report hides it."""
    trip = Trip(actae)
    async with actae.run("r", channel_id=channel):
        await trip.book("Rome")
    key = await asyncio.to_thread(make_key, server, read=("*",))
    async with ActaeClient(api_key=key, endpoint=server.url) as reader:
        onlooker = Actae(reader)
        Trip(onlooker)
        with pytest.raises(PermissionDeniedError):
            await onlooker.undo(channel_id=channel, to_cursor=0)
        assert len((await onlooker.undo_plan(channel_id=channel, to_cursor=0)).to_undo) == 1
    await client.close_channel(channel)
    with pytest.raises(ChannelClosedError):
        await actae.undo(channel_id=channel, to_cursor=0)
    assert trip.released == []


async def test_a_guard_stops_one_compensation_and_not_the_others(
    actae: Actae, client: ActaeClient, channel: str
) -> None:
    """It is told, and in the log; when the guard is lifted, the next undo goes on."""
    trip = Trip(actae)

    @actae.effect("pay:{order}", compensate=lambda params, result: "back")
    async def pay(order: str) -> str:
        return "paid"

    async with actae.run("r", channel_id=channel) as run:
        await trip.book("Rome")
        await pay("1")
        await trip.book("Oslo")
        guard = await client.freeze_tool("pay:undo", channel_pattern=channel, reason="ask ada first")
        report = await run.undo(to_cursor=0)
        assert [each.key_name for each in report.undone] == ["book:Oslo", "book:Rome"]
        assert reasons(report) == [("pay:1", "undo_refused")]
        (stays,) = report.not_undone
        assert isinstance(stays.error, ToolFrozenError)
        assert "ask ada first" in stays.detail
        (event,) = await client.query(channel_ids=[channel], event_type="effects.undone")
        assert event.payload["not_undone"] == [{"key_name": "pay:1", "reason": "undo_refused"}]
        await client.remove_guard(guard.guard_id)
        assert (await run.undo(to_cursor=0)).is_complete


async def test_a_channel_that_is_not_there_is_no_success(
    actae: Actae, client: ActaeClient, channel: str
) -> None:
    """Neither one that nobody has written, a typo say, nor one that was deleted."""

    async def refusals() -> list[tuple[type[Exception], str | None]]:
        found: list[tuple[type[Exception], str | None]] = []
        for look in (actae.undo, actae.undo_plan):
            with pytest.raises((ChannelNotFoundError, ChannelDeletedError), match=channel) as refused:
                await look(channel_id=channel, to_cursor=0)
            found.append((type(refused.value), refused.value.code))
        return found

    assert await refusals() == [(ChannelNotFoundError, "channel_not_found")] * 2
    await client.record(channel, "note", {}, actor="ada")
    assert (await actae.undo(channel_id=channel, to_cursor=0)).is_complete
    await client.delete_channel(channel)
    assert await refusals() == [(ChannelDeletedError, "channel_deleted")] * 2


async def test_a_plan_runs_and_writes_nothing(actae: Actae, client: ActaeClient, channel: str) -> None:
    """It says what would be undone, by what, and in which order."""
    trip = Trip(actae)
    async with actae.run("r", channel_id=channel) as run:
        for place in ("Rome", "Oslo"):
            await trip.book(place)
        await trip.mail("Rome")
        cursor = await client.get_cursor(channel)
        plan = await actae.undo_plan(to_cursor=0)
        assert [(each.key_name, each.compensation) for each in plan.to_undo] == [
            ("book:Oslo", "release"),
            ("book:Rome", "release"),
        ]
        assert [(each.key_name, each.reason) for each in plan.not_undone] == [
            ("mail:Rome", "no_compensation")
        ]
        assert await client.get_cursor(channel) == cursor
        report = await run.undo(to_cursor=0)
        plan = await actae.undo_plan(to_cursor=0)
    assert plan.to_undo == ()
    assert [each.key_name for each in plan.undone] == [each.key_name for each in report.undone]


async def test_a_session_fence_is_no_effect(actae: Actae, client: ActaeClient, channel: str) -> None:
    """It holds a lease in the ledger, and does nothing."""
    async with AgentSession(client, channel, fence_owner="me"):
        assert await actae.undo(channel_id=channel, to_cursor=0) == UndoReport(channel, 0, (), ())


async def test_more_effects_than_one_page(actae: Actae, channel: str) -> None:
    """All of them, in their order; results that are large cut the pages short."""
    actae.compensation("put")(lambda params, result: None)

    async def put(n: int) -> None:
        size = 4_000_000 if n < 9 else 4  # more than the 32 MiB of a page
        await run.effect(f"put:{n}", "put", {"n": n}, lambda: "x" * size)

    async with actae.run("r", channel_id=channel) as run:
        await asyncio.gather(*(put(n) for n in range(110)))
        planned = (await actae.undo_plan(to_cursor=0)).to_undo
    assert {each.key_name for each in planned} == {f"put:{n}" for n in range(110)}
    cursors = [each.completed_cursor for each in planned]
    assert cursors == sorted(cursors, reverse=True)


def test_code_that_blocks_undoes_too(server: RunningServer, channel: str) -> None:
    """With a blocking client, and compensations of either kind."""
    released: list[str] = []
    with SyncActaeClient(api_key=server.api_key, endpoint=server.url) as client:
        actae = Actae(client)

        async def cancel(params: Any, result: Any) -> None:
            await asyncio.sleep(0)
            released.append(result)

        @actae.effect("book:{place}", compensate=cancel)
        def book(place: str) -> str:
            return place

        @actae.effect("rent:{place}", compensate=lambda params, result: released.append(result))
        def rent(place: str) -> str:
            return f"a car in {place}"

        with actae.run_sync("r", channel_id=channel) as run:
            book("Rome")
            rent("Rome")
            plan = actae.undo_plan_sync(to_cursor=0)
            assert [each.key_name for each in plan.to_undo] == ["rent:Rome", "book:Rome"]
            assert run.undo_sync(to_cursor=0).is_complete
        assert actae.undo_sync(channel_id=channel, to_cursor=0).is_complete
    assert released == ["a car in Rome", "Rome"]


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({"to_cursor": -1}, ValueError),
        ({"to_cursor": "12"}, TypeError),
        ({"to_cursor": True}, TypeError),
        ({"to_cursor": 0, "wait_seconds": -1}, ValueError),
        ({"to_cursor": 0, "actor": ""}, ValueError),
        ({"to_cursor": 0, "channel_id": None}, RuntimeError),
        ({"to_cursor": 0, "channel_id": "no channel"}, ValueError),
        ({}, TypeError),
    ],
)
async def test_bad_arguments_are_refused(
    actae: Actae, channel: str, options: dict[str, Any], kind: type[Exception]
) -> None:
    """Before anything is read or run."""
    trip = Trip(actae)
    async with actae.run("r", channel_id=channel):
        await trip.book("Rome")
    with pytest.raises(kind):
        await actae.undo(**{"channel_id": channel, **options})
    assert trip.released == []


async def test_keys_that_are_too_long_for_their_undo_are_told(
    actae: Actae, client: ActaeClient, channel: str
) -> None:
    """The others are undone."""
    trip = Trip(actae)
    async with actae.run("r", channel_id=channel) as run:
        await run.effect("k" * 1024, "book", {"place": "Rome"}, lambda: "ok")
        await trip.book("Oslo")
        report = await run.undo(to_cursor=0)
    assert [(each.key_name[:3], each.reason) for each in report.not_undone] == [("kkk", "refused")]
    assert trip.released == [("Oslo", "ticket 1")]
