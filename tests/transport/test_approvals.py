"""Approvals over HTTP: the answer counts for the call that was asked about, and for no other."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.approving import CHARGE, ask, charge, code, decide, expire
from tests.support.crowd import crowd_at
from tests.support.forking import effect, fork
from tests.support.keys import make_key
from tests.support.postgres import Clock
from tests.support.server import RunningServer, new_channel
from tests.support.wire import Wire

HOUR = 3600


def listed(server: RunningServer, channel: str, **options: Any) -> list[dict[str, Any]]:
    """The requests of a channel."""
    found: list[dict[str, Any]] = server.get(f"/approvals?channel_id={channel}", **options).body["approvals"]
    return found


def test_what_was_approved_may_be_run_and_nothing_else(server: RunningServer, channel: str) -> None:
    """Neither before the answer, nor with other input, and once only."""
    assert ask(server, channel).status == 200
    assert code(server.claim(channel, "charge:1")) == "approval_pending"
    assert decide(server, channel, "approved").status == 200
    refused = server.claim(channel, "charge:1", params={"n": 2})
    assert (refused.status, code(refused)) == (409, "approval_mismatch")
    assert [each["field"] for each in refused.body["differing_fields"]] == ["params.n"]
    assert (refused.body["approval_request_id"], refused.body["retryable"]) == ("r1", False)
    effect(server, channel, "charge:1")
    assert code(server.claim(channel, "charge:1")) == "replayed"
    assert code(server.claim(channel, "charge:1", params={"n": 2})) == "idempotency_key_mismatch"


def test_a_result_is_replayed_whatever_is_said_afterwards(server: RunningServer, channel: str) -> None:
    """The world was touched already."""
    ask(server, channel)
    decide(server, channel, "approved")
    effect(server, channel, "charge:1")
    decide(server, channel, "rejected")
    refused = ask(server, channel, "r2")
    assert (refused.status, code(refused)) == (409, "approval_not_needed")
    assert [each["request_id"] for each in listed(server, channel)] == ["r1"]
    assert code(server.claim(channel, "charge:1")) == "replayed"


def test_a_withdrawal_stops_the_next_attempt_and_not_the_one_that_runs(
    server: RunningServer, server_clock: Clock, channel: str
) -> None:
    """Whoever runs may still report what happened."""
    ask(server, channel)
    decide(server, channel, "approved")
    owned = server.claim(channel, "charge:1").body
    decide(server, channel, "rejected")
    assert code(server.claim(channel, "charge:1")) == "in_progress"
    path = f"/executions/{owned['execution']['id']}"
    assert server.post(f"{path}/heartbeat", {"claim_token": owned["claim_token"]}).status == 200
    server_clock.advance(61)
    refused = server.claim(channel, "charge:1")
    assert (code(refused), refused.body["decided_cursor"]) == ("approval_rejected", 4)
    completed = server.post(f"{path}/complete", {"claim_token": owned["claim_token"], "result": 1})
    assert completed.status == 200
    assert code(server.claim(channel, "charge:1")) == "replayed"


def test_a_deadline_passes_by_itself(server: RunningServer, server_clock: Clock, channel: str) -> None:
    """By the database's time; an answer that comes later is in the log and counts for nothing."""
    ask(server, channel, timeout_seconds=HOUR)
    ask(server, channel, "in time", operation={**CHARGE, "key_name": "charge:2"}, timeout_seconds=HOUR)
    server_clock.advance(HOUR - 60)
    decide(server, channel, "approved", "in time")
    server_clock.advance(61)
    assert code(server.claim(channel, "charge:1")) == "approval_expired"
    assert [each["status"] for each in listed(server, channel)] == ["approved", "expired"]
    assert decide(server, channel, "approved").status == 200
    assert code(server.claim(channel, "charge:1")) == "approval_expired"
    assert [each["status"] for each in listed(server, channel)] == ["approved", "expired"]
    assert code(server.claim(channel, "charge:2")) == "claimed"


def test_whoever_waited_in_vain_can_say_so(server: RunningServer, channel: str) -> None:
    """Then the question is closed; asked again, it is another question."""
    ask(server, channel)
    expire(server, channel)
    decide(server, channel, "approved")
    assert code(server.claim(channel, "charge:1")) == "approval_expired"
    ask(server, channel, "r2")
    decide(server, channel, "approved", "r2")
    assert code(server.claim(channel, "charge:1")) == "claimed"


