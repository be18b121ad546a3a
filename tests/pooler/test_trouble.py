"""A pooler that goes away, has no session to lend, or is not where the settings say."""

import asyncio
from collections.abc import Callable

import pytest

from actae.domain.errors import UnavailableError
from actae.store.database import Database
from actae.store.instance import load_instance
from tests.support.crowd import Answer, crowd_at
from tests.support.history import History
from tests.support.load import SHARED, Load
from tests.support.pgbouncer import PgBouncer
from tests.support.server import RunningServer
from tests.support.verified import assert_whole
from tests.support.waiting import until_async

_ANSWERS = 30  # so many acknowledgements show that everything works


async def read_on(server: RunningServer, load: Load) -> None:
    """Read for as long as the load lasts; to be told to come again is no failure."""
    async with crowd_at(server) as crowd:
        while not load.is_over:
            answer = await crowd.get(f"/events/replay/{SHARED}?limit=5")
            assert answer.status in {200, 503}, answer


async def test_a_pooler_that_is_started_again_loses_nothing(
    start_pooled: Callable[..., RunningServer], pooler: PgBouncer, database_url: str
) -> None:
    """Under load, twice: reads and stories wait or are told to come again, and writers notice nothing."""
    server = start_pooled()
    load = Load(server.url, server.api_key, insist=True)
    running = asyncio.gather(load.run(), *(read_on(server, load) for _ in range(4)))
    try:
        for _ in range(2):
            before = len(load.acknowledged)
            await until_async(lambda: len(load.acknowledged) >= before + _ANSWERS)  # noqa: B023
            await asyncio.to_thread(pooler.stop)
            await asyncio.to_thread(pooler.start)
        before = len(load.acknowledged)
        await until_async(lambda: len(load.acknowledged) >= before + _ANSWERS)
    finally:
        load.end()
        await running
    assert load.unanswered == []
    load.look(History(server))
    await assert_whole(database_url)


async def test_without_the_pooler_writes_go_on_and_reads_are_told_to_come_again(
    start_pooled: Callable[..., RunningServer], pooler: PgBouncer, channel: str
) -> None:
    """The writers have their own way."""
    server = start_pooled()
    pooler.stop()
    recorded = await asyncio.to_thread(server.record, channel)
    async with crowd_at(server) as crowd:
        answers: list[Answer] = [await crowd.get(f"/events/replay/{channel}")]
        pooler.start()
        answers.append(await crowd.get(f"/events/replay/{channel}"))
    assert recorded.status == 200
    assert [answer.status for answer in answers] == [503, 200]
    assert answers[0].body["retryable"] is True


async def test_whoever_is_lent_no_session_is_told(pooler: PgBouncer) -> None:
    """Once, and with the limit; the pool is good afterwards."""
    db = await Database.connect(pooler.url, connections_max=1, read_timeout_seconds=15, through_pooler=True)
    try:
        instance = await load_instance(db)
        await pooler.command("PAUSE")
        with pytest.raises(UnavailableError, match="time limit"):
            await load_instance(db)
        await pooler.command("RESUME")
        assert (await load_instance(db)).instance_id == instance.instance_id
    finally:
        await db.close()


async def test_a_server_that_is_lent_no_session_is_not_ready(
    start_pooled: Callable[..., RunningServer], pooler: PgBouncer
) -> None:
    """Whoever asks gets an answer, and so does whoever reads."""
    server = start_pooled()

    def readiness() -> int:
        return server.request("GET", "/readyz", api_key=None).status

    assert readiness() == 200
    await pooler.command("PAUSE")
    async with crowd_at(server) as crowd:
        reading = asyncio.gather(*(crowd.get("/channels") for _ in range(20)))
        await until_async(lambda: readiness() == 503)
        assert {answer.status for answer in await reading} == {503}
    await pooler.command("RESUME")
    await until_async(lambda: readiness() == 200)
