"""Checklists over HTTP: answered from the data, with the rows behind them, for those who may read."""

from typing import Any
from uuid import uuid4

import pytest

from actae.operations.checklist import OPERATIONS_MAX
from tests.support.forking import effect, fork, step
from tests.support.keys import make_key
from tests.support.postgres import Clock
from tests.support.server import RunningServer


def checklist(server: RunningServer, channel: str) -> dict[str, Any]:
    """The checklist of a channel; its answers by their questions."""
    reply = server.get(f"/channels/{channel}/checklist")
    assert reply.status == 200, reply
    return {**reply.body, "answers": {each["question"]: each for each in reply.body["answers"]}}


def verdicts(server: RunningServer, channel: str) -> dict[str, str]:
    """Only those."""
    return {name: each["verdict"] for name, each in checklist(server, channel)["answers"].items()}


def transition(server: RunningServer, channel: str, **fields: Any) -> int:
    """An event with its state; the version."""
    body = {"event_type": "moved", "payload": {}, "state": {"n": 1}, "metadata": {"actor": "test"}, **fields}
    reply = server.post("/events/transition", {"channel_id": channel, **body})
    assert reply.status == 200, reply
    version: int = reply.body["state_version"]
    return version


def test_a_run_as_it_should_be(server: RunningServer, channel: str) -> None:
    """Yes to everything that can be told. Nobody came back too late, so nobody could be refused."""
    effect(server, channel, "charge:4471", params={"order": "4471"}, result={"id": "ch_1"})
    transition(server, channel, operation_id="move-1")
    found = checklist(server, channel)
    assert (found["channel_id"], found["operations"], found["snapshots"]) == (channel, 1, 1)
    assert (found["verdict"], found["truncated"]) == ("cannot_be_told", False)
    assert {name: each["verdict"] for name, each in found["answers"].items()} == {
        "stable_identity": "yes",
        "business_fingerprint": "yes",
        "known_status": "yes",
        "replayable": "yes",
        "stale_workers_fenced": "cannot_be_told",
        "provider_key": "cannot_be_told",
        "state_with_event": "yes",
    }


@pytest.mark.parametrize("odd", ["hi \ud83d", 10**60])
def test_params_that_are_odd_are_looked_into(server: RunningServer, channel: str, odd: Any) -> None:
    """Half a surrogate pair and an endless number hide nothing."""
    effect(server, channel, "charge:1", params={"odd": odd, "timestamp": "today"})
    assert verdicts(server, channel)["business_fingerprint"] == "no"


def test_a_run_as_it_should_not_be(server: RunningServer, server_clock: Clock, channel: str) -> None:
    """Each no names the operations and the cursors that it rests on."""
    random = f"charge:{uuid4()}"
    effect(server, channel, random, params={"order": "4471", "timestamp": "today"})
    effect(server, channel, "mail:1", tool_name="mail", params={"to": "a"}, result={"$omitted": "too large"})
    server.claim(channel, "lost", tool_name="fax", params={"to": "b"}, lease_seconds=1)
    server_clock.advance(2)
    step(server, channel, 1)
    found = checklist(server, channel)
    told = {
        name: [(row["key_name"], row["version"], row["cursor"]) for row in each["rows"]]
        for name, each in found["answers"].items()
        if each["verdict"] == "no"
    }
    assert told == {
        "stable_identity": [(random, None, 2)],
        "business_fingerprint": [(random, None, 2)],
        "known_status": [("lost", None, 5)],
        "replayable": [("mail:1", None, 4)],
        "state_with_event": [(None, 1, 6)],
    }
    assert found["verdict"] == "no"
    operation = found["answers"]["known_status"]["rows"][0]["execution_id"]
    assert server.get(f"/executions/{operation}").body["execution"]["key_name"] == "lost"


