"""Retention with servers that are killed: a channel is whole or gone, and what a fork needs is there."""

import asyncio
import signal
from collections.abc import Callable

import pytest

from actae.crash_points import CrashPoint
from tests.support.doomed import doomed_at
from tests.support.forking import effect, fork
from tests.support.keeping import end, is_there, keep, run
from tests.support.postgres import Clock
from tests.support.server import RunningServer
from tests.support.verified import assert_whole
from tests.support.waiting import until

pytestmark = pytest.mark.crash

Start = Callable[..., RunningServer]
NAMES = [f"run-{number}" for number in range(8)]
SWEEPING = {"ACTAE_RETENTION_SWEEP_SECONDS": "0.2"}
RESTING = {"ACTAE_RETENTION_SWEEP_SECONDS": "0"}


async def test_a_server_killed_in_the_middle_of_a_sweep(start_server: Start, database_url: str) -> None:
    """The channel that it was at is as it was; another server removes the rest. No fork loses its past."""
    clock = Clock(database_url)
    resting = start_server(environment=RESTING)
    for name in NAMES:
        end(resting, name)
    effect(resting, "parent", "charge", result="paid")
    fork(resting, "parent", "child")
    resting.post("/channels/parent/close", {})
    keep(resting, "*", 3600)
    clock.advance(7200)
    options = doomed_at(CrashPoint.REMOVAL_WRITTEN_NOT_COMMITTED, 4)
    doomed = start_server(**{**options, "environment": {**options["environment"], **SWEEPING}})
    assert await asyncio.to_thread(doomed.process.wait, 60) == -signal.SIGKILL
    assert [is_there(resting, name) for name in NAMES] == [False] * 3 + [True] * 5
    await assert_whole(database_url)
    clock.advance(1)  # the next turn
    start_server(environment=SWEEPING)
    until(lambda: not any(is_there(resting, name) for name in NAMES), seconds=60)
    assert is_there(resting, "parent")
    replayed = resting.claim("child", "charge").body
    assert (replayed["status"], replayed["result"]) == ("replayed", "paid")
    await assert_whole(database_url)


async def test_two_servers_sweep_and_a_third_is_asked_to(start_server: Start, database_url: str) -> None:
    """Whoever is faster: each channel goes once, and the counters agree."""
    clock = Clock(database_url)
    servers = [start_server(environment=SWEEPING), start_server(environment=SWEEPING)]
    asked = start_server(environment=RESTING)
    for name in NAMES:
        end(asked, name)
    clock.advance(7200)
    keep(asked, "*", 3600)
    run(asked)
    until(lambda: not any(is_there(asked, name) for name in NAMES), seconds=60)
    until(lambda: sum(map(removed_by, [*servers, asked])) == len(NAMES))
    await assert_whole(database_url)


def removed_by(server: RunningServer) -> int:
    """How many channels this server has removed."""
    text = server.request("GET", "/metrics").body.decode()
    name = "actae_retention_channels_removed_total "
    return int(float(next(line for line in text.splitlines() if line.startswith(name)).split()[1]))