@pytest.mark.parametrize("second", ["/events/record", "/events/transition"])
def test_an_event_with_a_state_asks_and_answers_too(server: RunningServer, channel: str, second: str) -> None:
    """Which of the two routes carried it makes no difference."""
    author = {"actor": "agent"}
    payload = {"request_id": "r1", "operation": CHARGE}
    asked = {"type": "approval.requested", "payload": payload, "state": {}, "metadata": author}
    assert server.post("/events/transition", {"channel_id": channel, **asked}).status == 200
    assert code(server.claim(channel, "charge:1")) == "approval_pending"
    decided: dict[str, Any] = {
        "channel_id": channel,
        "type": "approval.decided",
        "payload": {"request_id": "r1", "decision": "approved"},
        "metadata": author,
    }
    if second == "/events/transition":
        decided["state"] = {"approved": True}
    assert server.post(second, decided).status == 200
    assert code(server.claim(channel, "charge:1")) == "claimed"


def test_what_makes_the_identity_is_not_all_that_was_approved(server: RunningServer, channel: str) -> None:
    """`dedup_fields` say which operation it is; the approval is of everything that would be done."""
    operation = {**CHARGE, "params": {"n": 1, "cents": 4200}, "dedup_fields": ["n"]}
    ask(server, channel, operation=operation)
    decide(server, channel, "approved")
    refused = server.claim(channel, "charge:1", params={"n": 1, "cents": 990_000}, dedup_fields=["n"])
    assert code(refused) == "approval_mismatch"
    assert [each["field"] for each in refused.body["differing_fields"]] == ["params.cents"]
    assert listed(server, channel)[0]["status"] == "approved"
    approved = server.claim(channel, "charge:1", params={"n": 1, "cents": 4200}, dedup_fields=["n"])
    assert code(approved) == "claimed"


def test_fields_that_do_not_bind_may_differ(server: RunningServer, channel: str) -> None:
    """Those that the request did not name, as everybody who looks at it is told."""
    operation = {**CHARGE, "params": {"n": 1, "at": "noon"}}
    ask(server, channel, operation=operation, approval_fields=["n"])
    assert listed(server, channel)[0]["approval_fields"] == ["n"]
    decide(server, channel, "approved")
    refused = server.claim(channel, "charge:1", params={"n": 2})
    assert [each["field"] for each in refused.body["differing_fields"]] == ["params.n"]
    raw = b'{"channel_id":"%b","key_name":"charge:1","tool_name":"charge","params":%b,"dedup_fields":["n"]}'
    claimed = server.request(
        "POST", "/api/v1/executions/claim", raw=raw % (channel.encode(), b'{ "at" : 1, "n" : 1.0 }')
    )
    assert code(claimed) == "claimed"


ODD = {
    "half of a surrogate pair": rb'{"text":"\ud83d"}',
    "NUL": rb'{"\u0000":1}',
    "a huge integer": b'{"n":' + b"9" * 400 + b"}",
    "an exponent beyond a double": b'{"n":1e400}',
    "deep nesting": b"[" * 300 + b"]" * 300,
    "two megabytes": b'"' + b"x" * 2**21 + b'"',
}


@pytest.mark.parametrize("params", ODD.values(), ids=ODD)
def test_any_input_can_be_asked_about(server: RunningServer, channel: str, params: bytes) -> None:
    """It is compared, listed, and told apart, whatever is in it."""
    at = channel.encode()
    operation = b'{"key_name":"k","tool_name":"t","params":%b}' % params
    asked = b'{"channel_id":"%b","event_type":"approval.requested","metadata":{"actor":"a"},' % at
    payload = b'{"request_id":"r1","summary":"\\ud800","operation":%b}' % operation
    claim = b'{"channel_id":"%b","key_name":"k","tool_name":"t","params":%b}'
    with Wire(server) as wire:
        assert wire.post("/events/record", asked + b'"payload":%b}' % payload).status == 200
        found = wire.send("GET", f"/api/v1/approvals?channel_id={channel}")
        assert b'"key_name":"k"' in found.content
        assert b"\\ud800" in found.content
        decide(server, channel, "approved")
        other = wire.post("/executions/claim", claim % (at, b"null"))
        assert (other.status, other.body["status"]) == (409, "approval_mismatch"), other.content
        same = wire.post("/executions/claim", claim % (at, params))
        assert same.status == 200, same.content


