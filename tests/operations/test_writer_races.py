"""Several writers on one database: as many server processes, in effect."""

import asyncio
from collections.abc import Callable, Iterator

import asyncpg
import pytest
from tests.support.asks import claim, record, transition
from tests.support.rival import rival_of
from tests.support.writers import writing

from actae import crash_points
from actae.crash_points import CrashPoint
from actae.domain.answers import Refused
from actae.domain.executions import Claimed, InProgress
from actae.observations import RaceLost

Install = Callable[[Callable[[], None]], None]


@pytest.fixture
def when_decided() -> Iterator[Install]:
    """Does something each time a batch has been read and decided, and is not written yet."""

    def install(act: Callable[[], None]) -> None:
        crash_points.install(lambda point: act() if point is CrashPoint.BATCH_DECIDED else None)

    yield install
    crash_points.install(lambda _point: None)


class Intruder:
    """Moves heads from a thread of its own, as another server would, the first so many times."""

    def __init__(self, dsn: str, channel_id: str, *, times: int) -> None:
        self._dsn = dsn
        self._channel_id = channel_id
        self.times_left = times
        self.was_locked_out = False

    def __call__(self) -> None:
        """Move the head, or find out that it is locked."""
        import threading

        thread = threading.Thread(target=lambda: asyncio.run(self._intrude()))
        thread.start()
        thread.join()

    async def _intrude(self) -> None:
        connection = await asyncpg.connect(self._dsn)
        try:
            if self.times_left > 0:
                self.times_left -= 1
                statement = "update channel_heads set revision = revision + 1 where channel_id = $1"
            else:
                statement = "select 1 from channel_heads where channel_id = $1 for update nowait"
            await connection.execute(statement, self._channel_id)
        except asyncpg.LockNotAvailableError:
            self.was_locked_out = True
        finally:
            await connection.close()


async def test_a_batch_that_lost_a_race_is_decided_again(database_url: str, when_decided: Install) -> None:
    """Optimistically first: the second attempt holds no lock."""
    intruder = Intruder(database_url, "run-1", times=1)
    async with writing(database_url) as (writer, facts), rival_of(database_url) as rival:
        await writer.submit(record())
        when_decided(intruder)
        answer = await writer.submit(record())
        assert answer.event.cursor == 2
        assert [fact.losses for fact in facts.of(RaceLost)] == [1]
        assert not intruder.was_locked_out
        assert await rival.cursors("run-1") == [1, 2]


async def test_who_keeps_losing_locks_first(database_url: str, when_decided: Install) -> None:
    """After two lost races the heads are locked before they are read, so nobody can come in between."""
    intruder = Intruder(database_url, "run-1", times=2)
    async with writing(database_url) as (writer, facts), rival_of(database_url) as rival:
        await writer.submit(record())
        when_decided(intruder)
        answer = await writer.submit(record())
        assert answer.event.cursor == 2
        assert [fact.losses for fact in facts.of(RaceLost)] == [1, 2]
        assert intruder.was_locked_out
        assert await rival.cursors("run-1") == [1, 2]


async def test_two_servers_never_leave_a_gap_and_neither_starves(database_url: str) -> None:
    """Both write the same four channels all the time; each gets all its answers."""
    channels = [f"run-{number}" for number in range(4)]
    async with (
        writing(database_url) as (one, one_saw),
        writing(database_url) as (other, other_saw),
        rival_of(database_url) as rival,
    ):

        async def keep_writing(writer, channel_id: str) -> list[int]:  # type: ignore[no-untyped-def]
            return [(await writer.submit(record(channel_id=channel_id))).event.cursor for _ in range(25)]

        cursors = await asyncio.gather(
            *(keep_writing(writer, each) for writer in (one, other) for each in channels for _ in range(2))
        )
        assert one_saw.of(RaceLost) or other_saw.of(RaceLost)
        assert all(seen == sorted(seen) for seen in cursors)
        for each in channels:
            assert await rival.cursors(each) == list(range(1, 101))


async def test_two_servers_create_a_channel_once(database_url: str) -> None:
    """The first write of both is the first write of the channel; one of them comes second."""
    async with writing(database_url) as (one, _), writing(database_url) as (other, _):
        for number in range(20):
            asks = [writer.submit(record(channel_id=f"run-{number}")) for writer in (one, other)]
            answers = await asyncio.gather(*asks)
            assert sorted(answer.event.cursor for answer in answers) == [1, 2]


async def test_two_servers_hand_a_key_to_one_owner(database_url: str) -> None:
    """Whoever asks, and wherever: one of the claimers owns the key."""
    async with writing(database_url) as (one, _), writing(database_url) as (other, _):
        asks = [
            writer.submit(claim(attempt_id=f"{name}-{number}"))
            for number in range(50)
            for name, writer in (("one", one), ("other", other))
        ]
        answers = await asyncio.gather(*asks)
        assert sum(isinstance(answer, Claimed) for answer in answers) == 1
        assert sum(isinstance(answer, InProgress) for answer in answers) == 99


async def test_two_servers_let_one_transition_win_each_version(database_url: str) -> None:
    """A guard that was true when it was read, and is not when it is written, refuses."""
    async with writing(database_url) as (one, _), writing(database_url) as (other, _):
        for version in range(10):
            asks = [writer.submit(transition(expected_version=version)) for writer in (one, other) * 5]
            answers = await asyncio.gather(*asks)
            won = [answer for answer in answers if not isinstance(answer, Refused)]
            assert [answer.state_version for answer in won] == [version + 1]
