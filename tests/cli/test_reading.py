"""`actae channels`, `events` and `executions`: what a server knows, on the command line."""

import json
import subprocess
import sys

import pytest

from tests.support.command import Command, environment
from tests.support.server import RunningServer


def at(server: RunningServer) -> dict[str, str]:
    """The environment of somebody who uses this server."""
    return {"ACTAE_URL": server.url, "ACTAE_API_KEY": server.api_key}


def test_channels_are_listed_the_most_recent_first(
    actae: Command, server: RunningServer, channel: str
) -> None:
    """As a table and as JSON."""
    server.record(channel)
    assert actae("channels", "list", "--json", **at(server)).json()[0] == channel
    assert channel in actae("channels", "list", **at(server)).out


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


def test_a_tail_prints_what_comes_and_ends_when_asked(server: RunningServer, channel: str) -> None:
    """From a cursor on, without a gap; Ctrl-C is its ordinary end."""
    server.record(channel, payload="before")
    tail = subprocess.Popen(
        [sys.executable, "-u", "-m", "actae", "events", "tail", channel, "--from", "1", "--json"],
        env=environment(**at(server)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert tail.stdout is not None
    assert json.loads(tail.stdout.readline())["payload"] == "before"
    server.record(channel, payload="after")
    assert json.loads(tail.stdout.readline())["payload"] == "after"
    tail.send_signal(2)
    _, complaints = tail.communicate(timeout=30)
    assert (tail.returncode, complaints) == (130, "")


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
    assert "execution_not_found" in failed.err
