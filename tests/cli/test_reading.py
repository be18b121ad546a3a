"""`actae channels`, `events` and `executions`: what a server knows, on the command line."""

import re

import pytest

from tests.support.command import Command
from tests.support.server import RunningServer
from tests.support.waiting import until


def at(server: RunningServer) -> dict[str, str]:
    """The environment of somebody who uses this server."""
    return {"ACTAE_URL": server.url, "ACTAE_API_KEY": server.api_key}


def test_channels_are_listed_the_most_recent_first(
    actae: Command, server: RunningServer, channel: str
) -> None:
    """As a table and as JSON, with what they did."""
    server.claim(channel, "charge")
    first = actae("channels", "list", "--json", **at(server)).json()[0]
    assert (first["channel_id"], first["cursor"], first["effects"]["running"]) == (channel, 1, 1)
    row = actae("channels", "list", "--prefix", channel, **at(server)).out.splitlines()[-1]
    assert row.split()[1:] == ["open", "1", "1", "running", channel]


def test_a_list_of_channels_has_an_end(actae: Command, server: RunningServer, channel: str) -> None:
    """By their ids where they share a beginning; and it says when there are more."""
    for number in range(3):
        server.record(f"{channel}.{number}")
    shown = actae("channels", "list", "--prefix", f"{channel}.", "--limit", "2", "--json", **at(server))
    assert [each["channel_id"] for each in shown.json()] == [f"{channel}.0", f"{channel}.1"]
    assert "--limit" in shown.err
    assert actae("channels", "list", "--prefix", f"{channel}x", **at(server)).out == (
        f"No channel begins with {channel}x.\n"
    )


def test_a_channel_is_replayed_as_a_whole_or_in_part(
    actae: Command, server: RunningServer, channel: str
) -> None:
    """From a cursor on, of one type, up to a number; one event a line."""
    for number in range(1, 6):
        server.record(channel, "odd" if number % 2 else "even", {"n": number, "text": "\u00e9"})
    whole = actae("events", "replay", channel, "--json", **at(server)).json_lines()
    assert [(each["cursor"], each["payload"]) for each in whole] == [
        (number, {"n": number, "text": "\u00e9"}) for number in range(1, 6)
    ]
    part = actae(
        "events", "replay", channel, "--from", "2", "--type", "odd", "--json", **at(server)
    ).json_lines()
    assert [each["cursor"] for each in part] == [3, 5]
    first = actae("events", "replay", channel, "--limit", "2", **at(server)).out.splitlines()
    assert len(first) == 2
    assert '{"n": 1, "text": "\u00e9"}' in first[0]


def test_a_log_longer_than_a_page_is_replayed_to_its_end(
    actae: Command, server: RunningServer, channel: str
) -> None:
    """The client's pages do not show."""
    for _ in range(1001):
        server.record(channel)
    assert len(actae("events", "replay", channel, "--json", **at(server)).json_lines()) == 1001


def test_operations_are_listed_and_shown(actae: Command, server: RunningServer, channel: str) -> None:
    """With what went in and what came out; never with a token."""
    claimed = server.claim(channel, "charge", params={"amount": 5}).body
    identity = claimed["execution"]["id"]
    server.post(
        f"/executions/{identity}/complete", {"claim_token": claimed["claim_token"], "result": {"ok": 1}}
    )
    (listed,) = actae("executions", "list", channel, "--json", **at(server)).json()
    assert (listed["id"], listed["status"]) == (identity, "completed")
    shown = actae("executions", "show", identity, "--json", **at(server)).json()
    assert (shown["params"], shown["result"]) == ({"amount": 5}, {"ok": 1})
    for told in (
        actae("executions", "list", channel, **at(server)),
        actae("executions", "show", identity, **at(server)),
    ):
        assert "charge" in told.out
        assert "completed" in told.out
        assert claimed["claim_token"] not in told.out


