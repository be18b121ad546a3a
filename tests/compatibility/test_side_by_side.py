"""The published client and ours share one ledger: what one has begun, the other can go on with."""

import json
from typing import Any
from uuid import uuid4

import pytest

from tests.compatibility.support.partner import Partner, Raised
from tests.compatibility.support.programs import OURS, Interpreter
from tests.support.server import RunningServer

Pair = tuple[Partner, Partner]

STRANGE = {
    "n": 2**70,
    "f": [1e16, -1e-5, 1.0, -0.0, 0.1],
    "t": "a\0 \u2028 é 漢 <&>",
    "e": [{}, [], "", None],
}

IDENTITIES = [
    ["demo", "create", "a", "b"],
    ["demo", "create"],
    ["demo", "create", None, 7, True],
    ["demo", "create", "x" * 300],
    ["demo", "é/漢 1", 1.5, "\0"],
    ["a b", "x" * 100],
]


def test_one_claims_and_the_other_completes(pair: Pair, channel: str) -> None:
    """The token passes from hand to hand, and both replay the result."""
    first, second = pair
    asked = {"channel_id": channel, "key_name": "k/é", "tool_name": "charge", "params": STRANGE}
    claim = first.ask("claim_execution", **asked)
    execution_id, token = claim["execution"]["id"], claim["claim_token"]
    assert second.ask("claim_execution", **asked)["status"] == "in_progress"
    assert (
        second.ask("heartbeat_execution", execution_id=execution_id, claim_token=token)["status"] == "running"
    )
    second.ask("complete_execution", execution_id=execution_id, claim_token=token, result=STRANGE)
    replayed = [each.ask("claim_execution", **asked) for each in pair]
    assert [each["status"] for each in replayed] == ["replayed", "replayed"]
    known_to_both = replayed[0]["execution"].keys() & replayed[1]["execution"].keys()
    assert "result" in known_to_both
    assert all(replayed[0]["execution"][name] == replayed[1]["execution"][name] for name in known_to_both)
    assert [json.dumps(each["result"]) for each in replayed] == [json.dumps(STRANGE)] * 2


def test_one_asks_about_a_call_and_the_other_answers(partners: tuple[Partner, Partner], channel: str) -> None:
    """Ours can bind a question; the published client answers it, and is kept from claiming until then."""
    published, ours = partners
    operation = {"key_name": "k", "tool_name": "charge", "params": {"cents": 1}}
    request_id = ours.ask("request_approval", channel_id=channel, summary="Charge?", operation=operation)
    with pytest.raises(Raised) as waiting:
        published.ask("claim_execution", channel_id=channel, **operation)
    assert waiting.value.kind == "APIError"
    answer = {"channel_id": channel, "request_id": request_id}
    decided = published.ask("decide_approval", **answer, decision="approved", actor="ada")
    assert ours.ask("wait_for_approval", **answer)["id"] == decided["id"]
    with pytest.raises(Raised) as other:
        ours.ask("claim_execution", channel_id=channel, **{**operation, "params": {"cents": 2}})
    assert other.value.kind == "ApprovalMismatchError"
    assert published.ask("claim_execution", channel_id=channel, **operation)["status"] == "claimed"


def test_one_asks_about_nothing_and_the_other_answers(pair: Pair, channel: str) -> None:
    """As it always was, in either order: the questions of the published client bind no claim."""
    first, second = pair
    request_id = first.ask("request_approval", channel_id=channel, summary="Charge?", requester="bot")
    claimed = second.ask("claim_execution", channel_id=channel, key_name="k", tool_name="charge")
    assert claimed["status"] == "claimed"
    answer = {"channel_id": channel, "request_id": request_id}
    decided = [
        each.ask("decide_approval", **answer, decision="rejected", actor="ada", reason="no") for each in pair
    ]
    assert decided[0]["id"] == decided[1]["id"]
    assert [each.ask("wait_for_approval", **answer)["id"] for each in pair] == [decided[0]["id"]] * 2


