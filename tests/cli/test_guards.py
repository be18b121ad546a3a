"""`actae guards`: freezes, budgets and near-duplicates on the command line."""

from typing import Any
from uuid import uuid4

import pytest

from tests.support.command import Command
from tests.support.server import RunningServer


@pytest.fixture
def at(server: RunningServer) -> dict[str, str]:
    """The environment of somebody who uses this server."""
    return {"ACTAE_URL": server.url, "ACTAE_API_KEY": server.api_key}


@pytest.fixture
def tool() -> str:
    """A tool of this test's own."""
    return f"tool-{uuid4().hex[:8]}"


def listed(actae: Command, at: dict[str, str], tool: str) -> list[Any]:
    """The guards of a tool."""
    found = actae("guards", "list", "--json", **at).json()
    return [each for each in found if each["tool_name"] == tool]


def test_a_tool_is_frozen_and_unfrozen(
    actae: Command, server: RunningServer, at: dict[str, str], channel: str, tool: str
) -> None:
    """By its name; who unfreezes what is not frozen is told."""
    told = actae("guards", "freeze", tool, "--reason", "no more", "--id", f"f-{tool}", **at)
    assert told.out == f"Guard f-{tool}: frozen: no more, tool {tool} on all channels.\n"
    actae("guards", "freeze", tool, "--channels", f"{channel}*", **at)
    assert server.claim(channel, "a", tool_name=tool).body["status"] == "tool_frozen"
    assert len(listed(actae, at, tool)) == 2
    assert actae("guards", "unfreeze", tool, **at).out == f"Tool {tool} is not frozen any more.\n"
    assert server.claim(channel, "a", tool_name=tool).body["status"] == "claimed"
    again = actae("guards", "unfreeze", tool, **at)
    assert (again.code, f"Tool {tool} is not frozen" in again.err) == (1, True)


def test_budgets_and_near_duplicates_are_set_listed_and_removed(
    actae: Command, server: RunningServer, at: dict[str, str], channel: str, tool: str
) -> None:
    """The list shows what is used of a budget now."""
    options = ("--tool", tool, "--field", "n", "--per", "1d", "--per-channel", "--id", f"b-{tool}")
    told = actae("guards", "budget", "12.50", *options, **at)
    assert told.out.startswith(f"Guard b-{tool}: at most 12.5 of n every 86,400 s per channel, tool {tool}")
    actae("guards", "near-duplicates", "--tool", tool, "--within", "10m", "--action", "warn", **at)
    server.claim(channel, "a", tool_name=tool, params={"n": 2.5})
    (row,) = [line for line in actae("guards", "list", **at).out.splitlines() if line.startswith(f"b-{tool}")]
    assert f"2.5 ({channel})" in row
    budget, near = listed(actae, at, tool)
    assert (near["action"], near["window_seconds"]) == ("warn", 600)
    for each in (budget, near):
        told = actae("guards", "remove", each["guard_id"], **at)
        assert told.out == f"Guard {each['guard_id']} is removed.\n"
    assert listed(actae, at, tool) == []
    assert actae("guards", "remove", f"b-{tool}", **at).code == 1


@pytest.mark.parametrize("limit", ["many", "NaN", "-1", "0.5"])
def test_a_limit_is_an_amount(actae: Command, at: dict[str, str], limit: str) -> None:
    """Here or at the server: nothing is added."""
    told = actae("guards", "budget", "--", limit, **at)
    assert told.code in (1, 2)
    assert told.err
    assert "Traceback" not in told.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-1",), "Invalid value for LIMIT: must not be below 0"),
        (("1", "--pre", "1d"), "No such option '--pre'"),
        (("1", "--per", "0s"), "Invalid value for '--per': 0s is too short: at least 1s."),
        (("1", "--per", "367d"), "Invalid value for '--per': 367d is too long: at most 366d."),
    ],
)
def test_a_budget_that_cannot_be_meant(
    actae: Command, at: dict[str, str], arguments: tuple[str, ...], said: str
) -> None:
    """A limit below nothing is no option, and a window has a length."""
    refused = actae("guards", "budget", *arguments, **at)
    assert (refused.code, said in refused.err) == (2, True)


def test_the_longest_window_is_one_that_a_server_takes(actae: Command, at: dict[str, str], tool: str) -> None:
    """The command line knows the bound, so that it can name the option."""
    for command in (("budget", "1", "--per", "366d"), ("near-duplicates", "--within", "366d")):
        told = actae("guards", *command, "--tool", tool, "--json", **at)
        assert told.json()["window_seconds"] == 366 * 86_400
    refused = actae("guards", "near-duplicates", "--within", "0h", **at)
    assert (refused.code, "'--within': 0h is too short" in refused.err) == (2, True)
