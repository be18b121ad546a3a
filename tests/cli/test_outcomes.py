"""`actae executions`: outcomes that nobody knows are found, looked at, and resolved by a person."""

from typing import Any

import pytest
from click.testing import CliRunner

from actae.cli import main
from actae_client._calls.decoding import decode
from tests.support.command import Command
from tests.support.postgres import Clock
from tests.support.server import RunningServer
from tests.support.terminal import answered
from tests.support.wire import Wire


def at(server: RunningServer) -> dict[str, str]:
    """The environment of somebody who uses this server."""
    return {"ACTAE_URL": server.url, "ACTAE_API_KEY": server.api_key}


def give_up(server: RunningServer, channel: str, key: str, **params: Any) -> tuple[str, str]:
    """An operation whose owner does not know; its id and its token."""
    held = server.claim(channel, key, params=params).body
    body = {"claim_token": held["claim_token"], "message": "time-out", "outcome_unknown": True}
    assert server.post(f"/executions/{held['execution']['id']}/fail", body).status == 200
    return held["execution"]["id"], held["claim_token"]


def test_what_nobody_knows_is_found_across_channels(
    actae: Command, server: RunningServer, channel: str, server_clock: Clock
) -> None:
    """By status, tool, key, age and a field of the params; with the id, by which it is resolved."""
    wanted, _ = give_up(server, f"{channel}.a", f"{channel}:1", order_id=4471, note="a=b")
    give_up(server, f"{channel}.b", f"{channel}:2", order_id=44)
    server.claim(f"{channel}.b", f"{channel}:3", params={"order_id": 4471})
    every = ("executions", "list", "--key-prefix", channel, "--json")
    found = actae(*every, "--status", "ambiguous", "--field", "order_id=4471", **at(server)).json()
    assert [each["id"] for each in found] == [wanted]
    assert [each["id"] for each in actae(*every, "--field", "note=a=b", **at(server)).json()] == [wanted]
    assert [each["key_name"] for each in actae(*every, "--limit", "1", **at(server)).json()] == [
        f"{channel}:3"
    ]
    assert actae(*every, "--older-than", "1h", **at(server)).json() == []
    assert actae(*every, "--older-than", "36600d", **at(server)).json() == []
    assert actae(*every, "--tool", "no such tool", **at(server)).json() == []
    server_clock.advance(3601)
    assert len(actae(*every, "--older-than", "1h", **at(server)).json()) == 3
    table = actae("executions", "list", "--key-prefix", channel, "--limit", "2", **at(server))
    assert wanted.split("~")[0][:-1] in table.out
    assert "there are more" in table.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("list", "run-1", "--text", "charge"), "--text goes through all channels"),
        (("list", "run-1", "--older-than", "1h"), "--older-than goes through all channels"),
        (("list", "--older-than", "36601d"), "'--older-than': 36601d is too long: at most 36600d."),
        (("list", "--field", "order_id"), "no NAME=VALUE"),
        (("list", "--field", "=1"), "no NAME=VALUE"),
        (("list", "--status", "lost"), "'lost' is not one of"),
        (("resolve", "run-1", "k"), "Say one of"),
        (("resolve", "run-1", "k", "--unknown", "--applied", "1"), "Say one of"),
        (("resolve", "run-1", "k", "--applied", "ch_1"), "it is no JSON"),
        (("resolve", "run-1", "k", "--unknown", "--evidence", "{"), "it is no JSON"),
        (("resolve", "run-1", "k", "--applied", '{"id": NaN}'), "'--applied': it is no JSON: NaN"),
        (("resolve", "run-1", "k", "--applied", "ch_1"), "A text needs quotes of its own"),
        (("resolve", "run-1", "k", "--unknown", "--evidence", "NaN"), "'--evidence': it is no JSON: NaN"),
        (("resolve", "run-1", "k", "--applied", "[-1e999]"), "'--applied': it is no JSON: -1e999"),
        (("resolve", "run-1", "k", "--applied", "[" * 100_000), "'--applied': it is no JSON"),
    ],
)
def test_what_cannot_be_meant_is_said(arguments: tuple[str, ...], said: str) -> None:
    """Before any server is asked: there is none."""
    failed = CliRunner().invoke(main, ["executions", *arguments, "--api-key", "sk-none"])
    assert failed.exit_code == 2
    assert said in failed.output


@pytest.mark.parametrize("name", ["", " "])
def test_nobody_is_no_name(actae: Command, server: RunningServer, channel: str, name: str) -> None:
    """It is refused, and not taken for the login name."""
    identity, _ = give_up(server, channel, "charge:1")
    resolve = ("executions", "resolve", identity, "--unknown", "--yes", "--by", name)
    reject = ("approvals", "reject", channel, "r", "--as", name)
    for command, option in ((resolve, "--by"), (reject, "--as")):
        refused = actae(*command, **at(server))
        assert (refused.code, f"Invalid value for {option}: must not be empty" in refused.err) == (2, True)


def test_an_argument_that_is_no_text_is_refused(actae: Command, server: RunningServer) -> None:
    """A byte that is not UTF-8 reaches Python as half of a surrogate pair."""
    refused = actae("executions", "list", "--field", "order=\udcff", **at(server))
    assert (refused.code, "is no text" in refused.err, "Traceback" in refused.err) == (1, True, False)


