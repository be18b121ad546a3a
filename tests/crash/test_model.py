"""A small model runs beside the real server, and every answer of the two is compared.

Hypothesis chooses the calls; a failure is printed as the shortest sequence of them that it found.
"""

from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.support.beside import BesideTheServer, run_beside
from tests.support.model import Expected
from tests.support.model_ledger import Ask
from tests.support.names import Name
from tests.support.postgres import Clock
from tests.support.server import RunningServer

# Mostly the same place and key, or nothing would ever meet.
PLACES = st.sampled_from([0, 0, 0, 1])
KEYS = st.sampled_from(["a", "a", "a", "b"])

# Leases end between two moments of the model's clock, 300 s away from each: however slow the run, nobody
# can disagree about whether one has lapsed.
LEASES = st.sampled_from([300, 900])
ADVANCES = st.sampled_from([600, 1200])

VALUES = st.sampled_from([None, 1, 1.0, {"x": 1, "y": 2}, {"y": 2, "x": 1.0}, "\u0000\ud800", 10**40])


def asks(params: list[Any], dedup_fields: list[list[str] | None], tools: list[str]) -> st.SearchStrategy[Ask]:
    """Claims with one of these inputs."""
    return st.builds(
        Ask,
        key=KEYS,
        tool=st.sampled_from(tools),
        params=st.sampled_from(params),
        dedup_fields=st.sampled_from(dedup_fields),
        lease_seconds=LEASES,
        attempt_id=st.sampled_from([None, "first", "second"]),
        emit_replay_event=st.booleans(),
        actor=st.sampled_from([None, "ada"]),
    )


SAME_INPUT = asks([{"id": 1, "note": "x"}, {"note": "x", "id": 1.0}], [None], ["charge"])
ANY_INPUT = asks(
    [{"id": 1, "note": "x"}, {"id": 1, "note": "y"}, {"id": 1}, {"id": 1, "note": None}, {"note": "x"}, 7],
    [None, ["id"], ["id", "note"], ["note", "id"], []],
    ["charge", "charge", "mail"],
)
TOKENS = st.sampled_from(["newest", "newest", "newest", "newest", "older", "invented", "absent"])


class LedgerBesideTheServer(BesideTheServer):
    """Claims and what follows, on two channels, while time passes."""

    @rule(place=PLACES, ask=SAME_INPUT)
    def claim(self, place: int, ask: Ask) -> None:
        body: dict[str, Any] = {
            "channel_id": self.channels[place].id,
            "key_name": ask.key,
            "tool_name": ask.tool,
            "params": ask.params,
            "lease_seconds": ask.lease_seconds,
            "emit_replay_event": ask.emit_replay_event,
            "dedup_fields": ask.dedup_fields,
            "attempt_id": ask.attempt_id,
            "actor": ask.actor,
        }
        self.post("/executions/claim", body, self.ledgers[place].claim(ask))

    @rule(place=PLACES, ask=ANY_INPUT)
    def claim_with_other_input(self, place: int, ask: Ask) -> None:
        self.claim(place, ask)

    @rule(place=PLACES, key=KEYS, which=TOKENS, result=VALUES)
    def complete(self, place: int, key: str, which: str, result: Any) -> None:
        token = self.token(place, key, which)
        self.settle(
            place,
            key,
            "complete",
            token,
            {"result": result},
            self.ledgers[place].complete(key, token, result),
        )

    @rule(place=PLACES, key=KEYS, which=TOKENS)
    def fail(self, place: int, key: str, which: str) -> None:
        token = self.token(place, key, which)
        self.settle(place, key, "fail", token, {"message": "no"}, self.ledgers[place].fail(key, token, "no"))

    @rule(place=PLACES, key=KEYS, which=TOKENS, lease=st.none() | LEASES)
    def heartbeat(self, place: int, key: str, which: str, lease: int | None) -> None:
        token = self.token(place, key, which)
        body = {"lease_seconds": lease}
        self.settle(place, key, "heartbeat", token, body, self.ledgers[place].heartbeat(key, token, lease))

    @rule(place=PLACES, key=KEYS, which=TOKENS)
    def cancel(self, place: int, key: str, which: str) -> None:
        token = self.token(place, key, which)
        self.settle(place, key, "cancel", token, {}, self.ledgers[place].cancel(key, token))

    @rule(seconds=ADVANCES)
    def let_time_pass(self, seconds: int) -> None:
        self.clock.advance(seconds)
        for ledger in self.ledgers:
            ledger.now += seconds

    @rule(place=PLACES, key=KEYS)
    def look(self, place: int, key: str) -> None:
        if path := self.path_of(place, key):
            self.get(path, self.ledgers[place].get(key))

    @precondition(lambda self: self.channels[0].log)
    @rule(key=KEYS)
    def free_the_key(self, key: str) -> None:
        if path := self.path_of(0, key):
            self.delete(path, self.ledgers[0].delete(key))

    @precondition(lambda self: self.channels[1].log)
    @rule()
    def close_the_channel(self) -> None:
        self.post(f"/channels/{self.channels[1].id}/close", {}, self.channels[1].close())

    @precondition(lambda self: self.channels[1].lifecycle in ("closed", "deleted"))
    @rule()
    def delete_the_channel(self) -> None:
        expected = self.channels[1].delete()
        self.ledgers[1].forget()
        self.delete(f"/channels/{self.channels[1].id}?recursive=false", expected)

    def token(self, place: int, key: str, which: str) -> Name | str | None:
        """One of those that were given out for a key, an invented one, or none."""
        of_key = [name for name in self.names.known("token") if name.of[:2] == (self.channels[place].id, key)]
        match which:
            case "newest" if of_key:
                return of_key[-1]
            case "older" if len(of_key) > 1:
                return of_key[-2]
            case "absent":
                return None
        return "ct_" + "0" * 32

    def path_of(self, place: int, key: str) -> str | None:
        """Where an execution is found; None as long as the key was never claimed."""
        name = self.ledgers[place].id_of(key)
        return f"/executions/{self.names[name]}" if name in self.names.known("execution") else None

    def settle(
        self, place: int, key: str, call: str, token: Name | str | None, body: Any, expected: Expected
    ) -> None:
        """Complete, fail, heartbeat or cancel; nobody can, for a key that was never claimed."""
        if path := self.path_of(place, key):
            given = self.names[token] if isinstance(token, Name) else token
            self.post(f"{path}/{call}", {**body, "claim_token": given}, expected)


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


MACHINES = pytest.mark.parametrize("machine", [LedgerBesideTheServer, LogBesideTheServer])


@MACHINES
def test_the_server_answers_as_the_model_does(
    server: RunningServer, server_clock: Clock, machine: type[BesideTheServer]
) -> None:
    """A few dozen runs of a few dozen calls."""
    run_beside(machine, server, server_clock, runs=25, steps=40)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@MACHINES
def test_the_server_answers_as_the_model_does_for_long(
    server: RunningServer, server_clock: Clock, machine: type[BesideTheServer]
) -> None:
    """Many runs, and longer ones."""
    run_beside(machine, server, server_clock, runs=300, steps=80)
