"""PostgreSQL committed, and the writer never heard of it: the hardest of all outcomes to be honest about."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from actae.domain.errors import UnavailableError
from actae.domain.events import AlreadyAppended
from actae.domain.executions import Claimed
from actae.observations import BatchIsolated
from actae.operations.writer import Writer
from tests.support.asks import claim, complete, record
from tests.support.intruder import Intruder, intruding
from tests.support.proxy import Proxy, target_of, through
from tests.support.rival import Rival, rival_of
from tests.support.writers import Facts, writing

OUTCOME_UNKNOWN = "outcome is unknown; send the same request again"


class Scene:
    """A writer that reaches its database through a proxy, and a rival that reaches it directly."""

    def __init__(self, writer: Writer, facts: Facts, rival: Rival, proxy: Proxy) -> None:
        self.writer = writer
        self.facts = facts
        self.rival = rival
        self.proxy = proxy

    async def submit(self, ask: Any) -> Any:
        """The answer of one ask."""
        return await self.writer.submit(ask)


@asynccontextmanager
async def scene_on(dsn: str) -> AsyncIterator[Scene]:
    """The channel `run-1` exists already."""
    with Proxy(target_of(dsn)) as proxy:
        async with writing(through(proxy, dsn)) as (writer, facts), rival_of(dsn) as rival:
            await writer.submit(record())
            yield Scene(writer, facts, rival, proxy)


async def test_a_write_that_was_committed_unheard_converges(database_url: str) -> None:
    """The caller is told that nobody knows; repeated with its operation id, it finds what was written."""
    async with scene_on(database_url) as scene:
        lost = scene.proxy.lose("reply", b'"precious"', then="cut")
        with pytest.raises(UnavailableError, match=OUTCOME_UNKNOWN) as told:
            await scene.submit(record(b'"precious"', operation_id="op"))
        assert told.value.retryable
        lost.wait()
        assert await scene.submit(record(b'"precious"', operation_id="op")) == AlreadyAppended(
            "run-1", 2, None
        )
        assert await scene.rival.cursors("run-1") == [1, 2]


async def test_a_claim_that_was_committed_unheard_is_given_again(database_url: str) -> None:
    """The same attempt id, the same token: nobody waits for a lease that nobody holds."""
    ask = claim(params=b'{"precious":1}')
    async with scene_on(database_url) as scene:
        scene.proxy.lose("reply", b'{"precious":1}', then="cut")
        with pytest.raises(UnavailableError, match=OUTCOME_UNKNOWN):
            await scene.submit(ask)
        claimed = await scene.submit(ask)
        assert isinstance(claimed, Claimed)
        assert claimed.execution.attempts == 1
        scene.proxy.lose("reply", b'"receipt"', then="cut")
        with pytest.raises(UnavailableError, match=OUTCOME_UNKNOWN):
            await scene.submit(complete(claimed.claim_token, result=b'"receipt"'))
        settled = await scene.submit(complete(claimed.claim_token, result=b'"receipt"'))
        assert bytes(settled.execution.result) == b'"receipt"'
        assert await scene.rival.cursors("run-1") == [1, 2, 3]


async def test_a_lost_commit_behind_locks_is_not_written_twice(database_url: str) -> None:
    """While it takes locks first, the commit is a message of its own, and may be the one that is lost."""
    async with scene_on(database_url) as scene:
        with intruding(Intruder(database_url, "run-1", times=2)) as intruder:
            await scene.submit(record())
            assert intruder.was_locked_out
        scene.proxy.lose("reply", b"COMMIT", then="cut")
        waiting = [scene.writer.submit(record(b'"once"')) for _ in range(3)]
        answers = await asyncio.gather(*waiting, return_exceptions=True)
        assert [type(answer) for answer in answers] == [UnavailableError] * 3
        assert all(OUTCOME_UNKNOWN in str(answer) for answer in answers)
        assert not scene.facts.of(BatchIsolated)
        assert await scene.rival.cursors("run-1") == [1, 2, 3, 4, 5]


async def test_a_session_ended_while_it_waits_for_locks_can_be_repeated(database_url: str) -> None:
    """Nothing was written yet, and nothing is written behind the caller's back."""
    async with scene_on(database_url) as scene:
        with intruding(Intruder(database_url, "run-1", times=2)) as intruder:
            await scene.submit(record())
            assert intruder.was_locked_out
        async with scene.rival.holding("run-1"):
            waiting = [scene.writer.submit(record()) for _ in range(3)]
            await scene.rival.terminate(await scene.rival.until_somebody_waits())
        answers = await asyncio.gather(*waiting, return_exceptions=True)
        assert [type(answer) for answer in answers] == [UnavailableError] * 3
        assert await scene.rival.cursors("run-1") == [1, 2]
        assert (await scene.submit(record())).event.cursor == 3


async def test_a_session_ended_in_the_write_behind_locks_leaves_the_outcome_open(database_url: str) -> None:
    """Also when the session dies politely, with an error of PostgreSQL's own."""
    async with scene_on(database_url) as scene:
        with intruding(Intruder(database_url, "run-1", times=2)) as intruder:
            await scene.submit(record())
            assert intruder.was_locked_out
        # The head is locked by the batch itself, so the write is made to wait for something else.
        async with scene.rival.inserting_event("run-1", cursor=3):
            waiting = [scene.writer.submit(record()) for _ in range(3)]
            await scene.rival.terminate(await scene.rival.until_somebody_waits())
        answers = await asyncio.gather(*waiting, return_exceptions=True)
        assert [type(answer) for answer in answers] == [UnavailableError] * 3
        assert all(OUTCOME_UNKNOWN in str(answer) for answer in answers)
        assert await scene.rival.cursors("run-1") == [1, 2]
