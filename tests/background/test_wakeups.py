"""The loop that looks for due wake-ups: it outlives trouble, and it ends when it is asked to."""

import asyncio

import asyncpg

from actae.background.wakeups import fire_due_wakeups
from actae.observations import SweepFailed, SweepInterrupted, WakeupFired
from actae.settings import Settings
from actae.store.database import Database
from tests.support.due import now_of, of_channel, scheduled
from tests.support.proxy import Proxy, target_of, through
from tests.support.waiting import until_async
from tests.support.writers import Facts

QUICK = Settings(wakeup_tick_seconds=0.01, wakeup_lag_seconds=0.0)


async def test_what_becomes_due_fires_meanwhile(db: Database) -> None:
    """One after the other, without anybody asking."""
    facts = Facts()
    async with fire_due_wakeups(db, QUICK, facts.append):
        for count in range(1, 4):
            await scheduled(db)
            await until_async(lambda count=count: len(facts.of(WakeupFired)) == count)
    assert len(await of_channel(db)) == 3


async def test_a_database_that_is_away_is_waited_for(db: Database, database_url: str) -> None:
    """Several sweeps fail, one is told of; then it goes on as if nothing had been."""
    facts = Facts()
    made = await scheduled(db)
    with Proxy(target_of(database_url)) as proxy:
        for _ in range(40):  # each sweep asks several times before it gives up
            proxy.lose("request", b"from wakeups", then="cut")
        cut = await Database.connect(through(proxy, database_url), connections_max=4, read_timeout_seconds=15)
        async with fire_due_wakeups(cut, QUICK, facts.append):
            await until_async(lambda: facts.of(WakeupFired))
        await cut.close()
    assert len(facts.of(SweepInterrupted)) == 1
    assert facts.of(SweepFailed) == []
    assert facts[-1] == WakeupFired(made.id, 1)


async def test_a_defect_does_not_end_it(db: Database, database_url: str) -> None:
    """Whatever a sweep meets, the next one begins."""
    facts = Facts()
    connection = await asyncpg.connect(database_url)
    await connection.execute("alter table wakeups rename to mislaid")
    async with fire_due_wakeups(db, QUICK, facts.append):
        await until_async(lambda: facts.of(SweepFailed))
        await connection.execute("alter table mislaid rename to wakeups")
        made = await scheduled(db)
        await until_async(lambda: facts.of(WakeupFired))
    await connection.close()
    assert (await now_of(db, made)).status == "done"


async def test_it_ends_when_it_is_asked_to(db: Database) -> None:
    """The sweep under way is finished; nothing is half done, and no task is left."""
    made = [await scheduled(db) for _ in range(50)]
    facts = Facts()
    async with fire_due_wakeups(db, QUICK, facts.append):
        await until_async(lambda: facts.of(WakeupFired))
    fired = {fact.wakeup_id for fact in facts.of(WakeupFired)}
    assert {each.id for each in made if (await now_of(db, each)).status == "done"} == fired
    assert len(await of_channel(db)) == len(fired)
    assert not [task for task in asyncio.all_tasks() if task.get_name() == "actae wake-ups"]
