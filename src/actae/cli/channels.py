"""`actae channels`: the runs that a server knows."""

from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING

import click

from actae.cli.effects import shown_effects
from actae.cli.ending import close, delete, outcome
from actae.cli.output import json_option, print_json, print_table, shown_moment
from actae.cli.remote import Server, connected, server_options

if TYPE_CHECKING:
    from actae_client import RunInfo


@click.group()
def channels() -> None:
    """Look at channels, and say how they end."""


for _each in (close, delete, outcome):
    channels.add_command(_each)


@channels.command("list")
@click.option("--prefix", metavar="TEXT", help="Only ids that begin so, in the order of the ids.")
@click.option(
    "--limit", type=click.IntRange(1, 1_000_000), default=50, show_default=True, help="At most so many."
)
@server_options
@json_option
def list_(prefix: str | None, limit: int, server: Server, as_json: bool) -> None:
    """The channels that the key may see, the most recently active first."""
    with connected(server) as client:
        found = list(islice(client.list_runs(prefix=prefix, page_size=min(limit + 1, 100)), limit + 1))
    has_more, found = len(found) > limit, found[:limit]
    if as_json:
        print_json([asdict(each) for each in found])
    else:
        empty = "There are no channels." if prefix is None else f"No channel begins with {prefix}."
        columns = ("active", "state", "events", "effects", "channel")
        print_table(columns, map(_row, found), empty=empty, cut=("effects",))
    if has_more:
        click.echo(f"These are {len(found)} channels; there are more: --limit.", err=True)


def _row(run: "RunInfo") -> tuple[object, ...]:
    state = run.lifecycle if run.outcome is None else f"{run.lifecycle}, {run.outcome}"
    return (shown_moment(run.active_at), state, run.cursor, shown_effects(run.effects), run.channel_id)
