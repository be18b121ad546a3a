"""`actae undo`: runs the compensations of what a channel did, or shows which they would be."""

import os
import sys
from collections.abc import Iterable
from dataclasses import asdict, replace
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

import click

from actae.cli.durations import Duration
from actae.cli.failures import CommandFailed
from actae.cli.output import json_option, print_json, print_table
from actae.cli.people import name_of_person
from actae.cli.remote import Server, channel_argument, connected, server_options

if TYPE_CHECKING:
    from actae_client import Actae, NotUndone, Undone, UndoPlan, UndoReport

Line = tuple[int | None, str, str, str]  # cursor, key, tool, what becomes of it


@click.command()
@channel_argument
@click.option(
    "--to-cursor", type=click.IntRange(min=0), required=True, help="The last event that stays; 0 is none."
)
@click.option("--plan", "only_plan", is_flag=True, help="Only show what would be undone, and in which order.")
@click.option(
    "--module",
    "place",
    metavar="MODULE[:NAME]",
    help="Where the compensations are: the Actae that the effects are decorated with.  [NAME: actae]",
)
@click.option("--as", "actor", metavar="NAME", help="Who undoes.  [your login name]")
@click.option("--wait", type=Duration(), default=0, help="For another process that is undoing: 90s, 15m.")
@click.option("--stop-at-failure", is_flag=True, help="Leave what came before an effect that stays.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@server_options
@json_option
def undo(
    channel: str,
    to_cursor: int,
    only_plan: bool,
    place: str | None,
    actor: str | None,
    wait: float,
    stop_at_failure: bool,
    yes: bool,
    server: Server,
    as_json: bool,
) -> None:
    """Undo what a channel did, the last effect first.

    Without the module, --plan shows every effect that is not undone yet as such, whether or not anything
    undoes it: that is for the module to say.

    A server runs no tools, so this command imports the module that has them, from the current directory
    too. The module's own client is used; --url and --api-key are its ACTAE_URL and ACTAE_API_KEY. Each
    compensation is run once, by whichever process: an undo that was cut off is called again.

    Exits with 1 when something stays that was to be undone.
    """
    if place is None:
        if not only_plan:
            raise click.UsageError("A server runs no tools. Say where they are with --module, or add --plan.")
        with connected(server) as client:
            plan = _plan_without_module(client, channel, to_cursor)
        _show_plan(plan, as_json=as_json)
        return
    actae = _imported(place, server)
    with actae:
        plan = actae.undo_plan_sync(to_cursor=to_cursor, channel_id=channel)
        if only_plan:
            _show_plan(plan, as_json=as_json)
            return
        if not yes:
            _ask(plan)
        report = actae.undo_sync(
            to_cursor=to_cursor,
            channel_id=channel,
            actor=name_of_person(actor, "--as"),
            wait_seconds=wait,
            stop_at_failure=stop_at_failure,
        )
    _show_report(report, as_json=as_json)
    sys.exit(0 if report.is_complete else 1)


def _plan_without_module(client: Any, channel: str, to_cursor: int) -> "UndoPlan":
    from actae_client.tools.background import background
    from actae_client.undo import read_plan

    return background().run(read_plan(client, channel, to_cursor, None))


def _imported(place: str, server: Server) -> "Actae":
    from actae_client import Actae

    os.environ["ACTAE_URL"] = server.url
    if server.api_key:
        os.environ["ACTAE_API_KEY"] = server.api_key
    name, _, attribute = place.partition(":")
    attribute = attribute or "actae"
    sys.path.insert(0, "")
    try:
        is_there = find_spec(name) is not None
    except (ModuleNotFoundError, ValueError):
        is_there = False
    if not is_there:
        raise CommandFailed(f"There is no module {name!r}, here or where Python looks for modules.")
    found = getattr(import_module(name), attribute, None)
    if not isinstance(found, Actae):
        what = "has none of that name" if found is None else f"has the {type(found).__name__} {found!r} there"
        raise CommandFailed(f"{place!r} must name an Actae of `actae_client`; the module {what}.")
    return found


_TRIED: Final = frozenset({"undo_in_progress", "undo_outcome_unknown", "not_reached"})


def _ask(plan: "UndoPlan") -> None:
    """What is in the way now may be gone when the undo comes to it, so it counts."""
    count = len(plan.to_undo) + sum(each.reason in _TRIED for each in plan.not_undone)
    if not count:
        return
    if not sys.stdin.isatty():
        raise CommandFailed("Nobody can be asked here. Add --yes to undo, or --plan to look.")
    _print_lines(_planned(plan), empty="")
    click.confirm(f"Undo {count} effect{'s' if count > 1 else ''}?", abort=True, err=True)


def _show_plan(plan: "UndoPlan", *, as_json: bool) -> None:
    if as_json:
        print_json(_for_programs(plan))
        return
    _print_lines(_planned(plan), empty=_nothing(plan))


def _show_report(report: "UndoReport", *, as_json: bool) -> None:
    if as_json:
        print_json({**_for_programs(report), "is_complete": report.is_complete})
        return
    _print_lines([*map(_undone, report.undone), *map(_stays, report.not_undone)], empty=_nothing(report))


def _nothing(about: "UndoPlan | UndoReport") -> str:
    return f"Channel {about.channel_id} has no effects after cursor {about.to_cursor}."


def _planned(plan: "UndoPlan") -> list[Line]:
    return [
        *(
            (
                each.completed_cursor,
                each.key_name,
                each.tool_name,
                f"by {each.compensation}" if each.compensation else "not yet",
            )
            for each in plan.to_undo
        ),
        *map(_undone, plan.undone),
        *map(_stays, plan.not_undone),
    ]


def _undone(each: "Undone") -> Line:
    return each.completed_cursor, each.key_name, each.tool_name, "before" if each.was_before else "now"


def _stays(each: "NotUndone") -> Line:
    then = "; undo again later, or add --wait 90s" if each.reason == "undo_in_progress" else ""
    return each.completed_cursor, each.key_name, each.tool_name, f"no, {each.reason}: {each.detail}{then}"


def _print_lines(lines: Iterable[Line], *, empty: str) -> None:
    """The last effect first; what has no place yet in the order, because nobody knows its end, before it."""
    ordered = sorted(lines, key=lambda line: float("inf") if line[0] is None else line[0], reverse=True)
    print_table(
        ("cursor", "effect", "tool", "undone"), ordered, empty=empty, cut=("effect", "tool"), wrapped="undone"
    )


def _for_programs(about: "UndoPlan | UndoReport") -> dict[str, Any]:
    stays = tuple(replace(each, error=None) for each in about.not_undone)  # told in its `detail`
    shown = asdict(replace(about, not_undone=stays))
    for each in shown["not_undone"]:
        del each["error"]
    return shown
