"""A small model of wake-ups runs beside two real servers of one database; every answer is compared."""

from collections.abc import Set
from functools import partial
from typing import Any, ClassVar

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.support.beside import PLACES, BesideTheServer, run_beside
from tests.support.forking import events_of
from tests.support.model_wakeups import HOUR, Timers
from tests.support.postgres import Clock
from tests.support.server import RunningServer
from tests.support.timers import WAKEUPS, listed
from tests.support.waiting import until

SERVERS = st.integers(0, 1)
OPERATION_IDS = st.sampled_from([None, "one", "two"])
PAYLOADS = st.sampled_from([None, {"x": 1, "y": 2}, {"y": 2, "x": 1.0}, {"\0": "\ud800", "n": 10**40}])
STATUSES = st.sampled_from([None, "pending", "done", "failed", "cancelled"])


class WakeupsBesideTheServers(BesideTheServer):
    """Timers on two channels, through whichever server; both of them fire what is due."""

    servers: ClassVar[list[RunningServer]]

    def __init__(self) -> None:
        super().__init__()
        base = self.clock.now().replace(microsecond=0)
        self.timers = [Timers(channel, base) for channel in self.channels]
        self.sent: list[tuple[int, Any, str | None, dict[str, Any]]] = []
        self.seen: list[tuple[int, dict[str, Any]]] = []

    @rule(
        place=PLACES,
        which=SERVERS,
        ahead=st.integers(-2, 3),
        payload=PAYLOADS,
        operation_id=OPERATION_IDS,
    )
    def schedule(self, place: int, which: int, ahead: int, payload: Any, operation_id: str | None) -> None:
        run_at = self.timers[place].wanted_at(ahead, len(self.sent))
        self.sent.append((place, run_at, operation_id, payload))
        self.send_schedule(which, *self.sent[-1])

    @precondition(lambda self: self.sent)
    @rule(which=SERVERS, data=st.data())
    def repeat(self, which: int, data: st.DataObject) -> None:
        self.send_schedule(which, *data.draw(st.sampled_from(self.sent)))

    def send_schedule(
        self, which: int, place: int, run_at: Any, operation_id: str | None, payload: Any
    ) -> None:
        self.server = self.servers[which]
        timers = self.timers[place]
        body = {
            "channel_id": self.channels[place].id,
            "run_at": run_at.isoformat(),
            "payload": payload,
            "operation_id": operation_id,
        }
        count = len(timers.made)
        self.post(WAKEUPS, body, timers.schedule(run_at, payload, operation_id))
        self.seen += [(place, each) for each in timers.made[count:]]
        self.settle()

    @precondition(lambda self: self.seen)
    @rule(which=SERVERS, data=st.data())
    def cancel(self, which: int, data: st.DataObject) -> None:
        self.server = self.servers[which]
        place, wakeup = data.draw(st.sampled_from(self.seen))
        self.delete(f"{WAKEUPS}/{self.names[wakeup['id']]}", self.timers[place].cancel(wakeup))

    @precondition(lambda self: self.seen)
    @rule(which=SERVERS, data=st.data())
    def get_one(self, which: int, data: st.DataObject) -> None:
        self.server = self.servers[which]
        place, wakeup = data.draw(st.sampled_from(self.seen))
        self.get(f"{WAKEUPS}/{self.names[wakeup['id']]}", self.timers[place].get(wakeup))

    @rule(place=PLACES, which=SERVERS, status=STATUSES, limit=st.sampled_from([0, 1, 2, 100]))
    def list_some(self, place: int, which: int, status: str | None, limit: int) -> None:
        self.server = self.servers[which]
        self.compare_list(place, status, limit)

    @rule(hours=st.integers(1, 2))
    def pass_hours(self, hours: int) -> None:
        self.clock.advance(hours * HOUR.total_seconds())
        for each in self.timers:
            each.pass_hours(hours)
        self.settle()

    @precondition(lambda self: self.channels[1].lifecycle == "open")
    @rule()
    def close_the_channel(self) -> None:
        self.post(f"/channels/{self.channels[1].id}/close", {}, self.channels[1].close())

    @precondition(lambda self: self.channels[1].lifecycle == "closed")
    @rule()
    def delete_the_channel(self) -> None:
        self.delete(f"/channels/{self.channels[1].id}?recursive=false", self.channels[1].delete())
        self.timers[1].delete()

    def settle(self) -> None:
        """What is due by now has fired, on both sides.

        Two servers share what is due at once, so what they append may stand in either order.
        """
        for channel, timers in zip(self.channels, self.timers, strict=True):
            due = {self.names[each["id"]]: each for each in timers.due()}
            if not due:
                continue
            until(partial(self.are_pending_no_more, channel.id, due.keys()))
            new = events_of(self.servers[0], channel.id)[len(channel.log) :]
            fired = [each["payload"]["wakeup_id"] for each in new]
            assert sorted(fired) == (sorted(due) if channel.lifecycle != "closed" else [])
            timers.fire([due[each] for each in fired or due])

    def are_pending_no_more(self, channel_id: str, wakeup_ids: Set[str]) -> bool:
        found = listed(self.servers[0], f"channel_id={channel_id}&status=pending")
        return wakeup_ids.isdisjoint(each["id"] for each in found)

    def compare_list(self, place: int, status: str | None, limit: int) -> None:
        only = "" if status is None else f"&status={status}"
        path = f"{WAKEUPS}?channel_id={self.channels[place].id}&limit={limit}{only}"
        self.get(path, self.timers[place].listed(status, limit))

    def teardown(self) -> None:
        """Every wake-up stands in both as it should, and so does every event."""
        for place in range(len(self.channels)):
            self.compare_list(place, None, 1_000)
        super().teardown()


def run_beside_two(server: RunningServer, clock: Clock, *, runs: int, steps: int) -> None:
    """Another server joins in meanwhile."""
    other = RunningServer(server.database_url)
    try:
        WakeupsBesideTheServers.servers = [server, other]
        run_beside(WakeupsBesideTheServers, server, clock, runs=runs, steps=steps)
    finally:
        other.stop()


@pytest.mark.timeout(
    600
)  # a good part of a minute, unless there is a failure to be made as short as possible
def test_the_servers_answer_as_the_model_does(server: RunningServer, server_clock: Clock) -> None:
    """A few runs of a few dozen calls."""
    run_beside_two(server, server_clock, runs=8, steps=25)


@pytest.mark.slow
@pytest.mark.timeout(2400)
def test_the_servers_answer_as_the_model_does_for_long(server: RunningServer, server_clock: Clock) -> None:
    """Many runs, and longer ones."""
    run_beside_two(server, server_clock, runs=100, steps=50)
