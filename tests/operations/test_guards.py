"""Guards at the writers of two servers: obeyed to the last claim, whoever comes in between."""

import asyncio
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest

from actae.domain.access import EVERYTHING
from actae.domain.answers import Refused
from actae.domain.executions import Claimed
from actae.domain.guard_errors import BudgetExceededError, NearDuplicateError, ToolFrozenError
from actae.domain.guards import KEEP_SECONDS, SHARED, Action, Budget, Freeze, Guard, NearDuplicate, Rule
from actae.observations import RaceLost
from actae.operations import deletion, guards
from actae.operations.guards import AddGuard, add_guard
from actae.operations.verification import verify
from actae.operations.writer import Writer
from actae.store.database import Database
from actae.store.guards import get_uses
from tests.support.asks import claim
from tests.support.intruder import Intruder, intruding
from tests.support.postgres import Clock
from tests.support.rival import Rival, rival_of
from tests.support.verified import assert_whole
from tests.support.waiting import until_true
from tests.support.writers import writing


async def add(db: Database, rule: Rule, *, pattern: str | None = None, tool: str | None = None) -> Guard:
    """A guard that every claim obeys."""
    ask = AddGuard(guard_id=None, channel_pattern=pattern, tool_name=tool, rule=rule, created_by="ada")
    return await add_guard(db, ask)


async def used(db: Database, guard: Guard) -> dict[str, Decimal]:
    """What is used, by channel."""
    uses = await get_uses(db, guard.guard_id)
    return {key.channel_id: amount for key, amount in uses.items()}


async def is_true(rival: Rival, question: str) -> bool:
    """What the database says."""
    return bool(await rival.value(question))


async def claim_each(writers: Sequence[Writer], claims: Sequence[Any]) -> list[Any]:
    """Each claim at one of the writers in turn, all at once."""
    asks = [writers[place % len(writers)].submit(each) for place, each in enumerate(claims)]
    return await asyncio.gather(*asks)


@pytest.mark.parametrize("batch_asks", [256, 3])
async def test_two_servers_never_pass_a_budget_by_one(
    db: Database, database_url: str, batch_asks: int
) -> None:
    """In one batch or in many, on channels that they share and on others: exactly as many as there may be."""
    guard = await add(db, Budget(Decimal(20)))
    async with (
        writing(database_url, batch_asks=batch_asks) as (one, _),
        writing(database_url, batch_asks=batch_asks) as (other, _),
    ):
        claims = [claim(f"k{number}", channel_id=f"run-{number % 7}") for number in range(64)]
        answers = await claim_each([one, other], claims)
    granted = [answer for answer in answers if isinstance(answer, Claimed)]
    refused = [answer.error for answer in answers if isinstance(answer, Refused)]
    assert len(granted) == 20
    assert {type(error) for error in refused} == {BudgetExceededError}
    assert await used(db, guard) == {SHARED: 20}
    await assert_whole(database_url)


async def test_two_servers_never_pass_a_sum(db: Database, database_url: str) -> None:
    """Amounts that fit are granted, and their exact sum is used; another budget is each channel's."""
    guard = await add(db, Budget(Decimal("3.00"), "amount"), tool="charge")
    own = await add(db, Budget(Decimal(8), per_channel=True), pattern="run-*")
    amounts = [f"0.{number % 9 + 1}{number % 10}" for number in range(64)]
    claims = [
        claim(f"k{number}", channel_id=f"run-{number % 3}", params=b'{"amount":%b}' % amount.encode())
        for number, amount in enumerate(amounts)
    ]
    async with writing(database_url, batch_asks=8) as (one, _), writing(database_url) as (other, _):
        answers = await claim_each([one, other], claims)
    granted = [
        (each.channel_id, Decimal(amount))
        for each, amount, answer in zip(claims, amounts, answers, strict=True)
        if isinstance(answer, Claimed)
    ]
    total = sum((amount for _, amount in granted), Decimal(0))
    assert Decimal("2.8") < total <= 3
    assert await used(db, guard) == {SHARED: total}
    channels = [channel_id for channel_id, _ in granted]
    assert await used(db, own) == {each: channels.count(each) for each in channels}
    await assert_whole(database_url)