def test_repeating_a_question_or_an_answer_changes_nothing(server: RunningServer, channel: str) -> None:
    """Under its operation id it is the same event; under none it is another, that says the same."""
    for _ in range(2):
        asked = server.record(
            channel, "approval.requested", {"request_id": "r1", "operation": CHARGE}, operation_id="r1"
        )
        assert asked.body["event"]["cursor"] == 1
    ask(server, channel)
    for _ in range(2):
        assert decide(server, channel, "approved", operation_id="d1").body["event"]["cursor"] == 3
    decide(server, channel, "approved")
    (found,) = listed(server, channel)
    assert (found["requested_cursor"], found["decided_cursor"]) == (1, 3)


def test_one_request_id_cannot_ask_about_two_calls(server: RunningServer, channel: str) -> None:
    """Or the answer to the first would be the answer to the second."""
    ask(server, channel)
    refused = ask(server, channel, operation={**CHARGE, "params": {"n": 2}})
    assert (refused.status, code(refused)) == (409, "idempotency_conflict")
    assert server.get(f"/events/cursor/{channel}").body == {"latest_cursor": 1}


def test_a_question_that_is_asked_anew_closes_the_one_before(server: RunningServer, channel: str) -> None:
    """Nobody is to answer what does not count any more; across batches and servers alike."""
    ask(server, channel)
    ask(server, channel, "r2", operation={**CHARGE, "params": {"n": 2}})
    newer, older = listed(server, channel)
    assert (newer["status"], older["status"], older["decided_cursor"]) == ("pending", "superseded", 2)
    decide(server, channel, "approved")
    assert code(server.claim(channel, "charge:1")) == "approval_mismatch"
    assert code(server.claim(channel, "charge:1", params={"n": 2})) == "approval_pending"
    waiting = server.get(f"/approvals?channel_id={channel}&status=superseded").body["approvals"]
    assert [each["request_id"] for each in waiting] == ["r1"]


def test_a_decision_that_is_none_is_refused_where_it_would_count(server: RunningServer, channel: str) -> None:
    """Elsewhere it is an event like any other, as it always was."""
    ask(server, channel)
    ask(server, channel, "unbound", operation=None)
    for decision in ("maybe", None, 1, ["approved"], "Approved"):
        refused = decide(server, channel, decision)
        assert (refused.status, refused.body["field"]) == (400, "payload.decision")
        assert decide(server, channel, decision, "unbound").status == 200
        assert decide(server, channel, decision, "unknown").status == 200
    assert {each["status"] for each in listed(server, channel)} == {"pending"}


UNBOUND: list[Any] = [
    None,
    "r1",
    [1],
    {},
    {"request_id": 5},
    {"request_id": ""},
    {"request_id": "r\0"},
    {"request_id": "r" * 300},
    {"request_id": "\ud800"},
    {"request_id": "r1", "timeout_seconds": "soon"},
    {"request_id": "r1", "timeout_seconds": -1},
    {"request_id": "r1", "operation": None},
]


@pytest.mark.parametrize("payload", UNBOUND, ids=repr)
@pytest.mark.parametrize("event_type", ["approval.requested", "approval.decided", "approval.expired"])
def test_what_binds_nothing_is_recorded_as_it_is(
    server: RunningServer, channel: str, event_type: str, payload: Any
) -> None:
    """Events of these types are older than their meaning to the ledger."""
    recorded = server.record(channel, event_type, payload)
    assert (recorded.status, recorded.body["event"]["payload"]) == (200, payload)
    assert code(server.claim(channel, "charge:1")) == "claimed"


def test_a_claim_can_insist_that_somebody_was_asked(server: RunningServer, channel: str) -> None:
    """On any approval of this call, or on that of one request."""
    missing = server.claim(channel, "charge:1", requires_approval=True)
    assert (missing.status, code(missing)) == (404, "approval_not_found")
    ask(server, channel)
    assert code(server.claim(channel, "charge:1", requires_approval=True)) == "approval_pending"
    decide(server, channel, "approved")
    other = server.claim(channel, "charge:1", approval_request_id="r0")
    assert (code(other), other.body["governing_request_id"]) == ("approval_not_found", "r1")
    assert code(server.claim(channel, "charge:1", approval_request_id="r1")) == "claimed"


