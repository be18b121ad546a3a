"""`actae checklist`: answers, with the operations behind them; the exit code says whether any is no."""

from uuid import uuid4

from tests.support.command import Command
from tests.support.forking import effect
from tests.support.server import RunningServer


def at(server: RunningServer) -> dict[str, str]:
    """The environment of somebody who uses this server."""
    return {"ACTAE_URL": server.url, "ACTAE_API_KEY": server.api_key}


def test_the_answers_about_a_channel(actae: Command, server: RunningServer, channel: str) -> None:
    """Each with its reason, and the first of the rows behind it."""
    effect(server, channel, "charge:4471", params={"order": "4471"})
    asked = actae("checklist", channel, **at(server))
    assert asked.code == 0
    assert asked.out.startswith(
        f"{channel}: 1 operations, 0 snapshots\n"
        "\n"
        "Has every side effect a key that is the same at each attempt? yes\n"
        "  No key of 1 operation looks random, and none repeats another's input often.\n"
    )
    keys = [f"charge:{uuid4()}" for _ in range(7)]
    for key in keys:
        effect(server, channel, key, params={"order": key[:6]})
    asked = actae("checklist", channel, **at(server))
    assert asked.code == 1
    newest, count = f"    {keys[-1]} at cursor 16 (", asked.out.count("looks random or timed")
    assert newest in asked.out
    assert count == 5
    assert "    and 9 more\n" in asked.out
    found = actae("checklist", channel, "--json", **at(server))
    assert found.code == 1
    assert '"verdict": "no"' in found.out


def test_the_answers_about_all_channels_of_a_pattern(
    actae: Command, server: RunningServer, channel: str
) -> None:
    """A line each, and more than a page of them."""
    for number in range(22):
        effect(server, f"{channel}.{number:02}", "charge:1")
    asked = actae("checklist", f"{channel}.*", **at(server))
    assert asked.code == 0
    assert asked.out.count("cannot be told") == 22
    effect(server, f"{channel}.21", f"charge:{uuid4()}", params={"n": 2})
    asked = actae("checklist", f"{channel}.*", **at(server))
    assert asked.code == 1
    assert asked.out.splitlines()[-1].split() == [f"{channel}.21", "no", "stable_identity"]
    empty = actae("checklist", f"{channel}-*", **at(server))
    assert (empty.code, empty.out) == (1, f"No channel matches {channel}-*.\n")


def test_a_channel_that_is_not_there(actae: Command, server: RunningServer, channel: str) -> None:
    """One line says so."""
    refused = actae("checklist", channel, **at(server))
    assert (refused.code, refused.out) == (1, "")
    assert channel in refused.err


def test_a_channel_that_was_deleted(actae: Command, server: RunningServer, channel: str) -> None:
    """It has answers no more, which must not look as if it were safe."""
    effect(server, channel, "charge:1")
    server.request("DELETE", f"/api/v1/channels/{channel}")
    refused = actae("checklist", channel, **at(server))
    assert (refused.code, refused.out) == (1, "")
    assert f"Channel {channel} was deleted at 2" in refused.err
