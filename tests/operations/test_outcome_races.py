"""Outcomes that nobody knows, at several servers and with replies that get lost."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from msgspec import UNSET

from actae.domain.answers import Refused
from actae.domain.errors import ExecutionNotOwnedError, ExecutionTerminalError, UnavailableError
from actae.domain.executions import Reclaimed, Settled
from actae.domain.outcome_errors import ExecutionAmbiguousError, ExecutionMovedOnError
from actae.operations.verification import verify
from actae.store.database import Database
from tests.support.asks import claim, complete, dispatch, fail, heartbeat, resolve
from tests.support.everything import claim_token
from tests.support.intruder import Intruder, intruding
from tests.support.postgres import Clock
from tests.support.proxy import Proxy, target_of, through
from tests.support.rival import rival_of
from tests.support.writers import writing


def elsewhere(dsn: str, *asks: Any) -> Callable[[], Awaitable[None]]:
    """What another server does meanwhile."""

    async def act() -> None:
        async with writing(dsn) as (other, _):
            for ask in asks:
                await other.submit(ask)

    return act


async def assert_whole(db: Database) -> None:
    """Rows and log agree."""
    assert (await verify(db, keys_were_freed=False)).broken == []


async def test_a_mark_whose_reply_was_lost_can_be_sent_again(
    db: Database, database_url: str, clock: Clock
) -> None:
    """It counts from its commit on, and a repetition changes nothing."""
    with Proxy(target_of(database_url)) as proxy:
        async with writing(through(proxy, database_url)) as (writer, _), rival_of(database_url) as rival:
            token = await claim_token(writer, "charge:1", on_lapse="after_dispatch")
            proxy.lose("reply", b"ambiguous", then="cut")
            with pytest.raises(UnavailableError):
                await writer.submit(dispatch(token))
            before = await rival.value("select revision from channel_heads")
            assert isinstance(await writer.submit(dispatch(token)), Settled)
            assert await rival.value("select revision from channel_heads") == before
            clock.advance(61)
            refused = await writer.submit(claim(attempt_id="second"))
            assert isinstance(refused.error, ExecutionAmbiguousError)
    await assert_whole(db)


async def test_a_mark_that_was_not_committed_leaves_a_lapse_that_is_reclaimed(
    db: Database, database_url: str, clock: Clock
) -> None:
    """Its owner got no answer, so the tool was not called."""
    with Proxy(target_of(database_url)) as proxy:
        async with writing(through(proxy, database_url)) as (writer, _):
            token = await claim_token(writer, "charge:1", on_lapse="after_dispatch")
            proxy.lose("request", b"ambiguous", then="cut")
            with pytest.raises(UnavailableError):
                await writer.submit(dispatch(token))
            clock.advance(61)
            assert isinstance(await writer.submit(claim(attempt_id="second")), Reclaimed)
            refused = await writer.submit(dispatch(token))
            assert isinstance(refused.error, ExecutionNotOwnedError)
    await assert_whole(db)


async def test_words_about_an_outcome_whose_reply_was_lost_are_said_once(
    db: Database, database_url: str
) -> None:
    """That it is not known, and what became of it."""
    with Proxy(target_of(database_url)) as proxy:
        async with writing(through(proxy, database_url)) as (writer, _), rival_of(database_url) as rival:
            token = await claim_token(writer, "charge:1")
            unknown = fail(token, message="time-out-7", outcome_unknown=True)
            applied = resolve("applied", result=b'"receipt-7"', operation_id="look")
            for ask, mark in ((unknown, b"time-out-7"), (applied, b"receipt-7")):
                proxy.lose("reply", mark, then="cut")
                with pytest.raises(UnavailableError):
                    await writer.submit(ask)
                assert isinstance(await writer.submit(ask), Settled)
            types = await rival.value("select string_agg(event_type, ' ' order by cursor) from events")
            assert types == "tool.started tool.ambiguous tool.resolved tool.completed"
    await assert_whole(db)


async def test_an_owner_who_comes_back_and_a_resolution_meet_in_one_order(
    db: Database, database_url: str, clock: Clock
) -> None:
    """Whoever is first is right; the other one is told, and a report is kept."""
    async with writing(database_url) as (writer, _):
        for key, first in (("charge:1", "owner"), ("charge:2", "resolution")):
            token = await claim_token(writer, key, on_lapse="ambiguous")
            clock.advance(61)
            calls = {
                "owner": complete(token, key, result=b'"mine"'),
                "resolution": resolve("applied", key, result=b'"theirs"'),
            }
            (late,) = calls.keys() - {first}
            with intruding(
                Intruder(database_url, "run-1", times=1, act=elsewhere(database_url, calls[first]))
            ):
                refused = await writer.submit(calls[late])
            assert isinstance(refused, Refused)
            expected = ExecutionTerminalError if first == "owner" else ExecutionNotOwnedError
            assert isinstance(refused.error, expected)
            replayed = await writer.submit(claim(key, attempt_id="later"))
            assert bytes(replayed.result) == (b'"mine"' if first == "owner" else b'"theirs"')
    report = await verify(db, keys_were_freed=False)
    assert (report.broken, report.looked_at.late_evidence) == ([], 1)


async def test_a_mark_and_a_take_over_meet_in_one_order(
    db: Database, database_url: str, clock: Clock
) -> None:
    """Never does the tool run for both: the mark revives the lease, or comes too late."""
    async with writing(database_url) as (writer, _):
        token = await claim_token(writer, "charge:1", on_lapse="after_dispatch")
        clock.advance(61)
        take_over = elsewhere(database_url, claim(attempt_id="second"))
        with intruding(Intruder(database_url, "run-1", times=1, act=take_over)):
            refused = await writer.submit(dispatch(token))
        assert isinstance(refused.error, ExecutionNotOwnedError)
        token = await claim_token(writer, "charge:2", on_lapse="after_dispatch")
        clock.advance(61)
        with intruding(
            Intruder(database_url, "run-1", times=1, act=elsewhere(database_url, dispatch(token, "charge:2")))
        ):
            answer = await writer.submit(claim("charge:2", attempt_id="second"))
        assert answer.execution.attempts == 1
        assert answer.claim_token is None
    await assert_whole(db)


async def test_two_people_who_looked_at_one_attempt_start_one_more(db: Database, database_url: str) -> None:
    """The second word is about an attempt that is over, at whichever server it arrives."""
    async with writing(database_url) as (writer, _):
        token = await claim_token(writer, "charge:1")
        await writer.submit(fail(token, outcome_unknown=True))
        meanwhile = elsewhere(
            database_url, resolve("not_applied", by="ann", attempts=1), claim(attempt_id="second")
        )
        with intruding(Intruder(database_url, "run-1", times=1, act=meanwhile)):
            refused = await writer.submit(resolve("not_applied", by="ben", attempts=1))
        assert isinstance(refused.error, ExecutionMovedOnError)
    await assert_whole(db)


async def test_one_report_at_two_servers_is_kept_once(db: Database, database_url: str) -> None:
    """It was sent again, because its refusal was lost."""
    async with writing(database_url) as (writer, _):
        token = await claim_token(writer, "charge:1")
        await writer.submit(fail(token, outcome_unknown=True))
        await writer.submit(resolve("not_applied"))
        with intruding(
            Intruder(database_url, "run-1", times=1, act=elsewhere(database_url, complete(token)))
        ):
            await writer.submit(complete(token))
    report = await verify(db, keys_were_freed=False)
    assert (report.broken, report.looked_at.late_evidence) == ([], 1)


@pytest.mark.parametrize("is_reported", [True, False])
async def test_a_late_result_and_the_next_claim_meet_in_one_order(
    db: Database, database_url: str, is_reported: bool
) -> None:
    """A claim that comes after the report is not told that there was no effect."""
    async with writing(database_url) as (writer, _):
        token = await claim_token(writer, "charge:1")
        await writer.submit(fail(token, outcome_unknown=True))
        await writer.submit(resolve("not_applied"))
        meanwhile = elsewhere(database_url, *([complete(token)] if is_reported else []))
        with intruding(Intruder(database_url, "run-1", times=1, act=meanwhile)):
            answer = await writer.submit(claim(attempt_id="second"))
        assert isinstance(answer, Reclaimed)
        assert answer.unapplied is (UNSET if is_reported else True)
    await assert_whole(db)


async def test_asks_about_one_operation_in_one_batch_are_judged_in_order(
    db: Database, database_url: str, clock: Clock
) -> None:
    """Renewed, given up, resolved, claimed anew and reported on: one statement, which writes the row once."""
    async with writing(database_url) as (writer, facts), rival_of(database_url) as rival:
        token = await claim_token(writer, "charge:1", on_lapse="ambiguous")
        clock.advance(61)
        async with rival.holding("run-1"):
            first = writer.submit(heartbeat(token))
            await rival.until_somebody_waits()
            asks = (
                fail(token, outcome_unknown=True),
                heartbeat(token),
                resolve("not_applied", by="ann"),
                claim(attempt_id="second"),
                complete(token),
                resolve("applied", attempts=1),
            )
            waiting = [writer.submit(ask) for ask in asks]
        await first
        given_up, late_beat, resolved, reclaimed, late_report, moved_on = await asyncio.gather(*waiting)
        assert facts.batch_sizes[-1] == len(asks)
        assert (given_up.status, resolved.status) == ("ambiguous", "failed")
        assert isinstance(late_beat.error, ExecutionNotOwnedError)
        assert isinstance(reclaimed, Reclaimed)
        assert isinstance(late_report.error, ExecutionNotOwnedError)
        assert isinstance(moved_on.error, ExecutionMovedOnError)
        stands = "select format('%s %s', status, attempts) from executions"
        assert await rival.value(stands) == "running 2"
    await assert_whole(db)


async def test_a_mark_does_not_shorten_the_lease(database_url: str, clock: Clock) -> None:
    """To the microsecond: a lease of a second that lost its fraction would be over at once."""
    async with writing(database_url) as (writer, _), rival_of(database_url) as rival:
        claimed = await writer.submit(claim(on_lapse="after_dispatch", lease_seconds=1))
        marked = await writer.submit(dispatch(claimed.claim_token))
        told = marked.execution.lease_until
        assert told >= claimed.execution.lease_until
        assert await rival.value("select lease_until from executions") == told