def test_operations_are_found_by_what_they_say(actae: Command, server: RunningServer, channel: str) -> None:
    """By any text across channels; within one by tool and key."""
    server.claim(channel, "charge:4471", params={"note": f"for {channel}!"})
    server.claim(channel, "mail:4471", params={})
    found = actae("executions", "list", "--text", f"{channel}!", "--json", **at(server)).json()
    assert [each["key_name"] for each in found] == ["charge:4471"]
    within = actae("executions", "list", channel, "--key-prefix", "mail", "--json", **at(server)).json()
    assert [each["key_name"] for each in within] == ["mail:4471"]
    assert actae("executions", "list", channel, "--tool", "nothing", **at(server)).out == (
        f"Channel {channel} has no such operations.\n"
    )
    refused = actae("executions", "list", channel, "--text", "x", **at(server))
    assert (refused.code, "--text goes through all channels" in refused.err) == (2, True)


def test_a_lapsed_operation_is_told_from_a_live_one(
    actae: Command, server: RunningServer, channel: str
) -> None:
    """By its name where that was asked for, and by the end of its lease."""
    server.claim(channel, "charge", lease_seconds=1)
    listed = ("executions", "list", channel, "--status")
    until(lambda: "\nlapsed" in actae(*listed, "lapsed", **at(server)).out)
    running = actae(*listed, "running", **at(server)).out.splitlines()[-1].split()
    lapsed = actae(*listed, "lapsed", **at(server)).out.splitlines()[-1].split()
    assert (running[0], running[1:]) == ("running", lapsed[1:])
    assert re.fullmatch(r"20\S+Z", running[2])


@pytest.mark.parametrize("thing", ["channels", "executions"])
def test_a_limit_has_a_limit(actae: Command, server: RunningServer, thing: str) -> None:
    """And says which."""
    refused = actae(thing, "list", "--limit", "9" * 20, **at(server))
    assert (refused.code, "1<=x<=1000000" in refused.err) == (2, True)


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"ACTAE_API_KEY": ""}, "No API key"),
        ({"ACTAE_API_KEY": "sk-" + "0" * 32}, "not known"),
        ({"ACTAE_API_KEY": "two words"}, "api_key"),
        ({"ACTAE_URL": "http://127.0.0.1:1"}, "127.0.0.1"),
        ({"ACTAE_URL": "ftp://nowhere"}, "http"),
    ],
)
def test_what_cannot_be_asked_is_told_in_one_line(
    actae: Command, server: RunningServer, variables: dict[str, str], said: str
) -> None:
    """With 1, and never with the key."""
    failed = actae("channels", "list", **{**at(server), **variables})
    assert (failed.code, failed.out) == (1, "")
    assert said in failed.err
    assert failed.err.count("\n") == 1
    assert "sk-0" not in failed.err


def test_an_unknown_operation_is_told_in_one_line(actae: Command, server: RunningServer) -> None:
    """With 1."""
    failed = actae("executions", "show", "run-1~" + "0" * 32, **at(server))
    assert (failed.code, failed.err.count("\n")) == (1, 1)
    assert "No operation has the id" in failed.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("executions", "list", "../x"),
        ("executions", "show", ""),
        ("executions", "show", "..", "key"),
        ("events", "replay", "."),
        ("events", "tail", ".."),
    ],
)
def test_what_names_nothing_is_refused_in_one_line(
    actae: Command, server: RunningServer, arguments: tuple[str, ...]
) -> None:
    """With 1, and no traceback."""
    failed = actae(*arguments, **at(server))
    assert (failed.code, failed.out, failed.err.count("\n")) == (1, "", 1)
    assert failed.err.startswith("actae: ")


ODD = {"half": "\ud800", "turned": "\u202eabc", "red": "\x1b[31m"}


@pytest.fixture
def odd(server: RunningServer, channel: str) -> str:
    """A channel with an operation whose names and result no terminal should get as they are."""
    claimed = server.claim(channel, "key\u202e", tool_name="tool\x1b[2J").body
    body = {"claim_token": claimed["claim_token"], "result": ODD}
    assert server.post(f"/executions/{claimed['execution']['id']}/complete", body).status == 200
    return channel