async def test_after_a_freeze_no_attempt_starts_on_any_server(db: Database, database_url: str) -> None:
    """Claims pour in on both; when the freeze has answered, the number of starts stands still."""
    async with (
        writing(database_url) as (one, _),
        writing(database_url) as (other, _),
        rival_of(database_url) as rival,
    ):
        stop = asyncio.Event()

        async def pour(writer: Writer, name: str) -> list[Any]:
            answers = []
            while not stop.is_set():
                key = f"{name}-{len(answers)}"
                answers.append(await writer.submit(claim(key, channel_id=f"run-{len(answers) % 5}")))
            return answers

        pouring = [
            asyncio.create_task(pour(writer, f"{place}-{number}"))
            for place, writer in enumerate((one, other))
            for number in range(8)
        ]
        await until_true(lambda: is_true(rival, "select count(*) >= 50 from executions"))
        await add(db, Freeze())
        started = await rival.value("select count(*) from executions")
        refused = await claim_each([one, other], [claim(f"after-{number}") for number in range(20)])
        stop.set()
        answers = [answer for answers in await asyncio.gather(*pouring) for answer in answers]
        assert await rival.value("select count(*) from executions") == started
    assert sum(isinstance(answer, Claimed) for answer in answers) == started
    assert {type(answer.error) for answer in refused} == {ToolFrozenError}


async def test_a_batch_that_had_read_before_a_freeze_obeys_it(db: Database, database_url: str) -> None:
    """It finds its guards gone, is read again, and refuses."""
    async with writing(database_url) as (writer, facts), rival_of(database_url) as rival:

        async def freeze_elsewhere() -> None:
            there = await Database.connect(database_url, connections_max=1, read_timeout_seconds=15)
            await add(there, Freeze())
            await there.close()

        with intruding(Intruder(database_url, "run-1", times=1, act=freeze_elsewhere)):
            answer = await writer.submit(claim())
        assert isinstance(answer.error, ToolFrozenError)
        assert [fact.losses for fact in facts.of(RaceLost)] == [1]
        assert await rival.value("select count(*) from executions") == 0


async def test_a_freeze_waits_for_writes_under_way_and_keeps_nobody_waiting(
    db: Database, database_url: str
) -> None:
    """A write that was decided before may still commit; new claims are refused at once."""
    async with writing(database_url) as (writer, _), rival_of(database_url) as rival:
        async with rival.holding_guards(revision=0):
            freezing = asyncio.create_task(add(db, Freeze()))
            await rival.until_somebody_waits()
            answer = await writer.submit(claim())
            assert isinstance(answer.error, ToolFrozenError)
            assert not freezing.done()
        await freezing
        assert await rival.value("select count(*) from guard_revisions") == 1


async def test_a_budget_that_another_server_uses_up_in_between_refuses(
    db: Database, database_url: str
) -> None:
    """While there is enough for both, nobody is read again."""
    guard = await add(db, Budget(Decimal(3)))
    async with writing(database_url) as (writer, facts), writing(database_url) as (rival, _):

        async def use_elsewhere() -> None:
            async with writing(database_url) as (other, _):
                taken = sum((await used_elsewhere(database_url, guard)).values())
                await other.submit(claim(f"theirs-{taken}", channel_id="run-2"))

        for expected in (Claimed, Refused):
            with intruding(Intruder(database_url, "run-1", times=1, act=use_elsewhere)):
                answer = await writer.submit(claim(f"mine-{expected}"))
            assert type(answer) is expected
        assert len(facts.of(RaceLost)) == 1
        assert isinstance((await rival.submit(claim("last"))).error, BudgetExceededError)
    assert await used(db, guard) == {SHARED: 3}


async def used_elsewhere(dsn: str, guard: Guard) -> dict[str, Decimal]:
    """What is used, from an event loop of its own."""
    there = await Database.connect(dsn, connections_max=1, read_timeout_seconds=15)
    try:
        return await used(there, guard)
    finally:
        await there.close()


