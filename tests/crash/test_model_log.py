"""A small model of events, snapshots and steps runs beside the real server; every answer is compared.

Hypothesis chooses the calls; a failure is printed as the shortest sequence of them that it found.
"""

from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.support.beside import PLACES, VALUES, BesideTheServer, run_beside
from tests.support.postgres import Clock
from tests.support.server import RunningServer

OPERATION_IDS = st.sampled_from([None, "one", "two", "three"])
GUARDS = st.sampled_from(["none", "none", "current", "current", "zero", "stale"])
VERSIONS = st.integers(1, 4)


class LogBesideTheServer(BesideTheServer):
    """Events, snapshots and steps, on two channels."""

    @rule(
        place=PLACES,
        event_type=st.sampled_from(["note", "moved"]),
        payload=VALUES,
        operation_id=OPERATION_IDS,
        step=st.sampled_from([None, None, 1, 2]),
    )
    def record(
        self, place: int, event_type: str, payload: Any, operation_id: str | None, step: int | None
    ) -> None:
        metadata = {"actor": "modeller", "agent_id": None, "user_id": None, "metadata": None}
        body = {
            "channel_id": self.channels[place].id,
            "event_type": event_type,
            "payload": payload,
            "metadata": metadata,
            "operation_id": operation_id,
            "step_number": step,
        }
        expected = self.channels[place].record(event_type, payload, operation_id, step)
        self.post("/events/record", body, expected)

    @rule(
        place=PLACES, payload=VALUES, state=VALUES, operation_id=OPERATION_IDS, version=GUARDS, cursor=GUARDS
    )
    def transition(
        self, place: int, payload: Any, state: Any, operation_id: str | None, version: str, cursor: str
    ) -> None:
        guards = self.guards(place, version, cursor)
        body = {
            "channel_id": self.channels[place].id,
            "type": "moved",
            "payload": payload,
            "state": state,
            "metadata": {"actor": "modeller"},
            "operation_id": operation_id,
            "expected_version": guards[0],
            "expected_cursor": guards[1],
        }
        expected = self.channels[place].transition(payload, state, operation_id, *guards)
        self.post("/events/transition", body, expected)

    @rule(
        place=PLACES,
        at=st.sampled_from([0, 3]),
        state=VALUES,
        operation_id=OPERATION_IDS,
        version=GUARDS,
        cursor=GUARDS,
    )
    def save(
        self, place: int, at: int, state: Any, operation_id: str | None, version: str, cursor: str
    ) -> None:
        guards = self.guards(place, version, cursor)
        body = {
            "cursor": at,
            "state": state,
            "operation_id": operation_id,
            "expected_version": guards[0],
            "expected_cursor": guards[1],
        }
        expected = self.channels[place].save(at, state, operation_id, *guards)
        self.post(f"/state/{self.channels[place].id}", body, expected)

    @rule(place=PLACES, version=VERSIONS)
    def delete_version(self, place: int, version: int) -> None:
        channel = self.channels[place]
        self.delete(f"/state/{channel.id}/version/{version}", channel.delete_version(version))

    @rule(place=PLACES, version=VERSIONS)
    def read_a_version(self, place: int, version: int) -> None:
        channel = self.channels[place]
        self.get(f"/state/{channel.id}", channel.load())
        self.get(f"/state/{channel.id}/version/{version}", channel.load(version))

    @rule(
        place=PLACES,
        after=st.integers(0, 5),
        limit=st.sampled_from([0, 1, 100]),
        event_type=st.sampled_from([None, "note"]),
    )
    def replay(self, place: int, after: int, limit: int, event_type: str | None) -> None:
        channel = self.channels[place]
        only = "" if event_type is None else f"&event_type={event_type}"
        path = f"/events/replay/{channel.id}?cursor={after}&limit={limit}{only}"
        self.get(path, channel.replay(after, limit, event_type))

    @rule(place=PLACES, number=st.sampled_from([1, 2, 3]))
    def read_a_step(self, place: int, number: int) -> None:
        channel = self.channels[place]
        self.get(f"/channels/{channel.id}/steps", channel.latest_step())
        self.get(f"/channels/{channel.id}/steps/{number}", channel.step(number))

    @precondition(lambda self: len(self.channels[1].log) > 1)
    @rule()
    def close_the_channel(self) -> None:
        self.post(f"/channels/{self.channels[1].id}/close", {}, self.channels[1].close())

    @precondition(lambda self: self.channels[1].lifecycle in ("closed", "deleted"))
    @rule()
    def delete_the_channel(self) -> None:
        self.delete(f"/channels/{self.channels[1].id}?recursive=false", self.channels[1].delete())

    def guards(self, place: int, version: str, cursor: str) -> tuple[int | None, int | None]:
        """What is expected of the latest snapshot, rightly or wrongly."""
        latest, at = self.channels[place].latest()
        versions = {"none": None, "current": latest, "zero": 0, "stale": latest + 1}
        cursors = {"none": None, "current": at, "zero": 0, "stale": at + 1}
        return versions[version], cursors[cursor]


@pytest.mark.timeout(600)  # a few seconds, unless there is a failure to be made as short as possible
def test_the_server_answers_as_the_model_does(server: RunningServer, server_clock: Clock) -> None:
    """A few dozen runs of a few dozen calls."""
    run_beside(LogBesideTheServer, server, server_clock, runs=25, steps=40)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_the_server_answers_as_the_model_does_for_long(server: RunningServer, server_clock: Clock) -> None:
    """Many runs, and longer ones."""
    run_beside(LogBesideTheServer, server, server_clock, runs=300, steps=80)
