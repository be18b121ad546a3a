"""`actae execution-groups`: who works together, on the command line."""

import re

from tests.support.command import Command
from tests.support.crew import Crew
from tests.support.server import RunningServer


def at(server: RunningServer) -> dict[str, str]:
    """The environment of somebody who uses this server."""
    return {"ACTAE_URL": server.url, "ACTAE_API_KEY": server.api_key}


def test_groups_and_their_members_are_shown(actae: Command, server: RunningServer) -> None:
    """As a table and as JSON, with who holds whom."""
    crew = Crew(server, "ada")
    crew.add("bob", role="critic")
    crew.claim("ada", "worker-3")
    assert actae("execution-groups", "list", "--json", **at(server)).json()[0]["group_id"] == crew.id
    assert crew.id in actae("execution-groups", "list", **at(server)).out
    shown = actae("execution-groups", "show", crew.id, "--json", **at(server)).json()
    assert [(each["member_id"], each["generation"]) for each in shown] == [("ada", 1), ("bob", 0)]
    ada, bob = actae("execution-groups", "show", crew.id, **at(server)).out.splitlines()[-2:]
    assert crew.channel("ada") in ada
    assert "worker-3" in ada
    assert "critic" in bob
    assert re.search(r"T\d\d:\d\d:\d\dZ", ada)  # to the second, as everywhere
    assert "no members" in actae("execution-groups", "show", Crew(server).id, **at(server)).out


def test_an_unknown_group_is_told_in_one_line(actae: Command, server: RunningServer) -> None:
    """With 1."""
    failed = actae("execution-groups", "show", "unknown", **at(server))
    assert failed.code == 1
    assert "No group has the id 'unknown'" in failed.err