def test_who_frees_a_key_uses_its_approval_up(server: RunningServer, channel: str) -> None:
    """Somebody approved one charge; a second one is a second question."""
    ask(server, channel)
    decide(server, channel, "approved")
    effect(server, channel, "charge:1")
    done = server.claim(channel, "charge:1").body["execution"]
    assert server.request("DELETE", f"/api/v1/executions/{done['id']}").status == 200
    assert code(server.claim(channel, "charge:1")) == "approval_expired"
    ask(server, channel, "r2")
    decide(server, channel, "approved", "r2")
    assert code(server.claim(channel, "charge:1")) == "claimed"


def test_a_fork_inherits_neither_the_question_nor_the_answer(server: RunningServer, channel: str) -> None:
    """Both are about what its parent does. What the parent has done is replayed as ever."""
    ask(server, channel)
    decide(server, channel, "approved")
    ask(server, channel, "r2", operation={**CHARGE, "key_name": "charge:2"})
    effect(server, channel, "charge:1")
    child = f"{channel}.b"
    assert fork(server, channel, child).status == 200
    assert listed(server, child) == []
    assert code(server.claim(child, "charge:1", requires_approval=True)) == "replayed"
    assert code(server.claim(child, "charge:2", requires_approval=True)) == "approval_not_found"
    ask(server, child, "r2", operation={**CHARGE, "key_name": "charge:2"})
    decide(server, channel, "approved", "r2")
    assert code(server.claim(child, "charge:2")) == "approval_pending"
    assert code(server.claim(channel, "charge:2")) == "claimed"


def test_on_a_fork_policies_come_first(server: RunningServer, channel: str) -> None:
    """What may not run there needs nobody's opinion; what runs live does."""
    server.record(channel)
    effect(server, channel, "charge:1")
    for policy, answer in {
        "block": "fork_tool_blocked",
        "auto": "replayed",
        "live": "approval_pending",
    }.items():
        child = f"{channel}.{policy}"
        assert fork(server, channel, child, tool_policies={"charge": policy}).status == 200
        ask(server, child)
        assert code(server.claim(child, "charge:1")) == answer


def test_a_deleted_channel_takes_its_questions_with_it(server: RunningServer, channel: str) -> None:
    """Nothing waits for an answer that nobody could give."""
    ask(server, channel)
    server.request("DELETE", f"/api/v1/channels/{channel}")
    assert listed(server, channel) == []
    assert code(decide(server, channel, "approved")) == "channel_deleted"


def test_the_list_says_exactly_what_would_be_done(server: RunningServer, channel: str) -> None:
    """As it was sent, with who asked and who answered."""
    asked = ask(server, channel, details={"why": "overdue"}, timeout_seconds=HOUR).body["event"]
    ask(server, channel, "r2", operation=None)
    plain, found = listed(server, channel)
    assert (plain["request_id"], plain["operation"], plain["status"]) == ("r2", None, "pending")
    assert found | {"expires_at": None} == {
        "request_id": "r1",
        "channel_id": channel,
        "status": "pending",
        "summary": "Charge?",
        "details": {"why": "overdue"},
        "operation": CHARGE,
        "approval_fields": None,
        "requester": "test",
        "requested_at": asked["timestamp"],
        "requested_cursor": 1,
        "requested_event_id": asked["id"],
        "expires_at": None,
        "decided_by": None,
        "decided_at": None,
        "decided_cursor": None,
        "reason": None,
    }
    assert found["expires_at"] > found["requested_at"]
    payload = {"request_id": "r1", "decision": "rejected", "reason": "too much"}
    decided = server.record(channel, "approval.decided", payload).body["event"]
    after = listed(server, channel)[1]
    assert after == found | {
        "status": "rejected",
        "decided_by": "test",
        "decided_at": decided["timestamp"],
        "decided_cursor": 3,
        "reason": "too much",
    }