def test_integers_without_end_are_shown(actae: Command, server: RunningServer, channel: str) -> None:
    """One such claim makes nothing unreadable: not the list, not the log, not the plan of an undo."""
    digits = "9" * 5_000
    with Wire(server) as wire:
        body = f'{{"channel_id":"{channel}","key_name":"k","tool_name":"t","params":{{"n":{digits}}}}}'
        held = decode(wire.post("/executions/claim", body.encode()).content)
        settled = {"claim_token": held["claim_token"], "result": 1}
        assert wire.post(f"/executions/{held['execution']['id']}/complete", settled).status == 200
    (listed,) = actae("executions", "list", channel, "--json", **at(server)).json()
    assert listed["params"] == {"n": digits}
    for command in (
        ("executions", "list", channel),
        ("executions", "show", channel, "k"),
        ("events", "replay", channel),
        ("undo", channel, "--to-cursor", "0", "--plan"),
    ):
        shown = actae(*command, **at(server))
        assert (shown.code, shown.err) == (0, ""), shown


def test_a_person_says_what_happened(actae: Command, server: RunningServer, channel: str) -> None:
    """Unknown first, then applied; what comes too late is shown beside it."""
    identity, token = give_up(server, channel, "charge:1")
    by = ("--by", "ann", "--yes")
    assert "Nobody is there" in actae("executions", "resolve", identity, "--unknown", **at(server)).err
    looked = actae(
        "executions", "resolve", channel, "charge:1", "--unknown", "--reason", "down", *by, **at(server)
    )
    assert looked.out == "charge:1 is ambiguous: nothing changes, and the log says that you looked.\n"
    said = ("--applied", '{"charge": "ch_1"}', "--evidence", '["dashboard"]', *by)
    told = actae("executions", "resolve", identity, *said, **at(server))
    assert told.out == "charge:1 is completed: every claim replays this result from now on.\n"
    server.post(f"/executions/{identity}/complete", {"claim_token": token, "result": "ch_2"})
    again = actae("executions", "resolve", identity, "--not-applied", *by, **at(server))
    assert again.code == 1
    assert "already ended as completed" in again.err
    assert f"actae executions show {identity}" in again.err
    shown = actae("executions", "show", identity, "--json", **at(server)).json()
    assert shown["result"] == {"charge": "ch_1"}
    assert [each["value"] for each in shown["late_evidence"]] == ["ch_2"]
    assert [each["event_type"] for each in shown["told"]] == [
        "tool.ambiguous",
        "tool.resolved",
        "tool.resolved",
    ]
    history = actae("executions", "show", identity, **at(server)).out.split("\n\n")[1].splitlines()
    assert [line.split()[2] for line in history[2:]] == ["ambiguous", "resolved", "resolved", "too"]
    assert "dashboard" in history[4]
    assert "ch_2" in history[5]


def test_not_applied_says_what_the_next_claim_gets(
    actae: Command, server: RunningServer, channel: str
) -> None:
    """The tool, but for a failure that its own worker recorded, and a key whose time is over."""
    say = ("--not-applied", "--by", "ann", "--yes")
    give_up(server, channel, "open")
    told = actae("executions", "resolve", channel, "open", *say, **at(server)).out
    assert told == "open is resolved as not applied: the next claim runs the tool.\n"
    claim = {"channel_id": channel, "key_name": "failed", "tool_name": "charge", "ttl_seconds": 600}
    held = server.post("/executions/claim", claim).body
    failure = {"claim_token": held["claim_token"], "message": "declined"}
    server.post(f"/executions/{held['execution']['id']}/fail", failure)
    told = actae("executions", "resolve", channel, "failed", *say, **at(server)).out
    assert told.startswith("failed had failed by itself, and keeps that failure")
    held = server.post("/executions/claim", {**claim, "key_name": "mortal"}).body
    failure = {"claim_token": held["claim_token"], "message": "?", "outcome_unknown": True}
    server.post(f"/executions/{held['execution']['id']}/fail", failure)
    told = actae("executions", "resolve", channel, "mortal", *say, **at(server)).out
    assert "until its key expires at 2" in told


def test_an_operation_that_is_not_there_is_named_as_it_was_typed(
    actae: Command, server: RunningServer, channel: str
) -> None:
    """Not by an id that nobody has typed."""
    missing = actae("executions", "show", channel, "charge:1", **at(server))
    assert missing.code == 1
    assert f"Channel '{channel}' has no operation with the key 'charge:1'" in missing.err
    no_id = actae("executions", "resolve", "charge:1", "--not-applied", "--yes", "--by", "ann", **at(server))
    assert (no_id.code, "'charge:1' is no id of an operation. Give one, or CHANNEL KEY." in no_id.err) == (
        1,
        True,
    )


@pytest.mark.parametrize(("answer", "status"), [("n", "ambiguous"), ("y", "failed")])
def test_a_person_is_asked_once(server: RunningServer, channel: str, answer: str, status: str) -> None:
    """On a terminal; with no, nothing is changed."""
    identity, _ = give_up(server, channel, "charge:1")
    ran = answered(answer, "executions", "resolve", identity, "--not-applied", "--by", "ann", **at(server))
    assert (
        "Attempt 1 of charge:1 (charge) is ambiguous. not_applied: the next claim runs the tool." in ran.err
    )
    assert ran.code == (0 if answer == "y" else 1)
    assert server.get(f"/executions/{identity}").body["execution"]["status"] == status
