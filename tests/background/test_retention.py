"""The loop that removes channels past their policy: it outlives trouble, and it ends when it is asked to."""

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest

from actae.background.retention import forget_what_is_over
from actae.observations import ChannelRemoved, RetentionFailed, RetentionSwept
from actae.operations.writer import Writer
from actae.settings import Settings
from actae.store.database import Database
from tests.support.ending import DAY, end, end_many, keep, left
from tests.support.postgres import Clock
from tests.support.waiting import until_async
from tests.support.writers import Facts, writing

QUICK = Settings(retention_sweep_seconds=0.01)


@pytest.fixture
async def writer(database_url: str) -> AsyncIterator[Writer]:
    """Makes what the channels hold."""
    async with writing(database_url) as (started, _):
        yield started


async def test_what_comes_past_its_time_goes_meanwhile(db: Database, writer: Writer, clock: Clock) -> None:
    """Without anybody asking."""
    facts = Facts()
    await keep(db, "*", DAY)
    async with forget_what_is_over(db, QUICK, facts.append):
        for name in ("run-1", "run-2"):
            await end(db, writer, name)
            clock.advance(2 * DAY)
            await until_async(lambda name=name: ChannelRemoved(name, "*", 1) in facts)
    assert await left(db) == set()
    assert not [task for task in asyncio.all_tasks() if task.get_name() == "actae retention"]


async def test_a_setting_turns_it_off(db: Database) -> None:
    """Then there is no loop at all."""
    async with forget_what_is_over(db, Settings(retention_sweep_seconds=0), Facts().append):
        assert not [task for task in asyncio.all_tasks() if task.get_name() == "actae retention"]


async def test_a_defect_does_not_end_it(db: Database, database_url: str) -> None:
    """Whatever a sweep meets, the next one begins; it is told of once."""
    facts = Facts()
    connection = await asyncpg.connect(database_url)
    await keep(db, "*", DAY)
    await connection.execute("alter table retention_sweeps rename to mislaid")
    async with forget_what_is_over(db, QUICK, facts.append):
        await until_async(lambda: facts.of(RetentionFailed))
        await connection.execute("alter table mislaid rename to retention_sweeps")
        await until_async(lambda: facts.of(RetentionSwept))
    await connection.close()
    assert len(facts.of(RetentionFailed)) == 1


async def test_it_ends_in_the_middle(db: Database, writer: Writer, clock: Clock) -> None:
    """What was told of is gone, or is the one more that was under way; the rest is there."""
    names = {f"run-{number}" for number in range(40)}
    await end_many(db, writer, names)
    await keep(db, "*", DAY)
    clock.advance(2 * DAY)
    facts = Facts()
    async with forget_what_is_over(db, QUICK, facts.append):
        await until_async(lambda: facts.of(ChannelRemoved))
    told = {fact.channel_id for fact in facts.of(ChannelRemoved)}
    gone = names - await left(db)
    assert told <= gone
    assert len(gone - told) <= 1