def test_the_list_is_filtered_and_paged(server: RunningServer) -> None:
    """By status, channel and id; a page goes on where the one before ended, whatever came meanwhile."""
    key = make_key(server, read=("paged-*",))
    channels = [new_channel("paged") for _ in range(2)]
    for number in range(6):
        ask(server, channels[number % 2], f"r{number}", operation=charge(number))
    decide(server, channels[0], "approved", "r0")
    decide(server, channels[1], "rejected", "r1")
    expire(server, channels[0], "r2")

    def ids(query: str) -> list[str]:
        reply = server.get(f"/approvals?{query}", api_key=key)
        return [each["request_id"] for each in reply.body["approvals"]]

    assert ids("") == ["r5", "r4", "r3", "r2", "r1", "r0"]
    assert ids("status=pending") == ["r5", "r4", "r3"]
    assert (ids("status=approved"), ids("status=rejected"), ids("status=expired")) == (["r0"], ["r1"], ["r2"])
    assert ids(f"channel_id={channels[1]}") == ["r5", "r3", "r1"]
    assert ids(f"channel_id={channels[1]}&request_id=r3&status=pending") == ["r3"]
    for status in ("", "status=pending&"):
        seen: list[str] = []
        page = server.get(f"/approvals?{status}limit=2", api_key=key).body
        while True:
            seen += [each["request_id"] for each in page["approvals"]]
            ask(server, channels[0], f"meanwhile {status}{len(seen)}", operation=None)
            if not page["has_more"]:
                break
            before = page["approvals"][-1]["requested_event_id"]
            page = server.get(f"/approvals?{status}limit=2&before={before}", api_key=key).body
        wanted = [each for each in ids(status) if not each.startswith("meanwhile")]
        assert [each for each in seen if not each.startswith("meanwhile")] == wanted


def test_a_key_is_shown_what_it_may_read(server: RunningServer, channel: str) -> None:
    """Neither the questions of other channels, nor that there are any."""
    ask(server, channel)
    other = make_key(server, read=(new_channel(),), write=("*",))
    assert server.get("/approvals", api_key=other).body == {"approvals": [], "has_more": False}
    assert server.get(f"/approvals?channel_id={channel}", api_key=other).status == 403
    writer = make_key(server, write=("*",))
    assert server.get("/approvals", api_key=writer).status == 403


async def test_of_many_deciders_at_two_servers_a_no_wins(
    start_server: Callable[..., RunningServer], channel: str
) -> None:
    """Whatever the order in which they came; the log and the list agree on it."""
    one, other = start_server(), start_server()
    ask(one, channel)

    def decision(word: str) -> dict[str, Any]:
        payload = {"request_id": "r1", "decision": word}
        return {
            "channel_id": channel,
            "event_type": "approval.decided",
            "payload": payload,
            "metadata": {"actor": word},
        }

    async with crowd_at(one) as at_one, crowd_at(other) as at_other:
        answers = await asyncio.gather(
            at_one.post_together("/events/record", [decision("approved")] * 20),
            at_other.post_together("/events/record", [decision("rejected")] * 20),
        )
    assert {each.status for some in answers for each in some} == {200}
    events = other.get(f"/events/replay/{channel}").body["events"]
    first_no = next(each["cursor"] for each in events if each["payload"].get("decision") == "rejected")
    (found,) = listed(one, channel)
    assert (found["status"], found["decided_cursor"]) == ("rejected", first_no)
    assert (
        code(one.claim(channel, "charge:1")) == code(other.claim(channel, "charge:1")) == "approval_rejected"
    )


async def test_a_claim_and_a_withdrawal_at_two_servers_end_in_one_order(
    start_server: Callable[..., RunningServer], channel: str
) -> None:
    """Either it was claimed before the no, or it was not claimed."""
    one, other = start_server(), start_server()
    for number in range(20):
        operation = {**CHARGE, "key_name": f"charge:{number}"}
        ask(one, channel, f"r{number}", operation=operation)
        decide(one, channel, "approved", f"r{number}")
        claimed, withdrawn = await asyncio.gather(
            asyncio.to_thread(one.claim, channel, f"charge:{number}"),
            asyncio.to_thread(decide, other, channel, "rejected", f"r{number}"),
        )
        no = withdrawn.body["event"]["cursor"]
        if code(claimed) == "claimed":
            assert claimed.body["execution"]["started_cursor"] < no
        else:
            assert (code(claimed), claimed.body["decided_cursor"]) == ("approval_rejected", no)
