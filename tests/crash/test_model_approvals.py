"""A model of approvals runs beside the real server, and every answer of the two is compared."""

from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.support.approving import ask, code, decide, expire
from tests.support.model_approvals import Channel
from tests.support.postgres import Clock
from tests.support.server import Reply, RunningServer, new_channel

KEYS = st.sampled_from(["charge:1", "charge:1", "charge:1", "charge:2"])
PARAMS = st.sampled_from([{"n": 1}, {"n": 1}, {"n": 1}, {"n": 2}])
REQUESTS = st.sampled_from(["r1", "r2", "r3", "r4"])
VERDICTS = st.sampled_from(["approved", "approved", "rejected", "expired"])

# Leases and deadlines end 300 s away from every moment of the model's clock.
SECONDS = st.sampled_from([300, 900])
ADVANCES = st.sampled_from([600, 1200])


class ApprovalsBesideTheServer(RuleBasedStateMachine):
    """One channel on which people are asked, answer, and are or are not heeded."""

    server: RunningServer
    clock: Clock

    def __init__(self) -> None:
        super().__init__()
        self.id = new_channel("asking")
        self.model = Channel()
        self.held: dict[str, dict[str, Any]] = {}

    @rule(request_id=REQUESTS, key=KEYS | st.none(), params=PARAMS, seconds=st.none() | SECONDS)
    def ask(self, request_id: str, key: str | None, params: Any, seconds: int | None) -> None:
        operation = None if key is None else {"key_name": key, "tool_name": "charge", "params": params}
        fields = {} if seconds is None else {"timeout_seconds": seconds}
        reply = ask(self.server, self.id, request_id, operation=operation, **fields)
        assert recorded(reply) == self.model.ask(request_id, key, params, seconds)

    @rule(request_id=REQUESTS, verdict=VERDICTS)
    def answer(self, request_id: str, verdict: str) -> None:
        if verdict == "expired":
            reply = expire(self.server, self.id, request_id)
        else:
            reply = decide(self.server, self.id, verdict, request_id)
        assert recorded(reply) == self.model.answer(request_id, verdict)

    @rule(key=KEYS, params=PARAMS, seconds=SECONDS, insists=st.booleans())
    def claim(self, key: str, params: Any, seconds: int, insists: bool) -> None:
        reply = self.server.claim(
            self.id, key, params=params, lease_seconds=seconds, requires_approval=insists
        )
        assert code(reply) == self.model.claim(key, params, seconds=seconds, insists=insists), reply
        if code(reply) in ("claimed", "reclaimed"):
            self.held[key] = reply.body

    @precondition(lambda self: self.held)
    @rule(data=st.data(), verb=st.sampled_from(["complete", "fail", "fail", "cancel"]))
    def settle(self, data: st.DataObject, verb: str) -> None:
        key = data.draw(st.sampled_from(sorted(self.held)))
        owned = self.held.pop(key)
        body = {"claim_token": owned["claim_token"], **({"message": "no"} if verb == "fail" else {})}
        assert self.server.post(f"/executions/{owned['execution']['id']}/{verb}", body).status == 200
        self.model.settle(key, verb)

    @rule(key=KEYS)
    def free(self, key: str) -> None:
        if key in self.model.operations:
            found = self.server.get(f"/executions?channel_id={self.id}").body["executions"]
            (execution_id,) = [each["id"] for each in found if each["key_name"] == key]
            assert self.server.request("DELETE", f"/api/v1/executions/{execution_id}").status == 200
            self.model.free(key)
            self.held.pop(key, None)

    @rule(seconds=ADVANCES)
    def let_time_pass(self, seconds: int) -> None:
        self.clock.advance(seconds)
        self.model.now += seconds

    @invariant()
    def the_list_says_how_each_stands(self) -> None:
        found = self.server.get(f"/approvals?channel_id={self.id}").body["approvals"]
        assert {each["request_id"]: each["status"] for each in found} == self.model.listed()
        pending = self.server.get(f"/approvals?channel_id={self.id}&status=pending").body["approvals"]
        assert pending == [each for each in found if each["status"] == "pending"]


def recorded(reply: Reply) -> str:
    """`recorded`, or the code of a refusal."""
    return "recorded" if reply.status == 200 else code(reply)


def run_beside(server: RunningServer, clock: Clock, *, runs: int, steps: int) -> None:
    """So many runs, each on a channel of its own."""
    ApprovalsBesideTheServer.server, ApprovalsBesideTheServer.clock = server, clock
    run_state_machine_as_test(
        ApprovalsBesideTheServer,
        settings=settings(
            max_examples=runs,
            stateful_step_count=steps,
            deadline=None,
            print_blob=True,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
        ),
    )


@pytest.mark.timeout(600)
def test_the_server_heeds_people_as_the_model_does(server: RunningServer, server_clock: Clock) -> None:
    """A few dozen runs."""
    run_beside(server, server_clock, runs=25, steps=30)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_the_server_heeds_people_as_the_model_does_for_long(
    server: RunningServer, server_clock: Clock
) -> None:
    """Many runs, and longer ones."""
    run_beside(server, server_clock, runs=300, steps=60)
