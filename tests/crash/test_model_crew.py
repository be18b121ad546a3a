"""A small model of a group runs beside the real server: leases, messages and acknowledgements.

Hypothesis chooses the calls; a failure is printed as the shortest sequence of them that it found.
"""

from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.support.beside import PLACES, VALUES, BesideTheServer, run_beside
from tests.support.model import Expected
from tests.support.model_crew import CrewModel
from tests.support.postgres import Clock
from tests.support.server import RunningServer, new_channel

# Ada and Eve share a channel; Bob's is the one that ends.
NAMES = st.sampled_from(["ada", "ada", "bob", "eve"])
OWNERS = st.sampled_from(["one", "one", "two"])
GENERATIONS = st.sampled_from(["current", "current", "current", "before", "ahead"])
OPERATION_IDS = st.sampled_from([None, None, "first", "second"])
CONTEXTS = st.sampled_from([None, {}, {"why": ["\ud800"]}])

# As in the ledger's model, leases end between two moments of the clock.
LEASES = st.sampled_from([300, 900])
ADVANCES = st.sampled_from([600, 1200])


class CrewBesideTheServer(BesideTheServer):
    """Three members on two channels, while time passes."""

    def __init__(self) -> None:
        super().__init__()
        first, second = self.channels
        self.crew = CrewModel(new_channel("crew"), ada=first, bob=second, eve=first)
        self.path = f"/execution-groups/{self.crew.id}"
        self.server.post("/execution-groups", {"group_id": self.crew.id, "metadata": {}})
        for name, seat in self.crew.seats.items():
            self.server.post(f"{self.path}/members", {"member_id": name, "channel_id": seat.channel.id})

    def teardown(self) -> None:
        """All mail and all leases, too."""
        self.get(f"{self.path}/members", self.crew.members())
        for name in self.crew.seats:
            self.get(f"{self.path}/members/{name}/messages", self.crew.read(name))
        super().teardown()

    @rule(name=NAMES, owner=OWNERS, lease=LEASES)
    def claim(self, name: str, owner: str, lease: int) -> None:
        body = {"owner_id": owner, "lease_seconds": lease}
        self.post(f"{self.path}/members/{name}/claim", body, self.crew.claim(name, owner, lease))

    @rule(name=NAMES, owner=OWNERS, which=GENERATIONS, lease=LEASES)
    def heartbeat(self, name: str, owner: str, which: str, lease: int) -> None:
        generation = self.generation(name, which)
        expected = self.crew.heartbeat(name, owner, generation, lease)
        self.hold(f"{self.path}/members/{name}/heartbeat", owner, generation, expected, lease_seconds=lease)

    @rule(name=NAMES, owner=OWNERS, which=GENERATIONS)
    def release(self, name: str, owner: str, which: str) -> None:
        generation = self.generation(name, which)
        expected = self.crew.release(name, owner, generation)
        self.hold(f"{self.path}/members/{name}/release", owner, generation, expected)

    @rule(sender=NAMES, recipient=NAMES, payload=VALUES, context=CONTEXTS, operation_id=OPERATION_IDS)
    def send_message(
        self, sender: str, recipient: str, payload: Any, context: Any, operation_id: str | None
    ) -> None:
        body = {
            "from_member_id": sender,
            "to_member_id": recipient,
            "type": "note",
            "payload": payload,
            "causal_context": context,
            "operation_id": operation_id,
        }
        expected = self.crew.send(sender, recipient, payload, context, operation_id)
        self.post(f"{self.path}/messages", body, expected)

    @rule(name=NAMES, place=st.integers(0, 3), owner=OWNERS, which=GENERATIONS)
    def acknowledge(self, name: str, place: int, owner: str, which: str) -> None:
        mail = self.crew.seats[name].mail
        if place < len(mail):
            generation = self.generation(name, which)
            message = mail[place]
            expected = self.crew.acknowledge(message, owner, generation)
            self.hold(f"/execution-group-messages/{message['message_id']}/ack", owner, generation, expected)

    @rule(name=NAMES)
    def read_mail(self, name: str) -> None:
        self.get(f"{self.path}/members/{name}/messages", self.crew.read(name))

    @rule(place=PLACES)
    def record(self, place: int) -> None:
        metadata = {"actor": "modeller", "agent_id": None, "user_id": None, "metadata": None}
        body = {
            "channel_id": self.channels[place].id,
            "event_type": "note",
            "payload": 1,
            "metadata": metadata,
        }
        self.post("/events/record", body, self.channels[place].record("note", 1, None, None))

    @rule(seconds=ADVANCES)
    def let_time_pass(self, seconds: int) -> None:
        self.clock.advance(seconds)
        self.crew.now += seconds

    @precondition(lambda self: self.channels[1].log)
    @rule()
    def close_the_channel(self) -> None:
        self.post(f"/channels/{self.channels[1].id}/close", {}, self.channels[1].close())

    @precondition(lambda self: self.channels[1].lifecycle in ("closed", "deleted"))
    @rule()
    def delete_the_channel(self) -> None:
        expected = self.channels[1].delete()
        self.crew.forget(self.channels[1])
        self.delete(f"/channels/{self.channels[1].id}?recursive=false", expected)

    def generation(self, name: str, which: str) -> int:
        """The one that a caller believes in."""
        return max(0, self.crew.seats[name].generation + {"before": -1, "current": 0, "ahead": 1}[which])

    def hold(self, path: str, owner: str, generation: int, expected: Expected, **fields: Any) -> None:
        """A call by somebody who says to hold a member."""
        self.post(path, {"owner_id": owner, "generation": generation, **fields}, expected)


@pytest.mark.timeout(600)  # a few seconds, unless there is a failure to be made as short as possible
def test_the_server_answers_as_the_model_does(server: RunningServer, server_clock: Clock) -> None:
    """A few dozen runs of a few dozen calls."""
    run_beside(CrewBesideTheServer, server, server_clock, runs=25, steps=40)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_the_server_answers_as_the_model_does_for_long(server: RunningServer, server_clock: Clock) -> None:
    """Many runs, and longer ones."""
    run_beside(CrewBesideTheServer, server, server_clock, runs=200, steps=80)
