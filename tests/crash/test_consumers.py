"""Workers of a group, and the servers they talk to, are killed; each event is done once, by a live one."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import urllib3

from actae.crash_points import CrashPoint
from tests.support.consuming import GroupCalls, record_many
from tests.support.crowd import crowd_at
from tests.support.postgres import Clock
from tests.support.server import RunningServer
from tests.support.verified import assert_whole

pytestmark = pytest.mark.crash

ROOT = Path(__file__).parents[2]
VERBS = ("join", "work", "ack")
EVENTS = 2_000
WORKERS = 8


class Worker:
    """A consumer as a process of its own."""

    def __init__(self, server: RunningServer, group: GroupCalls, name: str, *options: str) -> None:
        program = Path(__file__).with_name("consumer.py")
        self.process = subprocess.Popen(
            [sys.executable, str(program), group.channel_id, group.id, name, *options],
            env={**os.environ, "ACTAE_URL": server.url, "ACTAE_API_KEY": server.api_key},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.handed: list[int] = []
        self.acked: list[int] = []

    def lines(self) -> Iterator[dict[str, Any]]:
        """What it tells, as it comes; kept, too."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            told = json.loads(line)
            self.handed += told.get("handed", [])
            self.acked += told.get("acked", [])
            yield told

    def begin(self) -> None:
        """Let it go, once it has joined."""
        assert next(self.lines()) == {"joined": True}
        assert self.process.stdin is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def follow_to_its_hold(self) -> None:
        """Until it has something in its hands, for good."""
        batches = 0
        for told in self.lines():
            batches += bool(told.get("handed"))
            if batches == 4:
                return
        raise AssertionError("it ended before it was killed")

    def end(self) -> int:
        """Hear the rest; the exit code."""
        for _ in self.lines():
            pass
        with self.process:  # closes its pipes
            return self.process.wait(60)


@pytest.mark.timeout(300)  # a few seconds; a dozen processes start first
async def test_eight_workers_at_two_servers_do_each_event_once(
    start_server: Callable[..., RunningServer], database_url: str
) -> None:
    """One of them dies with a batch in its hands. What it had not acknowledged goes to others, only that."""
    servers = [start_server(), start_server()]
    group = GroupCalls(servers[0], "orders", "billing")
    metadata = {"actor": "test"}
    bodies = [
        {"channel_id": "orders", "event_type": "note", "payload": number, "metadata": metadata}
        for number in range(EVENTS)
    ]
    async with crowd_at(servers[0]) as crowd:
        for start in range(0, EVENTS, 500):
            await crowd.post_together("/events/record", bodies[start : start + 500])
    group.create()

    doomed = Worker(servers[0], group, "doomed", "60", "3")
    workers = [Worker(servers[number % 2], group, f"w{number}", "86400") for number in range(1, WORKERS)]
    for worker in (doomed, *workers):
        worker.begin()
    doomed.follow_to_its_hold()
    doomed.process.send_signal(signal.SIGKILL)
    assert doomed.end() == -signal.SIGKILL
    Clock(database_url).advance(61)
    assert [worker.end() for worker in workers] == [0] * len(workers)

    handed = sorted(cursor for worker in workers for cursor in worker.handed)
    acked = sorted(cursor for worker in workers for cursor in worker.acked)
    everything = list(range(1, EVENTS + 1))
    in_its_hands = set(doomed.handed) - set(doomed.acked)
    assert in_its_hands
    assert handed == acked == sorted(set(everything) - set(doomed.acked))
    assert in_its_hands <= set(handed)
    assert group.watermark() == EVENTS
    assert sum(bool(worker.handed) for worker in workers) > 1
    await assert_whole(database_url)


@pytest.mark.parametrize(("nth", "left"), [(1, {}), (2, {"a": (0, 0)}), (3, {"a": (0, 2)})], ids=VERBS)
def test_a_killed_server_has_done_all_of_a_call_or_nothing(
    start_server: Callable[..., RunningServer], channel: str, nth: int, left: dict[str, Any]
) -> None:
    """Between the last statement and the commit, nothing has happened; repeated, it happens once."""
    before = start_server()
    record_many(before, channel, 3)
    GroupCalls(before, channel, "g").create()
    command = ("-m", "tests.support.killer", CrashPoint.STORY_WRITTEN_NOT_COMMITTED, str(nth), "serve")
    doomed = GroupCalls(
        start_server(command=command, environment={"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}"}),
        channel,
        "g",
    )
    for verb in VERBS[: nth - 1]:
        assert doomed.call(verb, "a", cursor=2, limit=2).status == 200
    with pytest.raises(urllib3.exceptions.ProtocolError):
        doomed.call(VERBS[nth - 1], "a", cursor=2, limit=2)
    group = GroupCalls(before, channel, "g")
    assert group.offsets() == left
    for verb in VERBS[nth - 1 :]:
        assert group.call(verb, "a", cursor=2, limit=2).status == 200
    assert (group.watermark(), group.offsets()) == (2, {"a": (2, 2)})


def test_a_restart_keeps_who_has_what(start_server: Callable[..., RunningServer], channel: str) -> None:
    """Leases, offsets and what is in whose hands are on disk."""
    server = start_server()
    record_many(server, channel, 6)
    group = GroupCalls(server, channel, "g")
    group.create()
    group.join("a", "b")
    assert (group.work("a", 3), group.work("b", 2)) == ([1, 2, 3], [4, 5])
    group.ack("a", 2)
    server.kill()
    again = GroupCalls(start_server(), channel, "g")
    assert (again.watermark(), again.offsets()) == (2, {"a": (2, 3), "b": (0, 5)})
    assert (again.work("a"), again.work("b")) == ([3], [4, 5])
