"""A model beside the real server: each call is made of both, and the answers are compared."""

from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from tests.support.model import Channel, Expected
from tests.support.model_ledger import Ledger
from tests.support.names import Names
from tests.support.postgres import Clock
from tests.support.server import RunningServer, new_channel

PLACES = st.sampled_from([0, 0, 0, 1])  # which channel: mostly the same, or nothing would ever meet
VALUES = st.sampled_from([None, 1, 1.0, {"x": 1, "y": 2}, {"y": 2, "x": 1.0}, "\u0000\ud800", 10**40])


class BesideTheServer(RuleBasedStateMachine):
    """Two channels, seen by the model and by the server."""

    server: RunningServer
    clock: Clock

    def __init__(self) -> None:
        super().__init__()
        self.names = Names()
        self.channels = [Channel(new_channel("model")) for _ in range(2)]
        self.ledgers = [Ledger(channel) for channel in self.channels]

    def teardown(self) -> None:
        """Whatever was done, the whole past is the same in both."""
        for channel, ledger in zip(self.channels, self.ledgers, strict=True):
            self.get(f"/events/replay/{channel.id}?limit=10000", channel.replay(0, 10_000, None))
            self.get(f"/events/cursor/{channel.id}", channel.latest_cursor())
            self.get(f"/state/{channel.id}", channel.load())
            self.get(f"/state/{channel.id}/versions?limit=100&offset=0", channel.versions())
            self.get(f"/executions?channel_id={channel.id}&limit=100", ledger.listed())
            assert self.server.get(f"/events/verify/{channel.id}").body["valid"]

    def post(self, path: str, body: Any, expected: Expected) -> None:
        """POST below /api/v1."""
        self.send("POST", path, body, expected)

    def get(self, path: str, expected: Expected) -> None:
        """GET below /api/v1."""
        self.send("GET", path, None, expected)

    def delete(self, path: str, expected: Expected) -> None:
        """DELETE below /api/v1."""
        self.send("DELETE", path, None, expected)

    def send(self, method: str, path: str, body: Any, expected: Expected) -> None:
        """One request, whose answer has to be the expected one."""
        reply = self.server.request(method, f"/api/v1{path}", body)
        assert reply.status == expected.status, (reply, expected)
        self.names.check(expected.body, reply.body)


def run_beside(
    machine: type[BesideTheServer], server: RunningServer, clock: Clock, *, runs: int, steps: int
) -> None:
    """So many runs, each on channels of its own."""
    machine.server, machine.clock = server, clock
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=runs,
            stateful_step_count=steps,
            deadline=None,
            print_blob=True,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
        ),
    )
