"""A small model of the ledger runs beside the real server, and every answer of the two is compared.

Hypothesis chooses the calls; a failure is printed as the shortest sequence of them that it found.
"""

from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.support.beside import PLACES, VALUES, BesideTheServer, run_beside
from tests.support.model import Expected
from tests.support.model_ledger import Ask, Said
from tests.support.names import Name
from tests.support.postgres import Clock
from tests.support.server import RunningServer

KEYS = st.sampled_from(["a", "a", "a", "b"])  # mostly the same, or nothing would ever meet

# Leases end between two moments of the model's clock, 300 s away from each: however slow the run, nobody
# can disagree about whether one has lapsed.
LEASES = st.sampled_from([300, 900])
ADVANCES = st.sampled_from([600, 1200])


# What a lapse means, and whether the mark will be sent.
LAPSES = st.sampled_from([("reclaim", False), ("ambiguous", False), ("ambiguous", True)])
LIVES = st.sampled_from([None, None, None, 900, 2100])
SAID = st.builds(
    Said,
    outcome=st.sampled_from(["applied", "not_applied", "unknown"]),
    result=st.just(None),
    by=st.sampled_from(["ann", "ben"]),
    reason=st.sampled_from([None, "no such charge"]),
    evidence=VALUES,
    attempts=st.sampled_from([None, None, 1, 2]),
    operation_id=st.sampled_from([None, "look-1", "look-2"]),
)


def asks(params: list[Any], dedup_fields: list[list[str] | None], tools: list[str]) -> st.SearchStrategy[Ask]:
    """Claims with one of these inputs."""
    return st.builds(
        _ask,
        lapse=LAPSES,
        on_failure=st.sampled_from(["reclaim", "reclaim", "replay"]),
        ttl_seconds=LIVES,
        key=KEYS,
        tool=st.sampled_from(tools),
        params=st.sampled_from(params),
        dedup_fields=st.sampled_from(dedup_fields),
        lease_seconds=LEASES,
        attempt_id=st.sampled_from([None, "first", "second"]),
        emit_replay_event=st.booleans(),
        actor=st.sampled_from([None, "ada"]),
    )


def _ask(lapse: tuple[str, bool], **fields: Any) -> Ask:
    return Ask(on_lapse=lapse[0], dispatches=lapse[1], **fields)


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
            "on_lapse": ask.on_lapse,
            "dispatches": ask.dispatches,
            "on_failure": ask.on_failure,
            "ttl_seconds": ask.ttl_seconds,
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

    @rule(place=PLACES, key=KEYS, which=TOKENS, unknown=st.booleans())
    def fail(self, place: int, key: str, which: str, unknown: bool) -> None:
        token = self.token(place, key, which)
        expected = self.ledgers[place].fail(key, token, "no", outcome_unknown=unknown)
        self.settle(place, key, "fail", token, {"message": "no", "outcome_unknown": unknown}, expected)

    @rule(place=PLACES, key=KEYS, which=TOKENS)
    def mark(self, place: int, key: str, which: str) -> None:
        token = self.token(place, key, which)
        self.settle(place, key, "dispatched", token, {}, self.ledgers[place].dispatched(key, token))

    @rule(place=PLACES, key=KEYS, said=SAID, result=VALUES)
    def say_what_happened(self, place: int, key: str, said: Said, result: Any) -> None:
        said = said._replace(result=result) if said.outcome == "applied" else said
        if path := self.path_of(place, key):
            self.post(f"{path}/resolve", said._asdict(), self.ledgers[place].resolve(key, said))

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

    @rule(place=PLACES, status=st.sampled_from(["running", "lapsed", "ambiguous"]))
    def look_at_what_is_open(self, place: int, status: str) -> None:
        query = f"channel_id={self.channels[place].id}&limit=100&status={status}"
        self.get(f"/executions?{query}", self.ledgers[place].listed(status))

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


@pytest.mark.timeout(600)  # a few seconds, unless there is a failure to be made as short as possible
def test_the_server_answers_as_the_model_does(server: RunningServer, server_clock: Clock) -> None:
    """A few dozen runs of a few dozen calls."""
    run_beside(LedgerBesideTheServer, server, server_clock, runs=25, steps=40)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_the_server_answers_as_the_model_does_for_long(server: RunningServer, server_clock: Clock) -> None:
    """Many runs, and longer ones."""
    run_beside(LedgerBesideTheServer, server, server_clock, runs=300, steps=80)
