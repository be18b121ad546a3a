"""A database that says nothing at all any more: no refusal, no error, no end of the connection."""

import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import pytest

from actae.domain.errors import UnavailableError
from actae.observations import DatabaseLost
from tests.support.asks import record
from tests.support.rival import Rival, rival_of
from tests.support.writers import writing


@contextmanager
def frozen(pid: int) -> Iterator[None]:
    """A process that takes what it is sent and answers nothing, as at the far end of a dead line."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


@asynccontextmanager
async def frozen_in_its_write(rival: Rival, pid: int) -> AsyncIterator[None]:
    """Frozen while its statement waits for a lock: it was heard, and nobody will hear what became of it."""
    await rival.until_somebody_waits()
    with frozen(pid):
        yield


async def test_a_line_that_went_silent_while_nobody_wrote_is_replaced(database_url: str) -> None:
    """The read finds it out, before anything was written: the caller waits longer, and is answered."""
    async with writing(database_url, silence_seconds=0.3) as (writer, facts), rival_of(database_url) as rival:
        await writer.submit(record())
        [pid] = await rival.writer_pids()
        with frozen(pid):
            assert (await writer.submit(record())).event.cursor == 2
        assert [fact.write_was_under_way for fact in facts.of(DatabaseLost)] == [False]


async def test_a_write_that_nobody_answers_has_an_unknown_outcome(database_url: str) -> None:
    """Its caller is told in time, and the next one is served through another connection."""
    async with writing(database_url, silence_seconds=1) as (writer, facts), rival_of(database_url) as rival:
        await writer.submit(record())
        [pid] = await rival.writer_pids()
        async with rival.holding("run-1"):
            unheard = writer.submit(record())
            async with frozen_in_its_write(rival, pid):
                with pytest.raises(UnavailableError, match="outcome is unknown; send the same request again"):
                    await unheard
                assert (await writer.submit(record(channel_id="run-2"))).event.cursor == 1
        assert [fact.write_was_under_way for fact in facts.of(DatabaseLost)] == [True]


async def test_a_writer_stops_though_its_database_is_silent(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is left waiting, neither who was in the batch nor who stood behind it."""
    monkeypatch.setattr("actae.operations.writer._STOP_SECONDS", 0.2)
    async with rival_of(database_url) as rival, writing(database_url) as (writer, _):
        await writer.submit(record())
        [pid] = await rival.writer_pids()
        async with rival.holding("run-1"):
            under_way = writer.submit(record())
            async with frozen_in_its_write(rival, pid):
                behind = writer.submit(record())
                assert writer.busy_seconds > 0
                await writer.stop()
                for each in (under_way, behind):
                    with pytest.raises(UnavailableError):
                        await each
