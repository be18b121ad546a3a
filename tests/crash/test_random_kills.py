"""Server, PostgreSQL and its sessions are killed at random moments; nothing acknowledged is lost.

The moments are drawn from a seed, which is printed: ACTAE_KILL_SEED=… draws the same ones again.
"""

import asyncio
import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random, SystemRandom

import asyncpg
import pytest

from tests.support.history import History
from tests.support.load import Load
from tests.support.server import RunningServer
from tests.support.verified import assert_whole
from tests.support.waiting import until_async

pytestmark = pytest.mark.crash

_SECONDS_MAX = 0.5
_ANSWERS_BETWEEN = 30  # after a kill, so many acknowledgements show that everything works again


class Stage:
    """A server with a PostgreSQL of its own, under load, and somebody who kills."""

    def __init__(self, start: Callable[..., RunningServer], data_dir: Path, chance: Random) -> None:
        self._start = start
        self._data_dir = data_dir
        self._chance = chance
        self._environment = {"ACTAE_LANES": str(chance.choice([1, 3]))}
        self.server = start(data_dir=data_dir, environment=self._environment)
        self.load = Load(self.server.url, self.server.api_key, insist=True)

    async def kill(self, victim: str) -> None:
        """Let a random time pass, kill, and wait until writes are acknowledged again."""
        await asyncio.sleep(self._chance.uniform(0, _SECONDS_MAX))
        match victim:
            case "server":
                self.server.kill()
                port = int(self.server.url.rpartition(":")[2])
                self.server = await asyncio.to_thread(
                    self._start, data_dir=self._data_dir, environment=self._environment, port=port
                )
            case "postgres":
                lines = (self._data_dir / "postgres" / "postmaster.pid").read_text().splitlines()
                os.kill(int(lines[0]), signal.SIGKILL)
            case "session":
                os.kill(await self._session_pid(), signal.SIGKILL)
        before = len(self.load.acknowledged)
        await until_async(lambda: len(self.load.acknowledged) >= before + _ANSWERS_BETWEEN)

    async def _session_pid(self) -> int:
        """The writer's own session: it is the one that matters."""
        connection = await asyncpg.connect(self.server.database_url)
        try:
            statement = "select pid from pg_stat_activity where application_name = 'actae writer'"
            pid: int = await connection.fetchval(statement)
        finally:
            await connection.close()
        return pid


async def kill_and_check(stage: Stage, victims: Sequence[str]) -> None:
    """Kill one after the other, then look at everything."""
    running = asyncio.create_task(stage.load.run())
    try:
        for victim in victims:
            await stage.kill(victim)
    finally:
        stage.load.end()
        await running
    assert stage.load.unanswered == []
    stage.load.look(History(stage.server))
    await stage.load.repeat_acknowledged()
    await assert_whole(stage.server.database_url)
    assert stage.server.stop() == 0


@pytest.fixture
def chance() -> Random:
    """Where the random moments come from."""
    seed = int(os.environ.get("ACTAE_KILL_SEED", SystemRandom().randrange(2**32)))
    print(f"ACTAE_KILL_SEED={seed} draws these moments again")  # noqa: T201  # shown when the test fails
    return Random(seed)


async def test_kills_at_a_few_random_moments(
    start_server: Callable[..., RunningServer], data_dir: Path, chance: Random
) -> None:
    """One of each kind."""
    stage = Stage(start_server, data_dir, chance)
    await kill_and_check(stage, chance.sample(["server", "postgres", "session"], 3))


@pytest.mark.slow
@pytest.mark.timeout(1200)
async def test_kills_at_many_random_moments(
    start_server: Callable[..., RunningServer], data_dir: Path, chance: Random
) -> None:
    """Dozens, in any order."""
    stage = Stage(start_server, data_dir, chance)
    await kill_and_check(stage, chance.choices(["server", "postgres", "session"], k=40))