def test_one_fails_and_the_other_takes_over(pair: Pair, channel: str) -> None:
    """Then the first owns nothing any more."""
    first, second = pair
    asked = {"channel_id": channel, "key_name": "key", "tool_name": "charge"}
    claim = first.ask("claim_execution", **asked)
    execution_id = claim["execution"]["id"]
    first.ask("fail_execution", execution_id=execution_id, message="no", claim_token=claim["claim_token"])
    assert second.ask("claim_execution", **asked)["status"] == "reclaimed"
    with pytest.raises(Raised) as refused:
        first.ask("complete_execution", execution_id=execution_id, claim_token=claim["claim_token"], result=1)
    assert refused.value.kind == "ExecutionNotOwnedError"


def test_both_mean_the_same_input(pair: Pair, channel: str) -> None:
    """Whatever it is, and with the fields that were said to matter; other input is refused to both."""
    first, second = pair
    asked = {"channel_id": channel, "tool_name": "charge", "dedup_fields": ["id"]}
    first.ask("claim_execution", key_name="k", params={"id": STRANGE, "at": 1}, **asked)
    again = second.ask("claim_execution", key_name="k", params={"at": 2, "id": STRANGE}, **asked)
    assert again["status"] == "in_progress"
    for each in pair:
        with pytest.raises(Raised) as refused:
            each.ask("claim_execution", key_name="k", params={"id": 1, "at": 1}, **asked)
        assert refused.value.kind == "IdempotencyKeyMismatchError"


def test_one_identity_is_one_event(pair: Pair, channel: str) -> None:
    """For both clients; and other content is refused to both."""
    asked = {"channel_id": channel, "event_type": "note", "actor": "a", "operation_id": str(uuid4())}
    events = [each.ask("record", payload=STRANGE, **asked) for each in pair]
    assert events[0]["id"] == events[1]["id"]
    for each in pair:
        with pytest.raises(Raised) as refused:
            each.ask("record", payload=1, **asked)
        assert refused.value.kind == "IdempotencyConflictError"


def test_each_reads_what_the_other_wrote(pair: Pair, channel: str) -> None:
    """Events, states, steps and metadata."""
    first, second = pair
    about = {"channel_id": channel}
    first.ask(
        "record", event_type="note", payload=STRANGE, actor="a", metadata=STRANGE, step_number=1, **about
    )
    second.ask("transition", event_type="moved", payload=None, state=STRANGE, **about)
    first.ask("update_metadata", display_name="é", experiment_metadata=STRANGE, **about)
    calls: dict[str, dict[str, Any]] = {
        "latest_state": {},
        "list_states": {},
        "get_state": {"version": 1},
        "get_channel_metadata": {},
        "resolve_step": {"step_number": 1},
        "get_cursor": {},
    }
    for method, arguments in calls.items():
        answers = [each.ask(method, **about, **arguments) for each in pair]
        assert json.dumps(answers[0], sort_keys=True) == json.dumps(answers[1], sort_keys=True)
    events = [each.ask("replay", **about) for each in pair]
    for one, other in zip(*events, strict=True):
        assert {**one, "user_id": None} == {**other, "user_id": None}


def test_both_derive_the_same_identifiers(published: Interpreter, server: RunningServer) -> None:
    """Operation ids, effect keys, channels and carriers."""
    told = [each.run("derivations", server, json.dumps(IDENTITIES)) for each in (published, OURS)]
    assert told[0] == told[1]
    assert told[0]["keys"][0] == "0104638e-aa6f-585d-a421-ad78cfaf4984"


def test_an_effect_of_one_is_replayed_by_the_other(
    interpreters: tuple[Interpreter, Interpreter], server: RunningServer, channel: str
) -> None:
    """A program that changes its client repeats nothing."""
    first, second = [each.run("shared_effect", server, channel) for each in interpreters]
    assert first["ran"] == ["charge", "charge", "mail", "volatile", "plain"]
    assert second["ran"] == []
    assert json.dumps(first["results"]) == json.dumps(second["results"])
