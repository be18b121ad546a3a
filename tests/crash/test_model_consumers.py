"""A small model of consumer groups runs beside the real server, and every answer of the two is compared.

Hypothesis chooses the calls; a failure is printed as the shortest sequence of them that it found.
"""

from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.support.beside import PLACES, BesideTheServer, run_beside
from tests.support.model_consumers import ConsumerGroup
from tests.support.postgres import Clock
from tests.support.server import RunningServer

WORKERS = st.sampled_from(["ada", "bob", "eve"])
LIMITS = st.sampled_from([0, 1, 2, 3, 100])

# Leases end between two moments of the model's clock, 300 s away from each: however slow the run, nobody
# can disagree about whether one has lapsed.
LEASES = st.sampled_from([300, 900, 900])
ADVANCES = st.sampled_from([600, 1200])


class ConsumersBesideTheServer(BesideTheServer):
    """Three workers and two groups, each on a channel of its own, while time passes."""

    def __init__(self) -> None:
        super().__init__()
        self.groups = [ConsumerGroup(f"{channel.id}.g", channel) for channel in self.channels]
        for group in self.groups:
            self.create(group)

    def teardown(self) -> None:
        """How far everybody is, is the same in both."""
        for group in self.groups:
            self.look(group)
        super().teardown()

    @rule(place=PLACES, count=st.integers(1, 4))
    def record(self, place: int, count: int) -> None:
        channel = self.channels[place]
        for _ in range(count):
            expected = channel.record("note", None, None, None)
            body = {"channel_id": channel.id, "event_type": "note", "payload": None}
            self.post("/events/record", {**body, "metadata": {"actor": "modeller"}}, expected)

    @rule(place=PLACES, worker=WORKERS, lease_seconds=LEASES)
    def join(self, place: int, worker: str, lease_seconds: int) -> None:
        expected = self.groups[place].join(worker, lease_seconds)
        self.call(place, "join", worker, expected, lease_seconds=lease_seconds)

    @rule(place=PLACES, worker=WORKERS, limit=LIMITS)
    def work(self, place: int, worker: str, limit: int) -> None:
        self.call(place, "work", worker, self.groups[place].work(worker, limit), limit=limit)

    @rule(place=PLACES, worker=WORKERS, cursor=st.integers(0, 8))
    def ack(self, place: int, worker: str, cursor: int) -> None:
        self.call(place, "ack", worker, self.groups[place].ack(worker, cursor), cursor=cursor)

    @rule(place=PLACES, worker=WORKERS, lease_seconds=LEASES)
    def heartbeat(self, place: int, worker: str, lease_seconds: int) -> None:
        expected = self.groups[place].heartbeat(worker, lease_seconds)
        self.call(place, "heartbeat", worker, expected, lease_seconds=lease_seconds)

    @rule(seconds=ADVANCES)
    def let_time_pass(self, seconds: int) -> None:
        self.clock.advance(seconds)
        for group in self.groups:
            group.now += seconds

    @rule(place=PLACES)
    def look_at(self, place: int) -> None:
        self.look(self.groups[place])

    @rule()
    def begin_anew(self) -> None:
        group = self.groups[1]
        self.delete(f"/groups/{group.id}", group.delete())
        self.create(group)

    @precondition(lambda self: self.channels[0].log)
    @rule()
    def close_the_channel(self) -> None:
        self.post(f"/channels/{self.channels[0].id}/close", {}, self.channels[0].close())

    @precondition(lambda self: self.channels[1].log)
    @rule()
    def delete_the_channel(self) -> None:
        channel, group = self.channels[1], self.groups[1]
        group.forget()
        self.delete(f"/channels/{channel.id}?recursive=false", channel.delete())
        self.create(group)

    def create(self, group: ConsumerGroup) -> None:
        """Create it, or find out that it cannot be any more."""
        self.post("/groups", {"group_id": group.id, "channel_id": group.channel.id}, group.create())

    def look(self, group: ConsumerGroup) -> None:
        """How far the group is, and each of its workers."""
        self.get(f"/groups?channel_id={group.channel.id}", group.listed())
        self.get(f"/groups/{group.id}/offsets", group.offsets())

    def call(self, place: int, verb: str, worker: str, expected: Any, **fields: Any) -> None:
        """One call of a worker."""
        path = f"/groups/{self.groups[place].id}/{verb}"
        self.post(path, {"consumer_id": worker, **fields}, expected)


@pytest.mark.timeout(600)  # a few seconds, unless there is a failure to be made as short as possible
def test_the_server_answers_as_the_model_does(server: RunningServer, server_clock: Clock) -> None:
    """A few dozen runs of a few dozen calls."""
    run_beside(ConsumersBesideTheServer, server, server_clock, runs=25, steps=40)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_the_server_answers_as_the_model_does_for_long(server: RunningServer, server_clock: Clock) -> None:
    """Many runs, and longer ones."""
    run_beside(ConsumersBesideTheServer, server, server_clock, runs=300, steps=80)
