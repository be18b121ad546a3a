"""`actae checklist`: is what a channel did safe to be started again?"""

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from actae.cli.failures import CommandFailed
from actae.cli.output import json_option, print_json, print_table, shown, shown_moment
from actae.cli.remote import Server, checked_channel, connected, server_options

if TYPE_CHECKING:
    from actae_client import SyncActaeClient

_ROWS_SHOWN = 5  # of each answer; --json has more
_COLOURS = {"yes": "green", "no": "red", "cannot_be_told": "yellow"}


@click.command()
@click.argument("place", metavar="CHANNEL|PATTERN")
@server_options
@json_option
def checklist(place: str, server: Server, as_json: bool) -> None:
    """Ask whether a run may safely be started again.

    Each question is answered from the data, with the operations behind the answer: yes, no, or that it
    cannot be told. A PATTERN such as 'run-*' asks about all channels that it matches. Exits with 1 when any
    answer is no, and when the pattern matches none.
    """
    with connected(server) as client:
        if place.endswith("*"):
            found = list(_all(client, place))
            print_json(found) if as_json else _show_all(place, found)
        else:
            found = [client.get_checklist(checked_channel(place))]
            if not found[0]["operations"]:
                _refuse_deleted(client, place)
            print_json(found[0]) if as_json else _show(found[0])
    sys.exit(1 if not found or any(each["verdict"] == "no" for each in found) else 0)


def _refuse_deleted(client: "SyncActaeClient", channel_id: str) -> None:
    metadata = client.get_channel_metadata(channel_id)
    if metadata is not None and metadata.deleted_at is not None:
        when = shown_moment(metadata.deleted_at)
        raise CommandFailed(
            f"Channel {channel_id} was deleted at {when}: what it did is not on record any more."
        )


def _all(client: "SyncActaeClient", pattern: str) -> Iterator[dict[str, Any]]:
    after = None
    while page := client.list_checklists(pattern, after=after):
        yield from page
        after = page[-1]["channel_id"]


def _show(found: dict[str, Any]) -> None:
    newest = "the newest " if found["truncated"] else ""
    counted = f"{found['operations']} operations, {found['snapshots']} snapshots"
    click.echo(f"{found['channel_id']}: {newest}{counted}")
    for answer in found["answers"]:
        verdict = answer["verdict"]
        click.echo()
        click.echo(f"{answer['asks']} {click.style(_said(verdict), fg=_COLOURS[verdict], bold=True)}")
        click.echo(f"  {shown(answer['because'])}")
        for row in answer["rows"][:_ROWS_SHOWN]:
            click.echo(f"    {_place(row)}: {shown(row['note'])}")
        if (more := answer["row_count"] - _ROWS_SHOWN) > 0:
            click.echo(f"    and {more} more")


def _place(row: dict[str, Any]) -> str:
    what = f"state {row['version']}" if row["key_name"] is None else shown(row["key_name"])
    named = "" if row["execution_id"] is None else f" ({row['execution_id']})"
    return f"{what} at cursor {row['cursor']}{named}"


def _show_all(pattern: str, found: list[dict[str, Any]]) -> None:
    rows = [
        (
            each["channel_id"],
            _said(each["verdict"]),
            ", ".join(answer["question"] for answer in each["answers"] if answer["verdict"] == "no"),
        )
        for each in found
    ]
    print_table(("channel", "safe", "no to"), rows, empty=f"No channel matches {pattern}.", wrapped="no to")


def _said(verdict: str) -> str:
    return verdict.replace("_", " ")