def test_a_worker_that_came_back_too_late(server: RunningServer, server_clock: Clock, channel: str) -> None:
    """It was refused, and what it said is the proof."""
    first = server.claim(channel, "charge:1", lease_seconds=1).body
    server_clock.advance(2)
    second = server.claim(channel, "charge:1").body
    path = f"/executions/{first['execution']['id']}/complete"
    assert verdicts(server, channel)["stale_workers_fenced"] == "cannot_be_told"
    assert server.post(path, {"claim_token": first["claim_token"], "result": 1}).status == 409
    assert server.post(path, {"claim_token": second["claim_token"], "result": 2}).status == 200
    answer = checklist(server, channel)["answers"]["stale_workers_fenced"]
    assert answer["verdict"] == "yes"
    assert [(row["key_name"], row["cursor"]) for row in answer["rows"]] == [("charge:1", 3)]


@pytest.mark.parametrize(
    ("ends", "said", "verdict"),
    [
        ({"result": {"id": 2}}, {"result": {"id": 1}}, "no"),
        ({"result": {"id": 2, "n": 1}}, {"result": {"n": 1, "id": 2}}, "yes"),
        ({"result": {"id": 2}}, {"message": "declined"}, "yes"),
        ({"message": "declined"}, {"result": {"id": 1}}, "no"),
    ],
)
def test_an_effect_that_the_record_does_not_hold(
    server: RunningServer,
    server_clock: Clock,
    channel: str,
    ends: dict[str, Any],
    said: dict[str, Any],
    verdict: str,
) -> None:
    """What became of the operation is known only in part. An equal result is the same effect."""
    first = server.claim(channel, "charge:1", lease_seconds=1).body
    server_clock.advance(2)
    second = server.claim(channel, "charge:1").body
    for claim, outcome, status in ((second, ends, 200), (first, said, 409)):
        verb = "complete" if "result" in outcome else "fail"
        path = f"/executions/{claim['execution']['id']}/{verb}"
        assert server.post(path, {"claim_token": claim["claim_token"], **outcome}).status == status
    answer = checklist(server, channel)["answers"]["known_status"]
    assert answer["verdict"] == verdict
    assert [row["cursor"] for row in answer["rows"]] == ([4] if verdict == "no" else [])


@pytest.mark.parametrize("place", ["params", "result"])
def test_a_provider_that_was_given_the_key(server: RunningServer, channel: str, place: str) -> None:
    """It can be told only where parameters or result show it; the id in the event itself does not count."""
    effect(server, channel, "charge:1", params={"n": 1})
    assert verdicts(server, channel)["provider_key"] == "cannot_be_told"
    other = f"{channel}.other"
    execution_id = server.claim(other, "charge:1", attempt_id="a").body["execution"]["id"]
    server.request("DELETE", f"/api/v1/executions/{execution_id}")
    shown = {"params": {"n": 1}, "result": "done", place: {"key": execution_id}}
    effect(server, other, "charge:1", **shown)
    assert verdicts(server, other)["provider_key"] == "yes"


def test_fields_that_are_not_compared_do_no_harm(server: RunningServer, channel: str) -> None:
    """`dedup_fields` says what counts."""
    params = {"order": "4471", "timestamp": "now"}
    effect(server, channel, "charge:4471", params=params, dedup_fields=["order"])
    assert verdicts(server, channel)["business_fingerprint"] == "yes"


def test_state_without_operation_ids(server: RunningServer, channel: str) -> None:
    """A transition is known by its moment; a snapshot beside its event by having another one."""
    transition(server, channel)
    assert verdicts(server, channel)["state_with_event"] == "yes"
    recorded = server.record(channel).body["event"]["cursor"]
    saved = server.post(f"/state/{channel}", {"cursor": recorded, "state": {}, "operation_id": "s"})
    assert saved.status == 200
    answer = checklist(server, channel)["answers"]["state_with_event"]
    assert (answer["verdict"], [row["version"] for row in answer["rows"]]) == ("no", [2])


def test_what_a_fork_inherits_is_not_its_own(server: RunningServer, channel: str) -> None:
    """Neither its ancestors' operations nor the copy that it begins with."""
    effect(server, channel, f"charge:{uuid4()}")
    step(server, channel, 1)
    child = f"{channel}.child"
    assert fork(server, channel, child).status == 200
    found = checklist(server, child)
    assert (found["operations"], found["snapshots"], found["verdict"]) == (0, 0, "cannot_be_told")


