"""`actae undo`: shows what would be undone, and does it with the compensations of a module."""

import json
import re
from pathlib import Path

import pytest

from actae_client import SyncActaeClient
from tests.support.command import Command
from tests.support.server import RunningServer

AGENT = '''
from pathlib import Path

from actae_client import Actae

actae = Actae.from_env()
number = 7


def release(params, result):
    if params["place"] == "Oslo" and not Path("open").exists():
        raise ValueError("the office is closed")
    with Path("released").open("a") as book:
        print(params["place"], result, file=book)


@actae.effect("book:{place}", compensate=release)
async def book(place: str):
    """Never called here."""
'''


def at(server: RunningServer) -> dict[str, str]:
    """The environment of somebody who uses this server."""
    return {"ACTAE_URL": server.url, "ACTAE_API_KEY": server.api_key}


def do(server: RunningServer, channel: str, key: str, tool: str, place: str) -> None:
    """An effect, as some process had it."""
    claim = server.claim(channel, key, tool_name=tool, params={"place": place}).body
    done = {"claim_token": claim["claim_token"], "result": f"ticket to {place}"}
    assert server.post(f"/executions/{claim['execution']['id']}/complete", done).status == 200


@pytest.fixture
def trip(server: RunningServer, channel: str, tmp_path: Path) -> str:
    """A channel with a mail and three bookings; the module that can undo bookings lies where `actae` runs."""
    (tmp_path / "my_agent.py").write_text(AGENT)
    do(server, channel, "mail:1", "mail", "Rome")
    for place in ("Rome", "Oslo", "Lima"):
        do(server, channel, f"book:{place}", "book", place)
    return channel


def lines_of(printed: str) -> list[str]:
    """The lines of a table, with one blank between its columns, without its heading."""
    return [re.sub(r"  +", " ", line.rstrip()) for line in printed.splitlines()[2:]]


def test_a_plan_needs_no_module(actae: Command, server: RunningServer, trip: str) -> None:
    """It shows the order; what would undo them is in the module."""
    planned = actae("undo", trip, "--to-cursor", "4", "--plan", **at(server))
    assert (planned.code, planned.err) == (0, "")
    assert lines_of(planned.out) == [
        "8 book:Lima book not yet",
        "6 book:Oslo book not yet",
    ]


def test_a_plan_with_the_module_says_by_what(
    actae: Command, server: RunningServer, trip: str, tmp_path: Path
) -> None:
    """And what it knows no compensation for. Nothing is run."""
    planned = actae("undo", trip, "--to-cursor", "0", "--plan", "--module", "my_agent", **at(server))
    assert lines_of(planned.out) == [
        "8 book:Lima book by release",
        "6 book:Oslo book by release",
        "4 book:Rome book by release",
        "2 mail:1 mail no, no_compensation: this process has no compensation for the tool 'mail'",
    ]
    assert not (tmp_path / "released").exists()


def test_an_undo_goes_on_where_it_stopped(
    actae: Command, server: RunningServer, trip: str, tmp_path: Path
) -> None:
    """What stays is told, and makes the command fail; called again, it undoes the rest."""
    command = ("undo", trip, "--to-cursor", "0", "--module", "my_agent:actae", "--yes")
    first = actae(*command, "--as", "ada", **at(server))
    assert lines_of(first.out) == [
        "8 book:Lima book now",
        "6 book:Oslo book no, compensation_failed: the office is closed",
        "4 book:Rome book now",
        "2 mail:1 mail no, no_compensation: this process has no compensation for the tool 'mail'",
    ]
    assert (first.code, first.err) == (1, "")
    (tmp_path / "open").touch()
    second = actae(*command, "--json", **at(server))
    assert second.code == 1
    report = json.loads(second.out)
    assert [(each["key_name"], each["was_before"]) for each in report["undone"]] == [
        ("book:Lima", True),
        ("book:Oslo", False),
        ("book:Rome", True),
    ]
    (mail,) = report["not_undone"]
    assert (mail["reason"], report["is_complete"]) == ("no_compensation", False)
    assert "error" not in mail
    assert (tmp_path / "released").read_text().splitlines() == [
        "Lima ticket to Lima",
        "Rome ticket to Rome",
        "Oslo ticket to Oslo",
    ]
    events = server.get(f"/events/replay/{trip}").body["events"]
    actors = [each["actor"] for each in events if each["type"] == "effects.undone"]
    assert actors[0] == "ada"
    assert actors[1] not in ("ada", "undo")