def test_whatever_was_stored_can_be_shown(actae: Command, server: RunningServer, odd: str) -> None:
    """To programs as it is, in ASCII; to people with escapes."""
    identity = actae("executions", "list", odd, "--json", **at(server)).json()[0]["id"]
    shown = actae("executions", "show", identity, "--json", **at(server))
    replayed = actae("events", "replay", odd, "--json", **at(server))
    assert shown.json()["result"] == ODD
    assert replayed.json_lines()[1]["payload"]["result"] == ODD
    assert (shown.out + replayed.out).isascii()
    for command in (("executions", "list", odd), ("executions", "show", identity), ("events", "replay", odd)):
        told = actae(*command, **at(server))
        assert told.code == 0, told
        assert all(line.isprintable() for line in told.out.splitlines())
        assert r"\x1b[2J" in told.out or r"\u001b[2J" in told.out


def test_an_operation_is_shown_by_its_channel_and_key(
    actae: Command, server: RunningServer, channel: str
) -> None:
    """Nobody has to copy an id."""
    identity = server.claim(channel, "charge:order-1").body["execution"]["id"]
    assert (
        actae("executions", "show", channel, "charge:order-1", "--json", **at(server)).json()["id"]
        == identity
    )


def test_a_list_fits_a_terminal(
    actae_on_a_terminal: Command, actae: Command, server: RunningServer, channel: str
) -> None:
    """An operation a line, of at most 80 cells; in a pipe every key is whole."""
    keys = [f"charge:{number}:" + "x" * 100 for number in range(3)]
    for key in keys:
        server.claim(channel, key, tool_name="payments.charge_card")
    told = actae_on_a_terminal("executions", "list", channel, **at(server))
    assert told.code == 0
    heading, _, *lines, note = told.out.splitlines()
    assert heading.split() == ["status", "attempts", "updated", "tool", "key"]
    assert all(len(line) <= 80 and line.startswith("running") and line.endswith("…") for line in lines)
    assert len(lines) == 3
    assert "--json shows it whole" in note
    assert all(key in actae("executions", "list", channel, **at(server)).out for key in keys)


def test_times_are_written_alike_everywhere(actae: Command, server: RunningServer, channel: str) -> None:
    """RFC 3339 with seconds, in UTC."""
    server.claim(channel, "charge")
    for command in (("executions", "list", channel), ("events", "replay", channel)):
        assert re.search(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", actae(*command, **at(server)).out)


def test_operations_are_found_by_their_status(actae: Command, server: RunningServer, channel: str) -> None:
    """Beyond the server's pages, and with a word on what is not shown."""
    for number in range(105):
        claimed = server.claim(channel, f"key-{number}").body
        if number % 21 == 0:
            body = {"claim_token": claimed["claim_token"], "result": number}
            server.post(f"/executions/{claimed['execution']['id']}/complete", body)
    listing = ("executions", "list", channel, "--json", "--limit", "1000")
    completed = actae(*listing, "--status", "completed", **at(server)).json()
    assert [each["key_name"] for each in completed] == [f"key-{number}" for number in range(84, -1, -21)]
    assert len(actae(*listing, **at(server)).json()) == 105
    assert actae(*listing, "--status", "lapsed", **at(server)).json() == []
    some = actae("executions", "list", channel, "--status", "running", "--limit", "99", **at(server))
    assert "the newest 99; there are more" in some.err
    assert actae("executions", "list", channel, "--limit", "105", **at(server)).err == ""
    assert (
        "no lapsed operations" in actae("executions", "list", channel, "--status", "lapsed", **at(server)).out
    )
    assert actae("executions", "list", channel, "--status", "odd", **at(server)).code == 2


def test_a_channel_without_events_is_told_to_people(actae: Command, server: RunningServer) -> None:
    """On standard error; programs get nothing."""
    told = actae("events", "replay", "nope", **at(server))
    assert (told.code, told.out, told.err) == (0, "", "Channel nope has no events.\n")
    for_programs = actae("events", "replay", "nope", "--json", **at(server))
    assert (for_programs.code, for_programs.out, for_programs.err) == (0, "", "")