def test_odd_parameters_are_passed_over(server: RunningServer, channel: str) -> None:
    """What cannot be looked into says nothing, and stops nobody."""
    raws = ['"\\ud800"', '{"a":1e999}', '{"a":"\\u0000"}', "[" * 200 + "]" * 200, '"' + "x" * 30_000 + '"']
    for number, raw in enumerate(raws):
        body = f'{{"channel_id":"{channel}","key_name":"k{number}","tool_name":"t","params":{raw}}}'
        assert server.request("POST", "/api/v1/executions/claim", raw=body.encode()).status == 200
    found = checklist(server, channel)
    assert (found["operations"], found["answers"]["business_fingerprint"]["verdict"]) == (len(raws), "yes")


def test_the_checklists_of_a_pattern(server: RunningServer, channel: str) -> None:
    """By their ids, page by page; wildcards of SQL are letters here, and deleted channels are left out."""
    prefix = f"{channel}_x"
    names = [f"{prefix}{number}" for number in range(3)]
    for name in (*names, f"{channel}yx0", f"{prefix}gone"):
        effect(server, name, "charge:1")
    assert server.request("DELETE", f"/api/v1/channels/{prefix}gone").status == 200
    first = server.get(f"/checklists?pattern={prefix}*&limit=2").body
    assert [each["channel_id"] for each in first["checklists"]] == names[:2]
    assert (first["has_more"], first["next"]) == (True, names[1])
    second = server.get(f"/checklists?pattern={prefix}*&limit=2&after={first['next']}").body
    assert [each["channel_id"] for each in second["checklists"]] == names[2:]
    assert (second["has_more"], "next" in second) == (False, False)
    exact = server.get(f"/checklists?pattern={names[1]}").body["checklists"]
    assert exact == [server.get(f"/channels/{names[1]}/checklist").body]


def test_only_what_may_be_read_is_looked_at(server: RunningServer, channel: str) -> None:
    """A pattern that reaches further than the key finds what the key does."""
    ours, theirs = f"{channel}.ours", f"{channel}.theirs"
    for name in (ours, theirs):
        effect(server, name, "charge:1")
    reader = make_key(server, read=(ours,))
    writer = make_key(server, write=("*",))
    assert server.get(f"/channels/{theirs}/checklist", api_key=reader).status == 403
    found = server.get(f"/checklists?pattern={channel}*", api_key=reader).body["checklists"]
    assert [each["channel_id"] for each in found] == [ours]
    assert server.get(f"/checklists?pattern={channel}*", api_key=writer).status == 403


@pytest.mark.parametrize(
    ("path", "status", "field"),
    [
        ("/channels/no.such.channel/checklist", 404, None),
        ("/channels/no%20channel/checklist", 400, "channel_id"),
        ("/checklists", 400, "pattern"),
        ("/checklists?pattern=a*b", 400, "pattern"),
        ("/checklists?pattern=a%25", 400, "pattern"),
        ("/checklists?pattern=..", 400, "pattern"),
        ("/checklists?pattern=*&after=a%20b", 400, "after"),
        ("/checklists?pattern=*&limit=many", 400, "limit"),
    ],
)
def test_what_cannot_be_asked(server: RunningServer, path: str, status: int, field: str | None) -> None:
    """The refusal names the bad value."""
    reply = server.get(path)
    assert (reply.status, reply.body.get("field")) == (status, field)


@pytest.mark.slow
def test_a_channel_with_more_operations_than_are_looked_at(server: RunningServer, channel: str) -> None:
    """The newest are, and the answer says that there are others."""
    for number in range(OPERATIONS_MAX):
        effect(server, channel, f"charge:{number}", params={"n": number})
    assert not checklist(server, channel)["truncated"]
    effect(server, channel, f"charge:{uuid4()}", params={"n": -1})
    found = checklist(server, channel)
    assert (found["operations"], found["truncated"], found["verdict"]) == (OPERATIONS_MAX, True, "no")