def test_an_undo_that_is_under_way_is_in_the_plan(
    actae: Command, server: RunningServer, trip: str, tmp_path: Path
) -> None:
    """As the undo tells it then: it goes no further, and --wait would wait for it."""
    (oslo,) = [
        each
        for each in server.get(f"/executions?channel_id={trip}").body["executions"]
        if each["key_name"] == "book:Oslo"
    ]
    undoes = {"undoes": oslo["completed_event_id"]}
    taken = {"channel_id": trip, "key_name": "book:Oslo:undo", "tool_name": "book:undo"}
    server.post("/executions/claim", {**taken, "params": undoes, "dedup_fields": ["undoes"]})
    command = ("undo", trip, "--to-cursor", "3", "--module", "my_agent:actae")
    planned, undone = actae(*command, "--plan", **at(server)), actae(*command, "--yes", **at(server))
    assert (planned.code, undone.code) == (0, 1)
    for printed, lima in ((planned.out, "by release"), (undone.out, "now")):
        lines = lines_of(printed)
        assert lines[0] == f"8 book:Lima book {lima}"
        assert lines[1].startswith("6 book:Oslo book no, undo_in_progress: another process is undoing it")
        assert any(line.startswith("4 book:Rome book no, not_reached") for line in lines)
        assert "--wait 90s" in printed


def test_an_undo_may_stop_at_what_fails(
    actae: Command, server: RunningServer, trip: str, tmp_path: Path
) -> None:
    """What came before it stays."""
    stopped = actae(
        "undo", trip, "--to-cursor", "0", "--module", "my_agent", "--yes", "--stop-at-failure", **at(server)
    )
    assert lines_of(stopped.out)[1:3] == [
        "6 book:Oslo book no, compensation_failed: the office is closed",
        "4 book:Rome book no, not_reached: the undo stopped at 'book:Oslo'",
    ]
    assert (tmp_path / "released").read_text() == "Lima ticket to Lima\n"


def test_where_everything_is_undone_it_succeeds(
    actae: Command, server: RunningServer, trip: str, tmp_path: Path
) -> None:
    """Also when there is nothing left to do, and then nobody has to be asked."""
    (tmp_path / "open").touch()
    command = ("undo", trip, "--to-cursor", "2", "--module", "my_agent")
    first = actae(*command, "--yes", **at(server))
    assert (first.code, first.out.count("now"), first.err) == (0, 3, "")
    again = actae(*command, **at(server))
    assert (again.code, again.out.count("before"), again.err) == (0, 3, "")
    assert len((tmp_path / "released").read_text().splitlines()) == 3


def test_nothing_is_undone_without_a_yes(
    actae: Command, server: RunningServer, trip: str, tmp_path: Path
) -> None:
    """In a pipe nobody can be asked."""
    refused = actae("undo", trip, "--to-cursor", "0", "--module", "my_agent", **at(server))
    assert (refused.code, refused.err) == (
        1,
        "actae: Nobody can be asked here. Add --yes to undo, or --plan to look.\n",
    )
    assert not (tmp_path / "released").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 2, "A server runs no tools. Say where they are with --module, or add --plan."),
        (
            ("--module", "no_agent"),
            1,
            "There is no module 'no_agent', here or where Python looks for modules.",
        ),
        (("--module", "my_agent:agent"), 1, "'my_agent:agent' must name an Actae of `actae_client`"),
        (("--module", "my_agent:number"), 1, "the module has the int 7 there"),
    ],
)
def test_what_cannot_be_undone_with(
    actae: Command, server: RunningServer, trip: str, arguments: tuple[str, ...], code: int, said: str
) -> None:
    """One line says why."""
    refused = actae("undo", trip, "--to-cursor", "0", *arguments, "--yes", **at(server))
    assert refused.code == code
    assert said in refused.err


def test_a_channel_without_effects(actae: Command, server: RunningServer, channel: str) -> None:
    """Nothing to undo is no failure; a channel that is not there is hardly the one that was meant."""
    plan = ("undo", channel, "--to-cursor", "0", "--plan")
    missing = actae(*plan, **at(server))
    assert (missing.code, missing.out) == (1, "")
    assert f"Channel '{channel}' does not exist" in missing.err
    with SyncActaeClient(api_key=server.api_key, endpoint=server.url) as client:
        client.record(channel, "note", {}, actor="ada")
        nothing = actae(*plan, **at(server))
        assert (nothing.code, nothing.out) == (0, f"Channel {channel} has no effects after cursor 0.\n")
        client.delete_channel(channel)
    deleted = actae(*plan, **at(server))
    assert (deleted.code, deleted.out) == (1, "")
    assert f"Channel '{channel}' was deleted" in deleted.err
