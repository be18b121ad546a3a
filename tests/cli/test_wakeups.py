"""`actae wakeups`: timers on the command line."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.support.command import Command
from tests.support.postgres import Clock
from tests.support.server import RunningServer
from tests.support.timers import look, schedule, until_over

FAR = datetime(2999, 1, 1, tzinfo=UTC)


def at(server: RunningServer) -> dict[str, str]:
    """The environment of somebody who uses this server."""
    return {"ACTAE_URL": server.url, "ACTAE_API_KEY": server.api_key}


def test_wakeups_are_listed_the_earliest_first(actae: Command, server: RunningServer, channel: str) -> None:
    """As a table and as JSON, of one channel or of all, up to a number."""
    made = [schedule(server, channel, FAR + timedelta(days=days), payload={"n": days}) for days in (2, 1, 3)]
    in_order = [made[1], made[0], made[2]]
    assert actae("wakeups", "list", channel, "--json", **at(server)).json() == in_order
    told = actae("wakeups", "list", channel, **at(server))
    lines = told.out.splitlines()
    assert lines[0].split() == ["status", "run", "at", "attempts", "id", "error"]
    assert [line.split()[:4] for line in lines[2:]] == [
        ["pending", each["run_at"], "0", each["id"]] for each in in_order
    ]
    assert told.err == ""
    some = actae("wakeups", "list", channel, "--limit", "2", **at(server))
    assert (len(some.out.splitlines()), "there are more" in some.err) == (4, True)
    everywhere = actae("wakeups", "list", "--limit", "100000", "--json", **at(server)).json()
    assert [each for each in everywhere if each["channel_id"] == channel] == in_order


def test_wakeups_are_found_by_their_status(
    actae: Command, server: RunningServer, channel: str, server_clock: Clock
) -> None:
    """A failed one says why."""
    server.record(channel)
    made = schedule(server, channel, server_clock.now() + timedelta(hours=1))
    server.post(f"/channels/{channel}/close", {})
    assert actae("wakeups", "list", channel, "--status", "failed", **at(server)).out == (
        f"Channel {channel} has no failed wake-ups.\n"
    )
    server_clock.advance(3_660)
    until_over(server, channel)
    failed = actae("wakeups", "list", channel, "--status", "failed", **at(server)).out
    assert made["id"] in failed
    assert f"channel_closed: Channel '{channel}' is closed." in failed
    assert actae("wakeups", "list", channel, "--status", "odd", **at(server)).code == 2


def test_a_wakeup_is_cancelled_once(actae: Command, server: RunningServer, channel: str) -> None:
    """Afterwards it is not pending any more, which fails in one line."""
    first, second = (schedule(server, channel, FAR) for _ in range(2))
    told = actae("wakeups", "cancel", first["id"], **at(server))
    assert (told.code, told.out) == (0, f"Wake-up {first['id']} is cancelled.\n")
    assert look(server, first["id"])["status"] == "cancelled"
    again = actae("wakeups", "cancel", first["id"], **at(server))
    assert (again.code, again.out) == (1, "")
    assert f"{first['id']} is not pending any more" in again.err
    told = actae("wakeups", "cancel", second["id"], "--json", **at(server))
    assert told.json() == {"id": second["id"], "status": "cancelled"}


@pytest.mark.parametrize(
    "arguments", [("list", "../x"), ("cancel", "nothing"), ("cancel", ".."), ("cancel", "run-1~" + "0" * 32)]
)
def test_what_names_nothing_is_refused_in_one_line(
    actae: Command, server: RunningServer, arguments: tuple[str, ...]
) -> None:
    """With 1, and no traceback."""
    failed = actae("wakeups", *arguments, **at(server))
    assert (failed.code, failed.out, failed.err.count("\n")) == (1, "", 1)
    assert failed.err.startswith("actae: ")
