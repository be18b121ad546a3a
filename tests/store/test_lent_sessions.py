"""Sessions as a pooler lends them: nothing is expected of one before a transaction, or left in it."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest

from actae.domain.errors import UnavailableError
from actae.store.database import Database, Transaction
from actae.store.instance import load_instance
from actae.store.queries import Query
from actae.store.tail import list_head_cursors

_TRANSACTION = Query("transaction", "one", "select pg_current_xact_id() is not null as has_one", ())
_TIMEOUT = Query("timeout", "one", "select current_setting('statement_timeout') as timeout", ())
_SLEEP = Query("sleep", "none", "select pg_sleep(60)", ())
_LEFT = """
select current_setting('statement_timeout') as statement_timeout,
       current_setting('idle_in_transaction_session_timeout') as idle_timeout,
       (select count(*) from pg_prepared_statements) as prepared
"""


@pytest.fixture
async def lent(database_url: str) -> AsyncIterator[Database]:
    """The store on one connection, which it takes for a lent one."""
    database = await Database.connect(
        database_url, connections_max=1, read_timeout_seconds=2, through_pooler=True
    )
    yield database
    await database.close()


async def test_a_session_is_given_back_as_it_was(lent: Database) -> None:
    """After statements alone, types that the driver asks about, stories, and failures."""
    await load_instance(lent)
    await list_head_cursors(lent, ["run-1"])
    await lent.run(lambda tx: tx.fetch(_TRANSACTION))
    with pytest.raises(UnavailableError):
        await lent.execute(_SLEEP)
    async with lent._pool.acquire() as connection:
        left = await connection.fetchrow(_LEFT)
        assert not connection.is_in_transaction()
    assert dict(left) == {"statement_timeout": "0", "idle_timeout": "0", "prepared": 0}


@pytest.mark.parametrize("transaction", [True, False])
async def test_the_time_limit_holds_in_every_transaction(lent: Database, transaction: bool) -> None:
    """Also in that of a statement alone; what ran out of time is told as that."""

    async def sleep(tx: Transaction) -> None:
        assert dict(await tx.fetch_one(_TIMEOUT) or {}) == {"timeout": "2s"}
        await tx.execute(_SLEEP)

    with pytest.raises(UnavailableError, match="time limit"):
        await lent.run(sleep, transaction=transaction)
    await load_instance(lent)  # the connection is good


async def test_a_statement_alone_is_committed(lent: Database, database_url: str) -> None:
    """Others see what it wrote."""
    assert (await load_instance(lent)).secret
    connection = await asyncpg.connect(database_url)
    assert await connection.fetchval("select count(*) from instance") == 1
    await connection.close()


async def test_whoever_gives_up_leaves_no_transaction_behind(lent: Database) -> None:
    """The next one begins a transaction of its own on the same connection."""

    async def sleep(tx: Transaction) -> Any:
        began.set()
        return await tx.fetch_one(_SLEEP)

    for transaction in (True, False):
        began = asyncio.Event()
        waiting = asyncio.create_task(lent.run(sleep, transaction=transaction))
        await began.wait()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        row = await lent.fetch_one(_TRANSACTION)
        assert row is not None
        assert row["has_one"]
