"""The server is killed at each moment where a crash matters, and nothing that was acknowledged is lost."""

import asyncio
import signal
from collections.abc import Callable

import asyncpg
import pytest
import urllib3

from actae.crash_points import CrashPoint
from tests.support.doomed import doomed_at
from tests.support.history import History
from tests.support.load import Load
from tests.support.postgres import TestPostgres
from tests.support.server import RunningServer
from tests.support.verified import assert_whole

pytestmark = pytest.mark.crash

# Where, and at which time it is reached: the first finds an empty database, a later one much under way.
UNDER_LOAD = [
    (CrashPoint.BATCH_TAKEN, 1),
    (CrashPoint.BATCH_TAKEN, 30),
    (CrashPoint.BATCH_READ, 30),
    (CrashPoint.BATCH_DECIDED, 30),
    (CrashPoint.BATCH_COMMITTED_NOT_ANSWERED, 1),
    (CrashPoint.BATCH_COMMITTED_NOT_ANSWERED, 30),
    (CrashPoint.STORY_WRITTEN_NOT_COMMITTED, 5),
]


def test_every_crash_point_is_killed_at() -> None:
    """A new name asks for a new row above, or a test of its own below or in a file that is named here."""
    covered = {point for point, _ in UNDER_LOAD} | {CrashPoint.MIGRATION_WRITTEN_NOT_COMMITTED}
    in_test_wakeups = {CrashPoint.WAKEUP_WRITTEN_NOT_COMMITTED, CrashPoint.WAKEUP_COMMITTED_NOT_TOLD}
    in_test_retention = {CrashPoint.REMOVAL_WRITTEN_NOT_COMMITTED}
    assert covered | in_test_wakeups | in_test_retention == set(CrashPoint)


@pytest.mark.parametrize(("point", "nth"), UNDER_LOAD)
async def test_a_killed_server_loses_nothing_it_acknowledged(
    start_server: Callable[..., RunningServer], database_url: str, point: CrashPoint, nth: int
) -> None:
    """What was acknowledged is there, the rest is whole or absent, and repeating it converges."""
    doomed = start_server(**doomed_at(point, nth))
    load = Load(doomed.url, doomed.api_key, insist=False)
    await load.run()
    assert await asyncio.to_thread(doomed.process.wait, 30) == -signal.SIGKILL
    assert load.unanswered
    await assert_whole(database_url)

    server = start_server(port=int(doomed.url.rpartition(":")[2]))
    load.look(History(server))
    await load.repeat_unanswered()
    assert load.unanswered == []
    load.look(History(server))
    await load.repeat_acknowledged()
    await assert_whole(database_url)


@pytest.mark.parametrize(
    ("point", "is_there"),
    [
        (CrashPoint.BATCH_TAKEN, False),
        (CrashPoint.BATCH_READ, False),
        (CrashPoint.BATCH_DECIDED, False),
        (CrashPoint.BATCH_COMMITTED_NOT_ANSWERED, True),
    ],
)
def test_a_batch_is_written_by_its_commit_and_by_nothing_else(
    start_server: Callable[..., RunningServer], channel: str, point: CrashPoint, is_there: bool
) -> None:
    """Before it nothing of an unanswered write is there; after it the whole of it, answered or not."""
    doomed = start_server(**doomed_at(point, 1))
    with pytest.raises(urllib3.exceptions.ProtocolError):
        doomed.claim(channel, "charge", attempt_id="mine")
    server = start_server()
    executions = server.get(f"/executions?channel_id={channel}").body["executions"]
    assert len(executions) == is_there
    assert server.get(f"/events/cursor/{channel}").body["latest_cursor"] == (1 if is_there else None)
    assert server.claim(channel, "charge", attempt_id="mine").body["status"] == "claimed"


async def test_a_migration_is_whole_or_absent(
    postgres: TestPostgres, start_server: Callable[..., RunningServer]
) -> None:
    """Killed between the last statement and the commit, the next start begins anew."""
    dsn = await asyncio.to_thread(postgres.fresh_database, empty=True)
    try:
        with pytest.raises(AssertionError, match=f"ended with {-signal.SIGKILL}"):
            start_server(dsn, **doomed_at(CrashPoint.MIGRATION_WRITTEN_NOT_COMMITTED, 1))
        assert await _tables_of(dsn) == ["schema_migrations"]
        server = start_server(dsn)
        assert server.record("run-1").body["event"]["cursor"] == 1
        assert server.stop() == 0
    finally:
        await asyncio.to_thread(postgres.drop_database, dsn)


async def _tables_of(dsn: str) -> list[str]:
    connection = await asyncpg.connect(dsn)
    try:
        rows = await connection.fetch("select tablename from pg_tables where schemaname = 'public'")
        return [row["tablename"] for row in rows]
    finally:
        await connection.close()
