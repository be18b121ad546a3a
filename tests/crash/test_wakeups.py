"""Wake-ups with servers that come and go: each fires once, late rather than never."""

import asyncio
import random
import signal
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial

import pytest

from actae.crash_points import CrashPoint
from tests.support.doomed import doomed_at
from tests.support.postgres import Clock
from tests.support.server import RunningServer
from tests.support.timers import cancel, fired, listed, look, schedule, until_over, until_swept
from tests.support.verified import assert_whole
from tests.support.waiting import until

pytestmark = pytest.mark.crash

HOUR = timedelta(hours=1)

# Where the third wake-up kills its server, and how many have become events by then.
IN_A_SWEEP = [(CrashPoint.WAKEUP_WRITTEN_NOT_COMMITTED, 2), (CrashPoint.WAKEUP_COMMITTED_NOT_TOLD, 3)]

Start = Callable[..., RunningServer]


def schedule_many(server: RunningServer, clock: Clock, count: int, *, channels: int) -> dict[str, list[str]]:
    """So many wake-ups, an hour ahead, by their channels."""
    run_at = clock.now() + HOUR
    with ThreadPoolExecutor(8) as callers:
        made = list(
            callers.map(lambda place: schedule(server, f"run-{place % channels}", run_at), range(count))
        )
    return {
        f"run-{number}": [each["id"] for each in made if each["channel_id"] == f"run-{number}"]
        for number in range(channels)
    }


def assert_each_fired_once(server: RunningServer, made: dict[str, list[str]]) -> None:
    """As the logs tell, and as the wake-ups tell themselves."""
    for channel, ids in made.items():
        until_over(server, channel)
        assert fired(server, channel) == Counter(ids)
        assert {each["status"] for each in listed(server, f"channel_id={channel}")} == {"done"}


async def test_two_servers_fire_five_hundred_once(start_server: Start, database_url: str) -> None:
    """All are due at once, and both servers want each of them."""
    clock = Clock(database_url)
    servers = [start_server(), start_server()]
    made = schedule_many(servers[0], clock, 500, channels=20)
    clock.advance(HOUR.total_seconds() + 60)
    assert_each_fired_once(servers[1], made)
    await assert_whole(database_url)


@pytest.mark.parametrize(("point", "told"), IN_A_SWEEP)
async def test_a_server_killed_in_the_middle_of_a_sweep(
    start_server: Start, database_url: str, point: CrashPoint, told: int
) -> None:
    """The wake-up that it was at is whole or untouched; another server fires the rest, and nothing twice."""
    clock = Clock(database_url)
    doomed = start_server(**doomed_at(point, 3))
    made = schedule_many(doomed, clock, 10, channels=1)
    clock.advance(HOUR.total_seconds() + 60)
    assert await asyncio.to_thread(doomed.process.wait, 60) == -signal.SIGKILL
    await assert_whole(database_url)
    clock.advance(-2 * HOUR.total_seconds())  # so that nothing more is due, and what is there can be seen
    server = start_server()
    assert fired(server, "run-0").total() == told
    clock.advance(2 * HOUR.total_seconds())
    assert_each_fired_once(server, made)
    await assert_whole(database_url)


async def test_what_comes_due_while_nobody_serves_fires_after_the_start(
    start_server: Start, database_url: str
) -> None:
    """Once, and what was cancelled in time does not."""
    clock = Clock(database_url)
    server = start_server()
    made = schedule_many(server, clock, 5, channels=2)
    cancelled = made["run-0"].pop()
    assert cancel(server, cancelled).status == 200
    assert server.stop() == 0
    clock.advance(10 * HOUR.total_seconds())
    again = start_server()
    for channel, ids in made.items():
        until_over(again, channel)
        assert fired(again, channel) == Counter(ids)
    assert look(again, cancelled)["status"] == "cancelled"


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_servers_that_are_killed_at_any_moment(start_server: Start, database_url: str) -> None:
    """Again and again, while hundreds are due."""
    clock = Clock(database_url)
    made = schedule_many(start_server(), clock, 600, channels=7)
    clock.advance(HOUR.total_seconds() + 60)
    chance = random.Random(7)
    while listed(server := start_server(), "status=pending&limit=1"):
        until(partial(_has_fired_or_is_over, server, chance.randint(1, 80)), seconds=60)
        server.kill()
    assert_each_fired_once(server, made)
    await assert_whole(database_url)


def _has_fired_or_is_over(server: RunningServer, count: int) -> bool:
    text = server.request("GET", "/metrics").body.decode()
    counted = next(line for line in text.splitlines() if line.startswith("actae_wakeups_fired_total "))
    return float(counted.split()[1]) >= count or not listed(server, "status=pending&limit=1")


def test_a_due_wakeup_can_be_cancelled_for_a_moment(start_server: Start, database_url: str) -> None:
    """Who waits for the same deadline comes to clear it away only then, and sweeps go on meanwhile."""
    clock = Clock(database_url)
    server = start_server(environment={"ACTAE_WAKEUP_LAG_SECONDS": "600"})
    made = schedule(server, "run-1", clock.now() + HOUR)
    clock.advance(HOUR.total_seconds() + 60)
    until_swept(server, "other", clock.now())
    (pending,) = listed(server, "channel_id=run-1&status=pending")
    assert pending["id"] == made["id"]
    assert cancel(server, made["id"]).body["status"] == "cancelled"
    clock.advance(HOUR.total_seconds())
    until_swept(server, "other", clock.now())
    assert fired(server, "run-1") == {}


@pytest.mark.parametrize("minutes", [10, -10])
def test_the_clocks_of_clients_and_servers_mean_nothing(
    start_server: Start, database_url: str, minutes: int
) -> None:
    """Ten minutes ahead of the database's or behind it: that one says what is due."""
    clock = Clock(database_url)
    clock.advance(minutes * 60)
    server = start_server()
    now = clock.now()
    passed = schedule(server, "run-1", now - timedelta(minutes=5))
    ahead = schedule(server, "run-1", now + timedelta(minutes=5))
    until_swept(server, "other", now)
    until(lambda: look(server, passed["id"])["status"] == "done")
    assert look(server, ahead["id"])["status"] == "pending"
    clock.advance(5 * 60 + 5)
    until_over(server, "run-1")
    assert fired(server, "run-1") == {passed["id"]: 1, ahead["id"]: 1}