@pytest.mark.parametrize(("action", "granted"), [("block", 1), ("warn", 40)])
@pytest.mark.parametrize("across", [False, True])
async def test_of_many_alike_one_is_the_first(
    db: Database, database_url: str, action: Action, granted: int, across: bool
) -> None:
    """In one batch and across servers, on one channel or several; each other one hears of one before it."""
    await add(db, NearDuplicate(600, action, across))
    channels = 4 if across else 1
    claims = [claim(f"k{number}", channel_id=f"run-{number % channels}") for number in range(40)]
    async with writing(database_url, batch_asks=8) as (one, _), writing(database_url) as (other, _):
        answers = await claim_each([one, other], claims)
    claimed = [answer for answer in answers if isinstance(answer, Claimed)]
    assert len(claimed) == granted
    assert len([answer for answer in claimed if not answer.warnings]) == 1
    refused = [answer.error for answer in answers if isinstance(answer, Refused)]
    assert all(isinstance(error, NearDuplicateError) for error in refused)
    told = {warning.execution_id for answer in claimed for warning in answer.warnings or ()}
    assert len(told) == len(claimed) - 1  # a chain: each was the last one before exactly one other
    await assert_whole(database_url)


async def test_a_window_ends_and_is_cleared_away(db: Database, database_url: str, clock: Clock) -> None:
    """The next one begins with nothing used; what nobody can ask for any more goes, later."""
    guard = await add(db, Budget(Decimal(1), window_seconds=60))
    await add(db, NearDuplicate(60, "warn"))
    async with writing(database_url) as (writer, _):
        for window in range(3):
            first = await writer.submit(claim(f"a{window}"))
            assert isinstance(first, Claimed)
            assert not first.warnings
            assert isinstance((await writer.submit(claim(f"b{window}"))).error, BudgetExceededError)
            clock.advance(61)
        assert len(await get_uses(db, guard.guard_id)) == 3
        await guards.forget(db)
        assert len(await get_uses(db, guard.guard_id)) == 3
        clock.advance(KEEP_SECONDS)
        await assert_whole(database_url)
        await guards.forget(db)
        assert await get_uses(db, guard.guard_id) == {}
        await assert_whole(database_url)


async def test_what_a_guard_has_counted_goes_with_it_and_with_its_channel(
    db: Database, database_url: str
) -> None:
    """A lifetime budget would keep it for ever."""
    shared, own = await add(db, Budget(Decimal(9))), await add(db, Budget(Decimal(9), per_channel=True))
    async with writing(database_url) as (writer, _):
        await claim_each([writer], [claim(channel_id=channel) for channel in ("run-1", "run-2")])
    await deletion.delete(db, "run-1", recursive=False, permissions=EVERYTHING)
    assert await used(db, own) == {"run-2": 1}
    assert await used(db, shared) == {SHARED: 2}
    await assert_whole(database_url)
    await guards.remove_guard(db, own.guard_id, may_look_after=lambda _guard: True)
    assert await used(db, own) == {}


@pytest.mark.parametrize("params", [b'{"note":"hi \\ud83d","n":2}', b'{"\\udc00":"\\u0000","n":2}'])
async def test_params_that_are_no_unicode_are_counted_and_verified(
    db: Database, database_url: str, params: bytes
) -> None:
    """By operations and by a field; half a surrogate pair beside it is legal JSON."""
    await add(db, Budget(Decimal(9)))
    summed = await add(db, Budget(Decimal(9), "n"))
    async with writing(database_url) as (writer, _):
        await claim_each([writer], [claim(params=params)])
    assert await used(db, summed) == {SHARED: 2}
    await assert_whole(database_url)


@pytest.mark.parametrize("amount", [1, 3])
async def test_a_count_that_the_log_does_not_bear_out_is_found(
    db: Database, database_url: str, amount: int
) -> None:
    """Too little, which would let more start, and too much."""
    guard = await add(db, Budget(Decimal(9)))
    async with writing(database_url) as (writer, _), rival_of(database_url) as rival:
        await claim_each([writer], [claim("a"), claim("b")])
        await assert_whole(database_url)
        await rival.execute("update budget_uses set used = $1", amount)
    (broken,) = (await verify(db)).broken
    assert (broken.invariant, broken.channel_id) == ("budgets_count_what_was_granted", "*")
    assert guard.guard_id in broken.what
