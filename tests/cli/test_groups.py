"""`actae groups`: how far workers are, on the command line."""

import re

from tests.support.command import Command
from tests.support.consuming import GroupCalls, record_many
from tests.support.server import RunningServer


def at(server: RunningServer) -> dict[str, str]:
    """The environment of somebody who uses this server."""
    return {"ACTAE_URL": server.url, "ACTAE_API_KEY": server.api_key}


def test_groups_are_listed_with_what_is_left_to_do(
    actae: Command, server: RunningServer, channel: str
) -> None:
    """Of all channels, or of one; also before anybody has joined."""
    assert "no consumer groups" in actae("groups", "list", "--channel", channel, **at(server)).out
    record_many(server, channel, 5)
    group = GroupCalls(server, channel)
    group.create(metadata={"team": "b"})
    group.join("worker-1")
    group.work("worker-1", 4)
    group.ack("worker-1", 3)
    shown = actae("groups", "list", "--channel", channel, **at(server)).out
    assert re.search(rf"^{group.id} +{channel} +3 +2$", shown, re.MULTILINE)
    [told] = actae("groups", "list", "--channel", channel, "--json", **at(server)).json()
    assert (told["group_id"], told["watermark"], told["metadata"]) == (group.id, 3, {"team": "b"})
    assert group.id in actae("groups", "list", **at(server)).out


def test_consumers_are_listed_with_what_is_in_their_hands(
    actae: Command, server: RunningServer, channel: str
) -> None:
    """A dash where there is nothing."""
    record_many(server, channel, 5)
    group = GroupCalls(server, channel)
    group.create()
    assert "Nobody has joined" in actae("groups", "offsets", group.id, **at(server)).out
    group.join("busy", "idle")
    group.work("busy", 4)
    group.ack("busy", 3)
    shown = actae("groups", "offsets", group.id, **at(server)).out
    assert re.search(r"^busy +3 +4 +20\S+Z +20\S+Z$", shown, re.MULTILINE)
    assert re.search(r"^idle +0 +- +20\S+Z", shown, re.MULTILINE)
    told = actae("groups", "offsets", group.id, "--json", **at(server)).json()
    assert [(each["consumer_id"], each["claimed_cursor"]) for each in told] == [("busy", 4), ("idle", 0)]


def test_what_is_not_there_is_named(actae: Command, server: RunningServer) -> None:
    """In one line."""
    ran = actae("groups", "offsets", "nothing", **at(server))
    assert (ran.code, ran.err.count("\n")) == (1, 1)
    assert "nothing" in ran.err
    assert actae("groups", "list", "--channel", "a b", **at(server)).code == 1
